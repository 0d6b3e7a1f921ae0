"""Words that stand for several: `word*`, `word~`, and the spelling tier of unknown words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawa_search.search.query import Query
    from clawa_search.search.vocabulary import Vocabulary

from clawa_search.search.vocabulary import MAX_TERMS
from indexer.analysis import Word

LEAST_GUESSED = 5
"""Shorter unknown words have too many neighbours to guess at: letters of the stem."""
SEVERAL_WORDS = 3
"""Of so many words the others find the text, and a guess must be surer by one letter: beside them
"painting" was "point" and "negative" was "neat"."""
NOT_ALL = (
    "`word*` and `word~` stand for words of the index and of the newest 8 MiB beside it; "
    "`clawa-search reindex` indexes the rest"
)
TOO_MANY = "{!r} stands for more words than can be looked for; the {} most frequent were"


def widen(query: Query, vocabulary: Vocabulary) -> list[str]:
    """Add the words that *query* stands for; return notes on those and on guessed spellings."""
    meant = {f"{prefix}*": vocabulary.beginning(prefix) for prefix in query.prefixes}
    meant |= {f"{token}~": vocabulary.near(token) for token in query.fuzzies}
    query.prefixes, query.fuzzies = [], []
    notes = []
    for wildcard, tokens in meant.items():
        _add(query, tokens[:MAX_TERMS])
        if not tokens:
            notes.append(f"{wildcard!r} stands for no word here")
        elif len(tokens) > MAX_TERMS:
            vocabulary.missed.append(TOO_MANY.format(wildcard, MAX_TERMS))
    least = LEAST_GUESSED + (len(query.words) >= SEVERAL_WORDS)
    unsure = [word for word in query.words if _may_be_misspelt(word, least)]
    written = {word.tokens[0]: [tokens for tokens, _ in word.written] for word in unsure}
    unknown = vocabulary.unknown(
        {token for runs in written.values() for run in runs for token in run}
    )
    for word in unsure:
        if not all(unknown.intersection(run) for run in written[word.tokens[0]]):
            continue
        near = vocabulary.near(word.tokens[0])[:3]
        if near:
            query.guesses |= set(near)
            query.together = False
            _add(query, near)
            notes.append(f"{word.surface!r} occurs nowhere; similar: {', '.join(near)} (weak)")
    return notes


def _may_be_misspelt(word: Word, least: int) -> bool:
    token = word.tokens[0] if word.plain else ""
    return len(token) >= least and token.isalpha() and not word.unspaced


def _add(query: Query, tokens: Iterable[str]) -> None:
    known = {word.tokens for word in query.words}
    query.words += [Word(token, (token,)) for token in tokens if (token,) not in known]
