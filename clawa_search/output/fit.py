"""Answers that fit a budget of tokens: best hits first, excerpts shortened, anchors whole."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.search.question import Answer, Hit

    Shown = tuple[Hit, str]
    Context = list[tuple[str, str, str]]

from clawa_search.output import json, text, tokens
from clawa_search.output.budget import SHORTEST_CHARS, pack
from clawa_search.places import working_folder
from clawa_search.search.excerpt import Needles, excerpt

NOTES_SHARE = 4
"""Notes may take one part in so many of the budget, where not everything fits."""
CHARS_A_COPY = 16
"""Of an excerpt, that make room for the place of one more copy."""
CONTEXT_CHARS = 24
"""A neighbour that is shortened further is left out."""


def fit_json(answer: Answer, budget: int) -> str:
    """Return the answer as JSON of at most *budget* o200k tokens, escapes included.

    Raises:
        InvalidInputError: not even an answer without hits fits.
    """

    def render(shown: list[Shown]) -> str:
        return json.answer_text(answer, shown, _dropped(answer, shown))

    everything = json.answer_text(answer)
    if tokens.fits(everything, budget):
        return everything
    answer = _with_few_notes(answer, budget // NOTES_SHARE)
    return _fit(answer, budget, render)


def _with_few_notes(answer: Answer, room: int) -> Answer:
    """Leave out notes beyond *room* tokens: hits come before what was not searched."""
    kept = list(answer.notes)
    while kept and tokens.count("\n".join(kept)) > room:
        kept.pop()
    left = len(answer.notes) - len(kept)
    if left:
        from copy import copy

        answer = copy(answer)
        answer.notes = [*kept, f"{left} more notes; they are told without --max-tokens"]
    return answer


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
        if hit.context:
            from copy import copy

            # What stands around comes in as soon as what was found has room.
            hit = copy(hit)
            hit.context = _shorter(hit.context, chars - SHORTEST_CHARS)
        if hit.also:
            from copy import copy

            # The places of its copies are least: their number is told in any case.
            hit = copy(hit)
            hit.also = hit.also[: max(0, chars - SHORTEST_CHARS) // CHARS_A_COPY]
        if len(shown) > chars:
            needles = needles or Needles(answer.words)
            shown = excerpt(shown, needles, chars)[0]
        return hit, shown

    quoted = [len(hit.excerpt) for hit in answer.hits]
    quoted += [SHORTEST_CHARS + len(said) for hit in answer.hits for _, _, said in hit.context]
    quoted += [SHORTEST_CHARS + CHARS_A_COPY * len(hit.also) for hit in answer.hits]
    return pack(
        [(hit, hit.excerpt) for hit in answer.hits],
        budget,
        render=render,
        shrink=shrink,
        longest=max(quoted, default=0),
    )


def _shorter(context: Context, chars: int) -> Context:
    """Shorten each neighbour to *chars* characters; below CONTEXT_CHARS they say nothing."""
    if chars < CONTEXT_CHARS:
        return []
    return [(ref, role, excerpt(said, limit=chars)[0]) for ref, role, said in context]
