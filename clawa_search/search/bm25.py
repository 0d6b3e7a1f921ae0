"""BM25 in memory, for what the index does not hold: memories and lines not indexed yet.

The formula is that of Tantivy and FTS5 (k1 1.2, b 0.75), so scores stand on one scale with
those of the index when they are given its statistics.
"""

from __future__ import annotations

from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from indexer.analysis import Word

K1 = 1.2
B = 0.75


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
            df = min(self._df(field, token), self.documents)
            self._known[key] = log(1 + (self.documents - df + 0.5) / (df + 0.5))
        return self._known[key]

    def weight(self, frequency: float, length: int) -> float:
        """Return the part of a score that grows with frequency and shrinks with length."""
        return (
            frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / self.average))
            if frequency
            else 0.0
        )


def phrase_count(tokens: Sequence[str], phrase: Sequence[str]) -> int:
    """Count where *phrase* occurs as consecutive tokens."""
    if len(phrase) == 1:
        return tokens.count(phrase[0])
    first, count, width = phrase[0], 0, len(phrase)
    start = -1
    try:
        while True:
            start = tokens.index(first, start + 1)
            if tuple(tokens[start : start + width]) == tuple(phrase):
                count += 1
    except ValueError:
        return count


def score(
    statistics: Statistics,
    words: Iterable[Word],
    pairs: Iterable[tuple[str, str]],
    tokens: Sequence[str],
    codes: Iterable[str],
    *,
    code_weight: float,
    pair_weight: float,
    phrases: Iterable[Sequence[str]] = (),
    related: Iterable[str] = (),
    related_weight: float = 0.0,
) -> float:
    """Score one document.

    The sum over words of their best form, over adjacent pairs and phrases, and over *related*
    tokens.
    """
    length = len(tokens)
    held = set(tokens)
    forms = codes if isinstance(codes, set | frozenset) else set(codes)
    total = 0.0
    for word in words:
        best = 0.0
        if word.tokens and not word.strict and word.tokens[0] in held:
            frequency = phrase_count(tokens, word.tokens)
            if frequency:
                best = statistics.weight(frequency, length) * sum(
                    statistics.idf(token) for token in word.tokens
                )
        if word.joined and not word.strict and word.joined in held:
            joined = statistics.weight(tokens.count(word.joined), length)
            best = max(best, joined * statistics.idf(word.joined))
        for form in word.codes:
            if form in forms:
                best = max(best, code_weight * statistics.idf(form, "code"))
        total += best
    for left, right in pairs:
        if left in held and right in held:
            frequency = phrase_count(tokens, (left, right))
            both = statistics.idf(left) + statistics.idf(right)
            total += pair_weight * statistics.weight(frequency, length) * both
    for token in related:
        if token in held:
            frequency = tokens.count(token)
            total += related_weight * statistics.weight(frequency, length) * statistics.idf(token)
    for phrase in phrases:
        frequency = phrase_count(tokens, phrase)
        total += statistics.weight(frequency, length) * sum(map(statistics.idf, phrase))
    return total
