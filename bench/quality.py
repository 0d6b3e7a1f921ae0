"""Does recall find what was said? Public question sets through the product's own indexer and search.

Every set is reported, never the best one. Tune on dev parts only; a change ships only when no
set loses more than half a point of R@10.
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bench import challenges, tables
from bench.baselines import BASELINES
from bench.datasets import available, load, pooled
from bench.evaluate import Result, evaluate
from bench.metrics import NAMES, paired
from bench.product import Indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from bench.datasets import Conversation

PRODUCT = "clawa-search"
# Switched off one at a time: a weight's name and the value at which it does nothing.
STEPS = {
    "neighbours": ("neighbours", 0.0),
    "further neighbours": ("further", 0.0),
    "session prior": ("session", 0.0),
    "phrases": ("phrase", 0.0),
    "all words at once": ("whole", 0.0),
    "user prior": ("user", 0.0),
    "standing wishes": ("standing", 0.0),
    "asker prior": ("asker", 0.0),
    "whole identifiers": ("code", 0.0),
    "dates": ("date", 1.0),
    "feedback": ("feedback", 0.0),
}
REPLACED: dict[str, tuple[str, Callable[..., object]]] = {
    "with function words": ("indexer.analysis.is_function_word", lambda _token: False),
    "without other spellings": (
        "clawa_search.search.run.with_spellings",
        lambda query, _vocabulary: query.words,
    ),
    "without irregular forms": ("clawa_search.search.irregular.with_forms", lambda words: words),
}
"""Further steps, by the function that makes way for another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a run of the quality benchmark shall do.

    Attributes:
        data: folder with one folder a set.
        sets: names of sets; empty for all.
        pooled: ask each set a second time with all its conversations in one index.
        baselines: ask the other engines as well.
        ablate: ask the product with each step of its ranking switched off.
        extras: names of `challenges` to run.
        main: ask the sets as they are; False for the extras alone.
    """

    data: Path
    sets: tuple[str, ...] = ()
    pooled: bool = True
    baselines: bool = True
    ablate: bool = True
    extras: tuple[str, ...] = ()
    main: bool = True


def run(wanted: Wanted) -> dict[str, Any]:
    """Return the report of everything *wanted* asks for."""
    began = time.perf_counter()
    report: dict[str, Any] = {"version": 1, "sets": []}
    names = wanted.sets or tuple(available(wanted.data))
    for name in names if wanted.main else ():
        conversations = load(wanted.data, name)
        report["sets"].append(_ask_set(name, "one index a conversation", conversations, wanted))
        if wanted.pooled and len(conversations) > 1:
            report["sets"].append(_ask_set(name, "one index", pooled(conversations), wanted))
    for extra in wanted.extras:
        report[extra] = challenges.RUN[extra](wanted.data, names)
    report["took_s"] = round(time.perf_counter() - began, 1)
    return report


def show(report: dict[str, Any]) -> None:
    """Print *report* as tables."""
    for part in report["sets"]:
        level = "turn" if part["engines"][0]["turn"] else "session"
        title = f"{part['set']}, {part['scope']}: {part['engines'][0]['questions']} questions"
        columns = [level, *NAMES, "session R@5", "R@10"]
        rows = [
            [
                engine["engine"],
                *(engine[level][measure] for measure in NAMES),
                engine["session"]["R@5"],
                engine["session"]["R@10"],
            ]
            for engine in part["engines"]
        ]
        tables.show(title, columns, rows)
        _show_steps(part["steps"])
        _show_categories(part["engines"])
    for extra, tell in challenges.SHOW.items():
        if extra in report:
            tell(report[extra])


def _ask_set(
    name: str, scope: str, conversations: Sequence[Conversation], wanted: Wanted
) -> dict[str, Any]:
    results = _ask_product(conversations, ablate=wanted.ablate)
    if wanted.baselines:
        results += [evaluate(one, make, conversations) for one, make in BASELINES.items()]
    whole = results[0]
    return {
        "set": name,
        "scope": scope,
        "engines": [result.summary() for result in results],
        # How much R@10 the product gains over each other row, paired by question.
        "steps": {
            other.engine: paired(whole.best(), other.best(), "R@10") for other in results[1:]
        },
    }


def _ask_product(conversations: Sequence[Conversation], *, ablate: bool) -> list[Result]:
    """Return the product's result, then one for every step switched off; each index is built once."""
    variants = [PRODUCT, *(f"without {step}" for step in STEPS), *REPLACED] if ablate else [PRODUCT]
    results = {name: Result(name) for name in variants}
    for conversation in conversations:
        with Indexed(conversation) as engine:
            for name, result in results.items():
                with _variant(name):
                    for query in conversation.queries:
                        result.add(query, engine(query))
    return list(results.values())


@contextmanager
def _variant(name: str) -> Iterator[None]:
    """Let the product rank as variant *name* does, inside the block."""
    from clawa_search.search import rank

    with ExitStack() as changed:
        if name in REPLACED:
            changed.enter_context(patch(*REPLACED[name]))
        elif name != PRODUCT:
            step, off = STEPS[name.removeprefix("without ")]
            changed.enter_context(patch.object(rank.DEFAULT, step, off))
        yield


def _show_steps(steps: dict[str, dict[str, float]]) -> None:
    rows = [
        [
            name,
            gain["difference"],
            f"±{gain['half_width']:.1f}",
            f"{gain['better']}/{gain['worse']}",
        ]
        for name, gain in steps.items()
    ]
    if rows:
        columns = ["R@10 of the product minus", "points", "95 %", "better/worse"]
        tables.show("", columns, rows)


def _show_categories(engines: list[dict[str, Any]]) -> None:
    chosen = [engine for engine in engines if engine["engine"] in (PRODUCT, *BASELINES)]
    rows = []
    for name, first in chosen[0]["categories"].items():
        cells = [engine["categories"][name]["R@10"] for engine in chosen]
        rows.append([name, first["questions"], *cells])
    columns = ["R@10 by category", "questions", *(engine["engine"] for engine in chosen)]
    tables.show("", columns, rows)
