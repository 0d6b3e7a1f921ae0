"""The tokens of everything in scope, asked for piece by piece."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clawa_search.memory.store import MemoryStore
    from clawa_search.search.fresh import FreshFile
    from clawa_search.search.sessions import SessionIndex

MAX_TERMS = 50
MAX_VOCABULARY = 5000
MAX_FRESH_CHARS = 8 << 20
"""Of text that is not indexed, the newest first: about a second's work, and hardly ever so much."""
FEW_FRESH_CHARS = 1 << 20
"""Of so little every entry is analysed anyway."""
TWO_MISTAKES_FROM = 8


class Vocabulary:
    """The tokens of everything in scope, asked for piece by piece.

    Attributes:
        cut: not all that is unindexed was looked at.
        missed: notes on wildcards that stand for more words than were looked for.
        is_partial: so much is not indexed that `counts` leaves it out.
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
        size = sum(len(entry.entry.text) for file in files for entry in file.entries)
        self.is_partial = size > FEW_FRESH_CHARS
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

    def knows(self, tokens: Iterable[str]) -> bool:
        """Does the index hold each of *tokens*?"""
        index = self._index
        return index is not None and all(index.df("text", token) for token in tokens)

    def unknown(self, tokens: Iterable[str]) -> set[str]:
        """Return those of *tokens* that nothing in scope holds, as far as that is certain."""
        left = {token for token, count in self._counts(tokens).items() if not count}
        if left:
            left -= self._fresh_tokens()
        return set() if self.cut else left

    def counts(self, tokens: Iterable[str], field: str = "text") -> dict[str, int]:
        """Return how many entries hold each of *tokens* in *field*.

        If none does, how many memories. Of what is not indexed only a little is looked at, see
        `is_partial`.
        """
        counts = self._counts(tokens, field)
        if self._files and not self.is_partial and field == "text":
            for token in self._fresh_tokens() & counts.keys():
                counts[token] += 1
        return counts

    def _counts(self, tokens: Iterable[str], field: str = "text") -> dict[str, int]:
        df = self._index.df if self._index is not None else lambda _field, _token: 0
        counts = {token: df(field, token) for token in tokens}
        left = [token for token, count in counts.items() if not count]
        if left and self._memories is not None:
            counts |= self._memories.document_frequencies(left, field)
        return counts

    def beginning(self, prefix: str) -> list[str]:
        """Return tokens that begin with *prefix*, one more than MAX_TERMS if there are so many."""
        from itertools import zip_longest

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
        from clawa_search.search.distance import distance

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
