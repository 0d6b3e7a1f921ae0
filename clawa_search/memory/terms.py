"""What a query looks for in one memory: terms, how FTS5 is asked for them, what they are worth."""

from __future__ import annotations

from math import log

from clawa_search.memory.record import END_OF_TIME
from indexer.word import phrase_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clawa_search.memory.record import Memory
    from indexer.analysis import Word

    Ways = Sequence[tuple["Term | None", list[tuple["Term", float]]]]
    """For each word that may be written in other ways, its term as typed (None if it is no term)
    and the other ones, with their shares."""

K1, B = 1.2, 0.75  # FTS5's own, so that its bm25() and score() are one scale
TOP = K1 + 1
"""A term adds less than TOP times its idf to a score, however often it occurs."""


class Candidate:
    """A memory that matches, with its tokens, so that a caller can score it in its own way.

    Attributes:
        id, ts_ms, text, tags: as in Memory.
        text_tokens: tokens of the text in order.
        code_tokens: its whole forms, each once.
        tag_tokens: each tag as a whole, followed by the tokens in it.
        size: number of all tokens, those of the tags counted twice.
        score: BM25 within the memories alone, more is better.
    """

    __slots__ = (
        "code_tokens",
        "id",
        "score",
        "size",
        "tag_tokens",
        "tags",
        "text",
        "text_tokens",
        "ts_ms",
    )

    def __init__(
        self, number: int, text: list[str], code: list[str], tags: list[str], size: int
    ) -> None:
        self.id = number
        self.text_tokens = text
        self.code_tokens = code
        self.tag_tokens = tags
        self.size = size
        self.score = 0.0
        self.ts_ms = 0
        self.text = ""
        self.tags: tuple[str, ...] = ()

    def take(self, memory: Memory) -> None:
        """Take over what is stored of it."""
        self.ts_ms, self.text, self.tags = memory.ts_ms, memory.text, memory.tags

    def __repr__(self) -> str:
        return f"Candidate({self.id}, {self.score:.3f}, {self.text[:40]!r})"


class Term:
    """One thing to look for: a whole form, or a phrase of one or more text tokens.

    Either may also be found in the tags.

    Attributes:
        tokens: the phrase; a whole form is one token.
        code: whether it is a whole form.
        match: the FTS5 expression.
        seen: matches that were counted; a lower bound of their number.
        df: their number, estimated where counting stopped.
    """

    __slots__ = ("code", "df", "match", "seen", "tokens")

    def __init__(self, tokens: Sequence[str], *, code: bool = False) -> None:
        self.tokens = tuple(tokens)
        self.code = code
        self.match = f"{'{code tags}' if code else '{text tags}'} : {quoted(self.tokens)}"
        self.seen = 0
        self.df = 0

    @property
    def is_single(self) -> bool:
        """One whole token, whose frequency is kept."""
        return len(self.tokens) == 1

    def count_in(self, memory: Candidate) -> int:
        """Return how often this term occurs in *memory*."""
        fields = memory.code_tokens if self.code else memory.text_tokens
        tokens = self.tokens
        if len(tokens) == 1:
            return fields.count(tokens[0]) + memory.tag_tokens.count(tokens[0])
        return phrase_count(fields, tokens) + phrase_count(memory.tag_tokens, tokens)


class Wanted:
    """What to look for; see `MemoryStore.candidates`.

    Attributes:
        others: the other ways to write words.
        whole: the forms of each such word.
    """

    __slots__ = (
        "exact",
        "excluded",
        "limit",
        "must",
        "others",
        "since",
        "tags",
        "terms",
        "until",
        "whole",
    )

    def __init__(self, terms: list[Term], limit: int, exact: int) -> None:
        self.terms = terms
        self.others: Ways = ()
        self.limit = limit
        self.exact = min(exact, limit)
        self.must: list[Term] = []
        self.whole: list[list[Term]] = []
        self.excluded: list[Term] = []
        self.tags: tuple[str, ...] = ()
        self.since: int | None = None
        self.until: int | None = None

    @property
    def timed(self) -> bool:
        return self.since is not None or self.until is not None

    @property
    def other_terms(self) -> list[Term]:
        """Return the terms of `others`, each once."""
        return list({term.tokens: term for _, some in self.others for term, _ in some}.values())

    def accepts(self, memory: Candidate) -> bool:
        """Tell whether *memory*, whose time and tags are known, is a match."""
        first, last = span(self.since, self.until)
        if not first <= memory.ts_ms <= last or not set(self.tags) <= set(memory.tags):
            return False
        if not all(term.count_in(memory) for term in self.must):
            return False
        if any(term.count_in(memory) for term in self.excluded):
            return False
        if self.must or any(term.count_in(memory) for term in self.terms):
            return True
        return any(term.count_in(memory) for _, some in self.others for term, _ in some)


def span(since_ms: int | None, until_ms: int | None) -> tuple[int, int]:
    """Return the first and the last ms that count: in no time is what has none."""
    if since_ms is None and until_ms is None:
        return -(1 << 62), 1 << 62
    last = END_OF_TIME - 1 if until_ms is None else until_ms
    return max(since_ms or 1, 1), min(last, END_OF_TIME - 1)


def quoted(tokens: Iterable[str]) -> str:
    """Return *tokens* as one FTS5 string, in which nothing is an operator."""
    # SQLite ends the expression at a NUL; no token of the analyser holds one.
    return '"' + " ".join(tokens).replace('"', '""').replace("\0", " ") + '"'


def exact_term(word: Word) -> Term:
    """Return the term of a word that has either one whole form or text tokens."""
    return Term(word.codes or word.tokens, code=bool(word.codes))


def terms_of(words: Iterable[Word]) -> list[Term]:
    """Return the terms of words as they were typed, of which any makes a match, each once."""
    found: dict[tuple[bool, tuple[str, ...]], None] = {}
    for word in words:
        for code in word.codes:
            found[True, (code,)] = None
        if word.tokens and not word.strict:
            found[False, word.tokens] = None
    return [Term(tokens, code=code) for code, tokens in found]


def others_of(words: Iterable[Word], terms: Iterable[Term]) -> Ways:
    """Return the terms of other ways to write *words*, as `Wanted.others` has them.

    Args:
        terms: what is looked for anyway, and is no other way.
    """
    typed = {term.tokens: term for term in terms if not term.code}
    made: dict[tuple[str, ...], Term] = {}
    found = []
    for word in words:
        some = []
        for tokens, share in () if word.strict else word.others:
            if tokens not in typed:
                if tokens not in made:
                    made[tokens] = Term(tokens)
                some.append((made[tokens], share))
        if some:
            found.append((typed.get(word.tokens), some))
    return found


def idf(df: int, rows: int) -> float:
    """Return FTS5's weight of a term that *df* of *rows* memories hold; never negative."""
    if df * 2 >= rows:
        return 1e-6
    return max(1e-6, log((rows - df + 0.5) / (df + 0.5)))


class Weighing:
    """Terms with their weights, ready to score many memories."""

    __slots__ = ("_average", "_codes", "_forms", "_others", "_texts")

    def __init__(
        self,
        weighted: Iterable[tuple[Term, float]],
        average: float,
        others: Ways = (),
        rows: int = 0,
    ) -> None:
        """Take terms with their idf, the mean size of a memory, and other ways to write words.

        Args:
            others: as `Wanted.others` has them; the terms are counted.
            rows: how many memories there are.
        """
        self._average = average
        self._forms: list[tuple[Term | None, float, list[tuple[Term, float]]]] = []
        for typed, some in others:
            # Another way counts at most its share of the word as it was typed: `bm25.worths`.
            worth = idf(typed.df, rows) if typed and typed.df else 0.0
            forms = [
                (term, share * min(idf(term.df, rows), worth or float("inf")))
                for term, share in some
                if term.df
            ]
            if forms:
                self._forms.append((typed, worth, forms))
        self._texts: dict[str, float] = {}
        self._codes: dict[str, float] = {}
        self._others: list[tuple[Term, float]] = []
        for term, weight in weighted:
            if len(term.tokens) > 1:
                self._others.append((term, weight))
            else:
                single = self._codes if term.code else self._texts
                single[term.tokens[0]] = single.get(term.tokens[0], 0.0) + weight

    @property
    def others(self) -> list[tuple[list[Term], float]]:
        """The other ways to write each word, and the most that one of them is worth."""
        return [
            ([term for term, _ in forms], max(weight for _, weight in forms))
            for _, _, forms in self._forms
        ]

    def score(self, memory: Candidate) -> float:
        """Return BM25 of *memory*; 0 if it holds none of the terms."""
        norm = K1 * (1 - B + B * memory.size / self._average)
        tags = memory.tag_tokens
        total = 0.0
        # Of many terms a memory holds few: only these are looked at.
        for weights, tokens in (
            (self._texts, memory.text_tokens),
            (self._codes, memory.code_tokens),
        ):
            held = weights.keys() & (tokens + tags if tags else tokens)
            for token in sorted(held):  # sums of one order for equal memories
                count = tokens.count(token) + tags.count(token)
                total += weights[token] * count * TOP / (count + norm)
        for term, weight in self._others:
            total += weight * saturated(term.count_in(memory), norm)
        for typed, worth, forms in self._forms:
            best = max(weight * saturated(term.count_in(memory), norm) for term, weight in forms)
            if best and typed:  # the best way counts, and the typed one is in the sum already
                best = max(0.0, best - worth * saturated(typed.count_in(memory), norm))
            total += best
        return total


def saturated(count: int, norm: float) -> float:
    """Return the part of a score that grows with *count*, below TOP."""
    return count * TOP / (count + norm) if count else 0.0
