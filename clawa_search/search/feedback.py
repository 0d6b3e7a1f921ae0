"""What the best of a long answer speak of: words by which further sessions are found.

Relevance feedback after Lavrenko and Croft (RM3), for whole sessions alone: an entry that it found
would be one that holds none of the words that were asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from clawa_search.search.engine import Engine
    from clawa_search.search.winner import Winner

from clawa_search.search.fresh import NEW_FILE_IDS
from indexer import analysis
from indexer.schema import SEQ_BITS

DOCUMENTS, TERMS = 10, 30
"""Entries that are looked at, and words that are taken of them: 5 to 20 and 20 to 40 do as well."""
MAX_TOKENS = 2_000
"""Of one entry."""
LEAST_CHARS = 3


def compare_sessions(engine: Engine, ranked: Sequence[Winner]) -> None:
    """Set how much the session of each of *ranked* speaks of what the best entries speak of."""
    entries = [winner for winner in ranked if winner.memory is None]
    if engine.index is None or engine.statistics is None or not entries:
        return
    asked = {token for word in engine.query.words for token in word.tokens}
    found = terms(
        entries,
        asked,
        lambda one: analysis.text_tokens(engine.text_of(one)),
        engine.statistics.idf,
    )
    words = [analysis.Word(term, (term,)) for term in found]
    about = engine.index.prior(words, engine.scope.filter)
    # Of what no index tells (memories, new sessions) it is taken for what is usual.
    usual = sorted(about.values())[len(about) // 2] if about else 0.0
    for winner in ranked:
        known = winner.memory is None and winner.mid >> SEQ_BITS < NEW_FILE_IDS
        winner.about = about.get(winner.mid >> SEQ_BITS, 0.0) if known else usual


def terms(
    best: Sequence[Winner],
    asked: Collection[str],
    tokens_of: Callable[[Winner], list[str]],
    idf: Callable[[str], float],
) -> list[str]:
    """Return the tokens that tell most of what *best* speak of, without those that were *asked*.

    Each entry counts by its score, each token in it by its share of the entry and its weight.
    """
    from collections import Counter

    worth: dict[str, float] = {}
    for winner in best[:DOCUMENTS]:
        tokens = tokens_of(winner)[:MAX_TOKENS]
        for token, count in Counter(tokens).items():
            plain = len(token) >= LEAST_CHARS and not analysis.is_function_word(token)
            if plain and token not in asked:
                told = winner.score * count / len(tokens) * idf(token)
                worth[token] = worth.get(token, 0.0) + told
    return sorted(worth, key=worth.__getitem__, reverse=True)[:TERMS]
