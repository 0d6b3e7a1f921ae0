"""Memories that correct what a session said before: they stand above it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.search.winner import Winner

from indexer import analysis

AS_RELEVANT = 0.65
"""A memory counts as relevant as an entry from this share of the entry's text score on: the two
are weighed with slightly different statistics."""
SAME_SHARE = 0.6
LIFT = 1e-6


def lift(winners: list[Winner], text_of: Callable[[Winner], str]) -> list[Winner]:
    """Lift memories above the older session claims that they correct.

    A memory corrects a claim that says nearly the same (SAME_SHARE of the memory's words)
    and is no more relevant than it; who updated the memory knew better.
    """
    ranked: list[Winner] = []
    for one in winners:
        place = len(ranked)
        if one.memory is not None:
            place = _corrected(one, ranked, text_of)
        if place < len(ranked):
            lifted = ranked[place].score + LIFT
            if one.parts:
                one.parts["newer"] = lifted - one.score
            one.score = lifted
        ranked.insert(place, one)
    return ranked


def _corrected(one: Winner, ranked: list[Winner], text_of: Callable[[Winner], str]) -> int:
    """Return the place of the first claim that the memory *one* corrects, else the end."""
    for place, claim in enumerate(ranked):
        if (
            claim.memory is None
            and claim.ts_ms < one.ts_ms
            and claim.score >= one.score
            and claim.own * AS_RELEVANT <= one.own
        ):
            words = _content(one, text_of)
            if len(words & _content(claim, text_of)) >= SAME_SHARE * len(words) > 0:
                return place
    return len(ranked)


def _content(winner: Winner, text_of: Callable[[Winner], str]) -> set[str]:
    """Return the tokens that carry meaning."""
    if winner.tokens is None:
        winner.tokens = analysis.text_tokens(text_of(winner))
    return {token for token in winner.tokens if not analysis.is_function_word(token)}
