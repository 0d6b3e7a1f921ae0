"""Words that stand for several: `word*`, `word~`, and the spelling tier of unknown words."""

from __future__ import annotations

from itertools import zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clawa_search.memory.store import MemoryStore
    from clawa_search.search.fresh import FreshFile
    from clawa_search.search.query import Query
    from clawa_search.search.sessions import SessionIndex

from indexer.analysis import Word

MAX_TERMS = 50
MAX_VOCABULARY = 5000
MAX_FRESH_CHARS = 8 << 20
"""Of text that is not indexed, the newest first: about a second's work, and hardly ever so much."""
LEAST_GUESSED = 5
"""Shorter unknown words have too many neighbours to guess at: letters of the stem."""
SEVERAL_WORDS = 3
"""Of so many words the others find the text, and a guess must be surer by one letter: beside them
"painting" was "point" and "negative" was "neat"."""
TWO_MISTAKES_FROM = 8
NOT_ALL = (
    "`word*` and `word~` stand for words of the index and of the newest 8 MiB beside it; "
    "`clawa-search reindex` indexes the rest"
)
TOO_MANY = "{!r} stands for more words than can be looked for; the {} most frequent were"


class Vocabulary:
    """The tokens of everything in scope, asked for piece by piece.

    Attributes:
        cut: not all that is unindexed was looked at.
        missed: notes on wildcards that stand for more words than were looked for.
    """

    def __init__(
        self,
        index: SessionIndex | None,
        memories: MemoryStore | None,
        files: Sequence[FreshFile],
    ) -> None:
        self._index = index
        self._memories = memories
        self._files = files
        self._fresh: set[str] | None = None
        self.cut = False
        self.missed: list[str] = []

    def _fresh_tokens(self) -> set[str]:
        if self._fresh is None:
            self._fresh = set()
            left = MAX_FRESH_CHARS
            for entry in (entry for file in self._files for entry in reversed(file.entries)):
                left -= len(entry.entry.text)
                if left < 0:
                    self.cut = True
                    break
                self._fresh.update(entry.analyse())
        return self._fresh

    def unknown(self, tokens: Iterable[str]) -> set[str]:
        """Return those of *tokens* that nothing in scope holds, as far as that is certain."""
        left = set(tokens)
        if self._index is not None:
            left = {token for token in left if not self._index.df("text", token)}
        if left and self._memories is not None:
            held = self._memories.document_frequencies(sorted(left))
            left = {token for token in left if not held[token]}
        if left:
            left -= self._fresh_tokens()
        return set() if self.cut else left

    def beginning(self, prefix: str) -> list[str]:
        """Return tokens that begin with *prefix*, one more than MAX_TERMS if there are so many."""
        most = MAX_TERMS + 1
        sources: list[list[str]] = []
        if self._index is not None:
            sources.append(self._index.terms(prefix, most))
        if self._memories is not None:
            sources.append(self._memories.terms(prefix, most))
        sources.append(sorted(t for t in self._fresh_tokens() if t.startswith(prefix)))
        # In turn: what a long history holds must not use up the places of a few memories.
        found = [token for some in zip_longest(*sources) for token in some if token is not None]
        return self._held(dict.fromkeys(found))[:most]

    def near(self, token: str) -> list[str]:
        """Return tokens one mistake away, two for long ones; the nearest first.

        One more than MAX_TERMS if there are so many.
        """
        allowed = 2 if len(token) >= TWO_MISTAKES_FROM else 1
        candidates: set[str] = set()
        if self._index is not None:
            candidates.update(self._index.similar(token, allowed))
        if self._memories is not None:
            about = {"shortest": len(token) - allowed, "longest": len(token) + allowed}
            for begin in ("", token[:2]):  # of many memories, only those that begin alike
                candidates.update(self._memories.terms(begin, MAX_VOCABULARY, **about))
        candidates |= self._fresh_tokens()
        letters = set(token)
        ranked = sorted(
            (away, candidate)
            for candidate in candidates
            if abs(len(candidate) - len(token)) <= allowed
            # A mistake changes two letters at most, and comparing sets takes a hundredth.
            and len(letters.symmetric_difference(candidate)) <= 2 * allowed
            and (away := distance(token, candidate, allowed)) <= allowed
        )
        return self._held(candidate for _, candidate in ranked[: MAX_TERMS + 1])

    def _held(self, tokens: Iterable[str]) -> list[str]:
        """Leave out what only entries and memories held that are gone by now."""
        tokens = list(tokens)
        gone = self.unknown(tokens)
        return [token for token in tokens if token not in gone]


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
    unknown = vocabulary.unknown(word.tokens[0] for word in unsure)
    for word in unsure:
        if word.tokens[0] not in unknown:
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


def distance(left: str, right: str, most: int) -> int:
    """Return the edits (insert, delete, replace, swap) between two words, or most + 1."""
    start = 0
    shorter = min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return _distance(left[start : len(left) - end], right[start : len(right) - end], most)


def _distance(left: str, right: str, most: int) -> int:
    """Do the same for words that begin and end differently: only cells near the diagonal count."""
    beyond = most + 1
    wide = len(right) + 1
    if abs(len(left) - len(right)) > most:
        return beyond
    before: list[int] = []
    row = list(range(wide))
    for at, letter in enumerate(left, 1):
        above, row = row, [beyond] * wide
        row[0] = least = at
        for to in range(max(1, at - most), min(wide, at + most + 1)):
            other = right[to - 1]
            cost = above[to - 1]
            if letter != other:
                cost = min(cost, above[to], row[to - 1]) + 1
                if at > 1 and to > 1 and letter == right[to - 2] and left[at - 2] == other:
                    cost = min(cost, before[to - 2] + 1)
            row[to] = cost
            least = min(least, cost)
        if least > most:
            return beyond
        before = above
    return min(row[-1], beyond)
