"""The memories of one home: read by recall, written by remember and forget."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Literal, Self

    from clawa_search.memory.candidates import Candidates
    from indexer.analysis import Word

    Action = Literal["created", "updated", "deleted", "unchanged"]

from clawa_search.memory.connect import check_regular, store_error
from clawa_search.memory.database import Database
from clawa_search.memory.record import Memory
from clawa_search.memory.tags import cleaned

__all__ = ["Memory", "MemoryStore"]

OWN_REFRESH = 512
"""Memories of other programs that one write of ours brings up to date at most."""

FEW = 1000
"""Memories of which all tokens are looked through."""
_TERMS = """SELECT token FROM memories_df WHERE token >= ? AND token < ? AND text > 0
AND length(token) BETWEEN ? AND ? ORDER BY text DESC LIMIT ?"""


def now_ms() -> int:
    """Return the time of day in Unix ms."""
    return time.time_ns() // 1_000_000


class MemoryStore:
    """Memories with ids in one SQLite file, which other programs may write at any time.

    Nothing is opened before it is needed. A file that is not there has no memories; the first
    `remember` makes it. Every method raises StoreError when the file cannot be read or written,
    and then nothing was changed.
    """

    def __init__(self, path: str, *, clock: Callable[[], int] = now_ms) -> None:
        self._clock = clock
        self._database = Database(path, clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> str:
        return self._database.path

    @property
    def database(self) -> Database:
        """The file, for `care`."""
        return self._database

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._database.close()

    def exists(self) -> bool:
        """Tell whether there is a file.

        Raises:
            StoreError: there may be one that cannot be reached.
        """
        try:
            check_regular(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise store_error(self.path, error) from error
        return True

    def remember(
        self, text: str | None, *, memory_id: int | None = None, tags: Iterable[str] | None = None
    ) -> tuple[Action, int]:
        """Store a new memory, or change the one of *memory_id*; return what happened and its id.

        Args:
            text: space at its ends goes; NUL and lone surrogates become U+FFFD; at most 100,000
                characters. Empty with *memory_id*: the memory is deleted. None: it stays.
            memory_id: the memory to change. Its time becomes now, unless nothing changed.
            tags: None keeps those of a memory that is changed; empty clears them.

        Raises:
            InvalidInputError: an empty text without *memory_id*, or too long a text.
            NotFoundError: there is no memory of that id.
        """
        from clawa_search.errors import InvalidInputError
        from clawa_search.memory import writing

        if text is not None:
            text = writing.clean(text)
        if memory_id is not None and text == "":
            return self.forget(memory_id)
        if memory_id is None and not text:
            raise InvalidInputError("a memory needs a text", hint="say what to remember")
        if memory_id is not None and not self.exists():
            raise writing.unknown(memory_id)
        with self._database.writing() as con:
            action: Action = "created"
            if memory_id is None:
                memory_id = writing.create(con, self._clock(), text or "", tags)
            elif writing.update(con, self._clock(), memory_id, text, tags):
                action = "updated"
            else:
                return "unchanged", memory_id
            self._database.catch_up(con, OWN_REFRESH, own=memory_id)
        return action, memory_id

    def forget(self, memory_id: int) -> tuple[Action, int]:
        """Delete a memory; its id is never used again.

        In a store of up to 5,000 memories its words leave the file as well; in a larger one, or
        while another program reads it, they may stay where nothing finds them, until `repair`.

        Raises:
            NotFoundError: there is no memory of that id.
        """
        from clawa_search.memory import writing

        if not self.exists():
            raise writing.unknown(memory_id)
        with self._database.writing() as con:
            writing.delete(con, memory_id)
            self._database.catch_up(con, OWN_REFRESH, own=memory_id, drop_words=True)
        self._database.overwrite()
        return "deleted", memory_id

    def refresh(self) -> int:
        """Index what other programs wrote; return how many memories. Searches do not need it."""
        if not self.exists():
            return 0
        return self._database.refresh_all()

    def get(self, memory_id: int) -> Memory | None:
        """Return the memory of that id."""
        from clawa_search.memory.writing import find

        with self._database.reading() as con:
            return find(con, memory_id) if con else None

    def newest(
        self,
        limit: int,
        tags: Iterable[str] = (),
        since_ms: int | None = None,
        until_ms: int | None = None,
    ) -> list[Memory]:
        """Return the memories last written, newest first, that have all *tags*.

        Args:
            limit: how many, 1 or more.
            tags: normalised as those of memories are.
            since_ms, until_ms: Unix ms, both included.
        """
        from clawa_search.memory import listing

        wanted = cleaned(tags)
        with self._database.reading(mirror=bool(wanted)) as con:
            if con is None:
                return []
            if not wanted:
                return listing.newest(con, limit, since_ms, until_ms)
            asked = (con, limit, wanted, since_ms, until_ms)
            return self._database.search(
                lambda: listing.tagged(*asked), lambda: listing.scanned(*asked)
            )

    def candidates(
        self,
        words: Iterable[Word],
        *,
        phrases: Iterable[Word] = (),
        excluded: Iterable[Word] = (),
        tags: Iterable[str] = (),
        since_ms: int | None = None,
        until_ms: int | None = None,
        whole: Iterable[Word] = (),
        limit: int = 50,
        exact: int = 10,
    ) -> Candidates:
        """Return the memories that match best, and what a caller needs to score them itself.

        Args:
            words: any of them makes a match; with *phrases* they only lift it.
            phrases: each has one whole form, or tokens that follow one another; all must stand
                in the text or the tags.
            excluded: the same, of which none may.
            tags: all of them must be there, exactly.
            since_ms, until_ms: Unix ms, both included.
            whole: some of *words*; the newest memories that hold all of these are among the rows
                in any case.
            limit: how many rows, 1 or more.
            exact: how many of the first rows must be the best there are; the others may lack
                memories that hold only common words.
        """
        from clawa_search.memory.candidates import Candidates, find, scan
        from clawa_search.memory.terms import Wanted, exact_term, others_of, terms_of

        words = list(words)
        wanted = Wanted(terms_of(words), limit, exact)
        wanted.must = list(map(exact_term, phrases))
        wanted.excluded = list(map(exact_term, excluded))
        wanted.others = others_of(words, wanted.terms)
        known = {(term.code, term.tokens): term for term in wanted.terms + wanted.other_terms}
        wanted.whole = [
            [known[False, tokens] for tokens, _ in word.written]
            + [known[True, (code,)] for code in word.codes]
            for word in whole
        ]
        wanted.tags = cleaned(tags)
        wanted.since, wanted.until = since_ms, until_ms
        with self._database.reading(mirror=True) as con:
            if con is None or not (wanted.terms or wanted.must or wanted.others):
                return Candidates()
            answer = self._database.search(
                lambda: find(con, self._database.state(con), wanted, words),
                lambda: scan(con, wanted, words),
            )
        if not self._database.mirrored:
            answer.notes.append(
                f"{self.path}: searched without its index: {self._database.why_not}"
            )
        return answer

    def literal(
        self,
        text: str,
        limit: int,
        *,
        tags: Iterable[str] = (),
        since_ms: int | None = None,
        until_ms: int | None = None,
    ) -> list[Memory]:
        """Return memories that hold *text* as it stands, newest first, of the newest 20,000."""
        from clawa_search.memory import listing

        if not text:
            return []
        with self._database.reading() as con:
            if con is None:
                return []
            return listing.literal(con, text, limit, cleaned(tags), since_ms, until_ms)

    def document_frequencies(self, tokens: Sequence[str], field: str = "text") -> dict[str, int]:
        """Return how many memories hold each of *tokens* in *field* or in their tags.

        Args:
            tokens: of the analyser.
            field: `text` or `code`.
        """
        from clawa_search.memory.candidates import count
        from clawa_search.memory.terms import Term

        terms = [Term((token,), code=field == "code") for token in tokens]
        with self._database.reading(mirror=True) as con:
            if con is not None:
                self._database.search(
                    lambda: count(con, self._database.state(con), terms),
                    lambda: count(con, None, terms),
                )
        return {token: term.df for token, term in zip(tokens, terms, strict=True)}

    def terms(
        self, prefix: str, limit: int, *, shortest: int = 0, longest: int = 1 << 16
    ) -> list[str]:
        """Return text tokens of memories that begin with *prefix*, the most frequent first.

        Some of them may be of memories that another program changed since. An empty *prefix* gives
        them all, but of more than FEW memories none: that takes 16 ms for 10,000.

        Args:
            shortest, longest: characters that they have.
        """
        from clawa_search.memory.candidates import fresh_tokens

        span = (prefix, prefix + "\U0010ffff", shortest, longest, limit)
        with self._database.reading(mirror=True) as con:
            if con is None:
                return []

            def mirrored() -> tuple[list[str], set[str]]:
                state = self._database.state(con)
                many = not prefix and state.rows > FEW
                rows = [] if many else con.execute(_TERMS, span)
                return [str(row[0]) for row in rows], fresh_tokens(con, state)

            known, fresh = self._database.search(mirrored, lambda: ([], fresh_tokens(con, None)))
        begins = [token for token in sorted(fresh) if token.startswith(prefix)]
        found = [token for token in begins if shortest <= len(token) <= longest]
        return list(dict.fromkeys(known + found))[:limit]

    def count(self) -> int:
        """Return how many memories there are."""
        with self._database.reading() as con:
            return int(con.execute("SELECT count(*) FROM memories").fetchone()[0]) if con else 0

    def version(self) -> int | None:
        """Return the version of the mirror's tables; None when there is no mirror."""
        from clawa_search.memory.condition import version

        with self._database.reading() as con:
            return version(con) if con else None

    def integrity(self) -> list[str]:
        """Return what is wrong with the file, the mirror or the index; nothing if all is well."""
        from clawa_search.memory.care import problems

        return problems(self._database)

    def repair(self) -> str:
        """Make the mirror anew from the memories; return the copy of the file made before that."""
        from clawa_search.memory.care import repair

        return repair(self._database, self._clock())
