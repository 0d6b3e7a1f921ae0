"""Four harder looks at recall: identifiers, memories mixed in, forked sessions, no answer at all."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import tables
from bench.datasets import FORK, Conversation, Message, Query, forked, load
from bench.evaluate import Result
from bench.metrics import auroc, mean
from bench.product import Indexed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clawa_search.search.question import Answer

TOKEN_CASES = Path(__file__).parent.parent / "tests" / "data" / "token_cases.jsonl"
_SHARES = (0.1, 0.5)
_FORKED = 0.3
_SHOWN = 10


def run_tokens(data: Path, names: Sequence[str]) -> dict[str, Any]:
    """Ask each token case of one index that holds them all; report the cases that fail."""
    del data, names
    cases = [json.loads(line) for line in TOKEN_CASES.read_text(encoding="utf-8").splitlines()]
    conversation = Conversation("tokens")
    for number, case in enumerate(cases):
        key = str(number)
        conversation.messages.append(
            Message(key, f"case-{key}", "user", "user", case["text"], 1_767_225_600_000 + number)
        )
    failed = []
    with Indexed(conversation) as engine:
        for number, case in enumerate(cases):
            query = Query(str(number), "token", case["query"], (str(number),), ())
            answer = engine.answer(query, limit=100)
            # Equal texts are one hit, wherever it points.
            found = any(engine.message(hit).text == case["text"] for hit in answer.hits)
            if found != case["match"]:
                failed.append(case["case"])
    return {"cases": len(cases), "correct": len(cases) - len(failed), "failed": failed}


def run_merge(data: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Keep a random share of the sessions as memories only; report the evidence covered."""
    rows = []
    for name in names:
        conversations = load(data, name)
        if any(
            conv.notes and any(query.evidence for query in conv.queries) for conv in conversations
        ):
            rows += [_merge(name, conversations, share) for share in _SHARES]
    return rows


def _merge(name: str, conversations: Sequence[Conversation], share: float) -> dict[str, Any]:
    rng = random.Random(11)
    covered: dict[str, list[dict[str, float]]] = {
        "all": [],
        "memory": [],
        "session": [],
        "both": [],
    }
    for conv in conversations:
        sessions = conv.sessions()
        chosen = set(rng.sample(sessions, max(1, round(share * len(sessions)))))
        notes = [note for note in conv.notes if note.session in chosen]
        noted = {key for note in notes for key in note.source}
        said = {message.key for message in conv.messages if message.session not in chosen}
        with Indexed(conv, without=chosen, notes=notes) as engine:
            for query in conv.queries:
                wanted = set(query.evidence)
                if not wanted or wanted - noted - said:
                    continue
                row = _coverage(engine, query, wanted)
                place = "memory" if not wanted & said else "both" if wanted - said else "session"
                covered["all"].append(row)
                covered[place].append(row)
    return {
        "set": name,
        "share": share,
        "questions": len(covered["all"]),
        **{place: _percent(mean(rows)) for place, rows in covered.items()},
    }


def _coverage(engine: Indexed, query: Query, wanted: set[str]) -> dict[str, float]:
    got: list[set[str]] = []
    for hit in engine.answer(query, limit=_SHOWN, source="").hits:
        if hit.kind == "memory":
            got.append(set(engine.home.notes[hit.id].source) & wanted)
        else:
            got.append({engine.message(hit).key} & wanted)
    return {
        "coverage@5": len(set().union(*got[:5])) / len(wanted),
        "coverage@10": len(set().union(*got)) / len(wanted),
        "MRR": next((1 / rank for rank, part in enumerate(got, 1) if part), 0.0),
    }


def run_forks(data: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Fork 30 % of the sessions twice; recall must stay what it was."""
    rows = []
    for name in names:
        rng, before, after = random.Random(3), Result("as it is"), Result("forked")
        for conv in load(data, name):
            sessions = conv.sessions()
            chosen = set(rng.sample(sessions, int(_FORKED * len(sessions))))
            for result, haystack in ((before, conv), (after, forked([conv], chosen)[0])):
                with Indexed(haystack) as engine:
                    for query in conv.queries:
                        result.add(query, [_original(message) for message in engine(query)])
        rows.append({"set": name, "before": before.summary(), "after": after.summary()})
    return rows


def _original(message: Message) -> Message:
    """Return *message* as of the session that was forked: a copy of the evidence is as good."""
    return replace(message, session=message.session.partition(FORK)[0])


def run_empties(data: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    """Ask one conversation's questions of the next one's index, where no answer can be."""
    rows = []
    for name in names:
        conversations = load(data, name)
        if len(conversations) < 2:
            continue
        own: list[tuple[float, bool]] = []
        other: list[tuple[float, bool]] = []
        for number, conv in enumerate(conversations):
            before = conversations[number - 1]
            with Indexed(conv) as engine:
                own += [_strength(engine.answer(query)) for query in conv.queries]
                other += [_strength(engine.answer(_unbound(query))) for query in before.queries]
        rows.append(
            {
                "set": name,
                "questions": len(own),
                "auroc": round(auroc([one for one, _ in own], [one for one, _ in other]), 3),
                "weak_unanswerable": _share(other),
                "weak_answerable": _share(own),
            }
        )
    return rows


def _unbound(query: Query) -> Query:
    """Return *query* without its bound in time, which counts the sessions of another conversation."""
    return Query(query.key, query.category, query.text, query.evidence, query.sessions)


def _strength(answer: Answer) -> tuple[float, bool]:
    """Return the strength of the best hit, and whether nothing better than weak was found."""
    top = answer.hits[0].strength if answer.hits else 0.0
    return top, all(hit.tier == "weak" for hit in answer.hits)


def _share(rows: Sequence[tuple[float, bool]]) -> float:
    return round(100 * sum(weak for _, weak in rows) / len(rows), 1)


def _percent(row: dict[str, float]) -> dict[str, float]:
    return {name: round(100 * value, 1) for name, value in row.items()}


def _show_tokens(report: dict[str, Any]) -> None:
    print(f"\nToken cases: {report['correct']} of {report['cases']}", *report["failed"], sep="\n  ")


def _show_merge(report: list[dict[str, Any]]) -> None:
    columns = [
        "sessions held as memories",
        "questions",
        "c@5",
        "c@10",
        "memory only",
        "session only",
    ]
    rows = [
        [
            f"{row['set']}, {row['share']:.0%}",
            row["questions"],
            row["all"].get("coverage@5"),
            row["all"].get("coverage@10"),
            row["memory"].get("coverage@10"),
            row["session"].get("coverage@10"),
        ]
        for row in report
    ]
    tables.show("Evidence covered by memories and sessions together", columns, rows)


def _show_forks(report: list[dict[str, Any]]) -> None:
    rows = []
    for row in report:
        level = "turn" if row["before"]["turn"] else "session"
        cuts = ("R@5", "R@10", "R@25")
        rows += [
            [f"{row['set']}, {when}", *(row[when][level][cut] for cut in cuts)]
            for when in ("before", "after")
        ]
    tables.show("30 % of the sessions forked twice", ["", "R@5", "R@10", "R@25"], rows)


def _show_empties(report: list[dict[str, Any]]) -> None:
    columns = [
        "questions without an answer",
        "n",
        "AUROC",
        "weak or empty, %",
        "same with answer, %",
    ]
    rows = [
        [
            row["set"],
            row["questions"],
            f"{row['auroc']:.3f}",
            row["weak_unanswerable"],
            row["weak_answerable"],
        ]
        for row in report
    ]
    tables.show("Does recall know when it does not know?", columns, rows)


RUN: dict[str, Callable[[Path, Sequence[str]], Any]] = {
    "tokens": run_tokens,
    "merge": run_merge,
    "forks": run_forks,
    "empties": run_empties,
}
SHOW: dict[str, Callable[[Any], None]] = {
    "tokens": _show_tokens,
    "merge": _show_merge,
    "forks": _show_forks,
    "empties": _show_empties,
}
