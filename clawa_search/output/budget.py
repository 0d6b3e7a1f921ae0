"""Pack an answer into a budget of tokens: shorten what the hits quote, then drop the last hits.

It knows nothing of hits or formats: *render* makes the whole answer, *shrink* makes a hit's
quotations shorter. Anchors stay whole because no one but *shrink* cuts anything.
"""

from __future__ import annotations

from clawa_search.errors import InvalidInputError
from clawa_search.output import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    HitT = TypeVar("HitT")

SHORTEST_CHARS = 80
"""Below this a quotation no longer says why the hit was found; the last hit goes instead."""

LEAST_HIT_TOKENS = 150
"""What one hit takes, about."""
_STEP_CHARS = 8


def pack(
    hits: Sequence[HitT],
    budget: int,
    *,
    render: Callable[[list[HitT]], str],
    shrink: Callable[[HitT, int], HitT],
    longest: int,
) -> str:
    """Return a rendered answer of at most *budget* o200k tokens, escapes and notes included.

    As many of the best hits as fit with SHORTEST_CHARS, then quotations as long as fit. Every
    answer that is returned was counted whole. Some 15 renderings when it is tight, one when not.

    Args:
        hits: best first.
        budget: tokens of the whole answer.
        render: makes the whole answer of some first hits, which may be none; when they are fewer
            than all, this is the place to say so.
        shrink: a hit whose quotations have at most that many characters.
        longest: characters of the longest quotation in *hits*.

    Raises:
        InvalidInputError: not even the answer without hits fits.
    """
    everything = render(list(hits))
    if tokens.fits(everything, budget):
        return everything
    nothing = render([])
    if not tokens.fits(nothing, budget):
        least = tokens.count(nothing)
        raise InvalidInputError(
            f"--max-tokens {budget}: an answer without hits already has {least}",
            hint=f"allow at least {least + LEAST_HIT_TOKENS} tokens",
        )

    def at_shortest(number: int) -> str:
        return render([shrink(hit, SHORTEST_CHARS) for hit in hits[:number]])

    # Tried apart: with all hits shown there is no note of dropped ones, which can be shorter.
    shown, best = len(hits), at_shortest(len(hits))
    if not tokens.fits(best, budget):
        shown, best = _largest(at_shortest, 0, len(hits) - 1, nothing, budget)

    def at_length(steps: int) -> str:
        chars = SHORTEST_CHARS + steps * _STEP_CHARS
        return render([shrink(hit, chars) for hit in hits[:shown]])

    most = -(-max(0, longest - SHORTEST_CHARS) // _STEP_CHARS)
    return _largest(at_length, 0, most, best, budget)[1]


def _largest(
    make: Callable[[int], str], low: int, high: int, made: str, budget: int
) -> tuple[int, str]:
    """Return the largest number found, *low* to *high*, whose text fits, and that text.

    *made* is the text of *low*, which fits.
    """
    while low < high:
        middle = (low + high + 1) // 2
        text = make(middle)
        if tokens.fits(text, budget):
            low, made = middle, text
        else:
            high = middle - 1
    return low, made
