"""BM25 in memory, for what the index does not hold: memories and lines not indexed yet.

The formula is that of Tantivy and FTS5 (k1 1.2, b 0.75), so scores stand on one scale with
those of the index when they are given its statistics.
"""

from __future__ import annotations

from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clawa_search.search.query import Query
    from clawa_search.search.rank import Weights
    from indexer.word import Word

    Worth = list[tuple[tuple[str, ...], float]]
    """Runs of text tokens, and what each is worth."""

from clawa_search.memory.terms import K1, B, saturated
from indexer.word import phrase_count


def weight(documents: int, df: int) -> float:
    """Return what a token is worth that *df* of so many documents hold."""
    df = min(df, documents)
    return log(1 + (documents - df + 0.5) / (df + 0.5))


def word_worth(word: Word, idf: Callable[[str, str], float]) -> float:
    """Return what a word is worth: its parts together, else its best whole form."""
    if word.tokens and not word.strict:
        return sum(idf(token, "text") for token in word.tokens)
    return max((idf(code, "code") for code in word.codes), default=0.0)


def worths(
    word: Word, idf: Callable[[str], float], df: Callable[[str, str], int]
) -> list[tuple[tuple[str, ...], float]]:
    """Return every way to write *word* in text tokens, and what it is worth.

    Another way is worth at most its share of what the word is as it was typed, however rare it may
    be, unless nothing holds that.
    """
    most = float("inf")
    if word.tokens and all(df("text", token) for token in word.tokens):
        most = sum(map(idf, word.tokens))
    return [(tokens, share * min(most, sum(map(idf, tokens)))) for tokens, share in word.written]


class Statistics:
    """A collection as BM25 sees it.

    Attributes:
        documents: their number.
        average: mean length in text tokens.
    """

    __slots__ = ("_df", "_known", "average", "documents")

    def __init__(self, documents: int, average: float, df: Callable[[str, str], int]) -> None:
        """Take *df(field, token)*, the number of documents that hold a token."""
        self.documents = documents
        self.average = average or 1.0
        self._df = df
        self._known: dict[tuple[str, str], float] = {}

    def df(self, field: str, token: str) -> int:
        return self._df(field, token)

    def idf(self, token: str, field: str = "text") -> float:
        key = (field, token)
        if key not in self._known:
            self._known[key] = weight(self.documents, self._df(field, token))
        return self._known[key]


class Scorer:
    """One question, ready to score many documents in memory.

    Attributes:
        whole_worth: what a document gains that holds all words of the question at once.
    """

    __slots__ = (
        "_average",
        "_phrases",
        "_together",
        "_whole",
        "_words",
        "whole_worth",
    )

    def __init__(self, statistics: Statistics, query: Query, weights: Weights) -> None:
        """Look up what every form of the question weighs."""
        idf = statistics.idf
        self._average = statistics.average
        self._words: list[tuple[Worth, list[tuple[str, float]]]] = []
        for word in query.words:
            share = weights.guessed if query.guessed(word) else 1.0
            runs = [(run, share * worth) for run, worth in worths(word, idf, statistics.df)]
            codes = [(form, weights.code * idf(form, "code")) for form in word.codes]
            self._words.append((runs, codes))
        self._together = [
            (tokens, weights.phrase * sum(map(idf, tokens)))
            for tokens in (*query.pairs, *query.runs)
        ]
        self._whole = query.whole
        self.whole_worth = weights.whole * sum(word_worth(word, idf) for word in self._whole)
        phrases = [word.tokens for word in query.phrases if word.tokens]
        self._phrases = [(tokens, sum(map(idf, tokens))) for tokens in phrases]

    def score(self, tokens: list[str], codes: Iterable[str]) -> float:
        """Score one document.

        The sum over words of their best form, and over pairs, runs and phrases.
        """
        norm = K1 * (1 - B + B * len(tokens) / self._average)
        held = set(tokens)
        forms = codes if isinstance(codes, set | frozenset) else set(codes)
        total = 0.0
        for runs, wholes in self._words:
            best = 0.0
            for run, worth in runs:
                if run[0] in held:
                    best = max(best, worth * saturated(phrase_count(tokens, run), norm))
            for form, form_worth in wholes:
                if form in forms and form_worth > best:
                    best = form_worth
            total += best
        for together, worth in self._together:
            if held.issuperset(together):
                total += worth * saturated(phrase_count(tokens, together), norm)
        for phrase, worth in self._phrases:
            total += worth * saturated(phrase_count(tokens, phrase), norm)
        return total

    def whole(self, tokens: list[str], codes: Iterable[str]) -> float:
        """Return what a document gains if it holds all words of the question at once."""
        if not self._whole:
            return 0.0
        forms = set(codes)
        held = all(word.matches(tokens, forms) for word in self._whole)
        return self.whole_worth if held else 0.0
