"""Answers that fit a budget of tokens: best hits first, excerpts shortened, anchors whole."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.search.question import Answer, Hit

    Shown = tuple[Hit, str]

from clawa_search.output import json, text
from clawa_search.output.budget import pack
from clawa_search.places import working_folder
from clawa_search.search.excerpt import Needles, excerpt
from indexer import analysis


def fit_json(answer: Answer, budget: int) -> str:
    """Return the answer as JSON of at most *budget* o200k tokens, escapes included.

    Raises:
        InvalidInputError: not even an answer without hits fits.
    """

    def render(shown: list[Shown]) -> str:
        return json.answer_text(answer, shown, _dropped(answer, shown))

    return _fit(answer, budget, render)


def fit_text(answer: Answer, budget: int, *, explain: bool) -> str:
    """Return the answer as text of at most *budget* o200k tokens; see `fit_json`."""
    cwd = working_folder()

    def render(shown: list[Shown]) -> str:
        notes = "".join(f"({note})\n" for note in _dropped(answer, shown))
        return text.answer_text(answer, shown, cwd=cwd, explain=explain) + notes

    return _fit(answer, budget, render)


def _dropped(answer: Answer, shown: list[Shown]) -> list[str]:
    left = len(answer.hits) - len(shown)
    return [f"{left} more did not fit the token budget"] if left else []


def _fit(answer: Answer, budget: int, render: Callable[[list[Shown]], str]) -> str:
    needles: Needles | None = None

    def shrink(item: Shown, chars: int) -> Shown:
        nonlocal needles
        hit, shown = item
        if len(shown) <= chars:
            return item
        if needles is None:
            needles = Needles(analysis.query_words(answer.query))
        return hit, excerpt(shown, needles, chars)[0]

    return pack(
        [(hit, hit.excerpt) for hit in answer.hits],
        budget,
        render=render,
        shrink=shrink,
        longest=max((len(hit.excerpt) for hit in answer.hits), default=0),
    )
