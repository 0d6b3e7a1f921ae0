"""Keep the mirror up to date: analyse memories whose id is stale. Runs in the caller's transaction."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

from clawa_search.memory.record import plain_text, plain_time
from clawa_search.memory.tags import parse
from indexer import analysis

BATCH = 2048
"""Memories analysed in one transaction, about half a second. Smaller ones cost more in all, since
each writes most pages of memories_df again."""

MAX_OPTIMISED = 5000
"""Memories up to which forgetting one also rewrites the full-text index: about 40 ms."""

_MAX_KNOWN = 2000
_words_of: dict[str, list[str]] = {}  # memories share few tags

# Rising ids: FTS5 writes a segment, and SQLite splits a page in the middle, whenever one falls.
_STALE = """SELECT s.id, m.id, m.ts, m.text, m.tags
FROM memories_stale s LEFT JOIN memories m ON m.id = s.id
WHERE s.id BETWEEN ? AND ? ORDER BY s.id LIMIT ?"""
_OLD = """SELECT id, text, code, tags, exact FROM memories_index
WHERE id IN (SELECT id FROM memories_stale WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?)"""
# A program that replaces by another unique column than the id deletes without a trigger.
_ORPHANS = """INSERT OR IGNORE INTO memories_stale SELECT id FROM memories_index
WHERE (SELECT rows FROM memories_state) != (SELECT count(*) FROM memories)
AND id NOT IN (SELECT id FROM memories)"""
# SQLite itself forgets an id that another program gave by an UPDATE, once its row is gone.
_NEVER_AGAIN = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'memories'"
_INSERT = "INSERT INTO memories_index VALUES (?, ?, ?, ?, ?, ?, ?)"
_UPDATE = """UPDATE memories_index SET text = ?, code = ?, tags = ?, exact = ?, tokens = ?, size = ?
WHERE id = ?"""
_CHANGE_DF = """INSERT INTO memories_df VALUES (?, ?, ?) ON CONFLICT(token)
DO UPDATE SET text = text + excluded.text, code = code + excluded.code"""
_DROP_DF = "DELETE FROM memories_df WHERE token = ? AND text <= 0 AND code <= 0"


class Analysed:
    """What the mirror holds of one memory.

    Attributes:
        text: tokens of the text, in order.
        code: its whole forms, each once.
        words: each tag and the tokens in it, in order.
        exact: its tags.
    """

    __slots__ = ("code", "exact", "text", "words")

    def __init__(self, text: str, tags: tuple[str, ...]) -> None:
        expanded, codes = analysis.analyse(text)
        self.text = analysis.analyzer().analyze(expanded)
        self.code = codes.split()
        self.words = tag_words(tags)
        self.exact = tags

    @property
    def size(self) -> int:
        return len(self.text) + len(self.code) + len(self.words) + len(self.exact)

    def columns(self) -> tuple[str, str, str, str]:
        return " ".join(self.text), " ".join(self.code), " ".join(self.words), " ".join(self.exact)


def tag_words(tags: Iterable[str]) -> list[str]:
    """Return what a query can find *tags* by: each as a whole, then the words in it."""
    words: list[str] = []
    for tag in tags:
        found = _words_of.get(tag)
        if found is None:
            if len(_words_of) >= _MAX_KNOWN:
                _words_of.clear()
            found = [tag, *(token for token in analysis.text_tokens(tag) if token != tag)]
            _words_of[tag] = found
        words += found
    return words


def refresh(con: sqlite3.Connection, limit: int = BATCH, only: int | None = None) -> int:
    """Bring the oldest *limit* stale memories up to date, or *only* one; return how many were."""
    span = (-(1 << 63), (1 << 63) - 1, limit) if only is None else (only, only, limit)
    rows = con.execute(_STALE, span).fetchall()
    if not rows:
        return 0
    con.execute(_NEVER_AGAIN, rows[-1][:1])
    old = {row[0]: row[1:] for row in con.execute(_OLD, span)}
    changes = _Changes()
    for stale, memory, ts, text, stored in rows:
        known = old.get(stale)
        if memory is None:
            changes.remove(stale, known)
            continue
        analysed = Analysed(plain_text(text), parse(stored))
        changes.put(stale, known, analysed)
        when = plain_time(ts)
        changes.tags += [(tag, when, stale) for tag in analysed.exact]
    changes.write(con, [row[:1] for row in rows])
    if only is None and len(rows) < limit:
        con.execute(_ORPHANS)
    return len(rows)


def drop_words(con: sqlite3.Connection) -> None:
    """Rewrite the full-text index, if it is small, so that words of deleted texts leave the file."""
    (rows,) = con.execute("SELECT rows FROM memories_state").fetchone()
    if rows <= MAX_OPTIMISED:
        con.execute("INSERT INTO memories_fts(memories_fts) VALUES ('optimize')")


_Columns = tuple[str, str, str, str]


class _Changes:
    """What one refresh does to the mirror."""

    def __init__(self) -> None:
        self._gone: list[tuple[int]] = []
        self._inserts: list[tuple[int | str, ...]] = []
        self._updates: list[tuple[int | str, ...]] = []
        self._df: dict[str, list[int]] = {}
        self.tags: list[tuple[str, int, int]] = []

    def remove(self, number: int, old: _Columns | None) -> None:
        self._gone.append((number,))
        self._count(old, -1)

    def put(self, number: int, old: _Columns | None, new: Analysed) -> None:
        columns = new.columns()
        if old == columns:
            return  # every change of the full-text index makes it grow
        self._count(old, -1)
        self._count(columns, 1)
        counts = (len(new.text), new.size)
        if old is None:
            self._inserts.append((number, *columns, *counts))
        else:
            self._updates.append((*columns, *counts, number))

    def _count(self, columns: _Columns | None, change: int) -> None:
        if columns is None:
            return
        text, code, words, _ = (column.split() for column in columns)
        for at, tokens in enumerate((text, code)):
            for token in {*tokens, *words}:
                self._df.setdefault(token, [0, 0])[at] += change

    def write(self, con: sqlite3.Connection, ids: list[tuple[int]]) -> None:
        con.executemany("DELETE FROM memories_index WHERE id = ?", self._gone)
        con.executemany(_UPDATE, self._updates)
        con.executemany(_INSERT, self._inserts)
        changed = [(token, df[0], df[1]) for token, df in sorted(self._df.items()) if any(df)]
        con.executemany(_CHANGE_DF, changed)
        fewer = [(token,) for token, text, code in changed if text < 0 or code < 0]
        con.executemany(_DROP_DF, fewer)
        con.executemany("DELETE FROM memories_tags WHERE id = ?", ids)
        con.executemany("INSERT INTO memories_tags VALUES (?, ?, ?)", self.tags)
        con.executemany("DELETE FROM memories_stale WHERE id = ?", ids)
