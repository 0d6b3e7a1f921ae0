"""Memories by time, by tags and by literal text: index scans, no ranking."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

from clawa_search.memory.record import END_OF_TIME, MEMORY, Memory, read
from clawa_search.memory.terms import span

SCAN_ROWS = 20_000
"""Memories that are looked at, newest first, where no index helps: about 1 us each."""

_NEWEST = f"""SELECT {MEMORY} FROM memories WHERE ts > {-END_OF_TIME} AND ts < {END_OF_TIME}
ORDER BY ts DESC, id DESC LIMIT ?"""
# SQLite sorts what is no number (another program wrote it) above every number.
_TIMELESS = f"""SELECT {MEMORY} FROM memories WHERE ts IS NULL OR ts <= {-END_OF_TIME}
OR ts >= {END_OF_TIME} ORDER BY id DESC LIMIT ?"""
_BETWEEN = f"""SELECT {MEMORY} FROM memories WHERE ts >= ? AND ts <= ?
ORDER BY ts DESC, id DESC LIMIT ?"""
_TAGGED = """SELECT id FROM memories_tags t WHERE tag = ? AND ts >= ? AND ts <= ?
AND id NOT IN (SELECT id FROM memories_stale)
AND EXISTS (SELECT 1 FROM memories WHERE id = t.id) {} ORDER BY ts DESC, id DESC LIMIT ?"""
_ALSO_TAGGED = """AND EXISTS
(SELECT 1 FROM memories_tags WHERE tag = ? AND ts = t.ts AND id = t.id)"""
_TAG_COUNT = "SELECT count(*) FROM (SELECT 1 FROM memories_tags WHERE tag = ? LIMIT 4096)"
_STALE = f"""SELECT {MEMORY} FROM memories
WHERE id IN (SELECT id FROM memories_stale ORDER BY id DESC LIMIT 4096)"""
_SCAN = f"SELECT {MEMORY} FROM memories {{}} ORDER BY ts DESC, id DESC LIMIT ?"
_LITERAL = f"SELECT * FROM ({_SCAN}) WHERE instr(text, ?) > 0"
_IN_TIME = "WHERE ts >= ? AND ts <= ?"


def newest(
    con: sqlite3.Connection, limit: int, since_ms: int | None, until_ms: int | None
) -> list[Memory]:
    """Return the newest memories of a time; without one, those of unknown time come last."""
    if since_ms is None and until_ms is None:
        rows = con.execute(_NEWEST, (limit,)).fetchall()
        if len(rows) < limit:
            rows += con.execute(_TIMELESS, (limit - len(rows),)).fetchall()
        return [read(row) for row in rows]
    return [read(row) for row in con.execute(_BETWEEN, (*span(since_ms, until_ms), limit))]


def tagged(
    con: sqlite3.Connection,
    limit: int,
    tags: tuple[str, ...],
    since_ms: int | None,
    until_ms: int | None,
) -> list[Memory]:
    """Return the newest memories with all *tags*, from the rarest tag's own index."""
    first, last = span(since_ms, until_ms)
    if len(tags) > 1:
        tags = tuple(sorted(tags, key=lambda tag: con.execute(_TAG_COUNT, (tag,)).fetchone()[0]))
    sql = _TAGGED.format(_ALSO_TAGGED * (len(tags) - 1))
    ids = [row[0] for row in con.execute(sql, (tags[0], first, last, *tags[1:], limit))]
    marks = ",".join("?" * len(ids))
    rows = con.execute(f"SELECT {MEMORY} FROM memories WHERE id IN ({marks})", ids).fetchall()
    rows += con.execute(_STALE).fetchall()
    found = [memory for memory in map(read, rows) if set(tags) <= set(memory.tags)]
    found = [memory for memory in found if first <= memory.ts_ms <= last]
    return sorted(found, key=lambda memory: (-memory.ts_ms, -memory.id))[:limit]


def scanned(
    con: sqlite3.Connection,
    limit: int,
    tags: tuple[str, ...],
    since_ms: int | None,
    until_ms: int | None,
) -> list[Memory]:
    """Return the same without a mirror, of the newest SCAN_ROWS."""
    where, bounds = _time(since_ms, until_ms)
    return _first(con.execute(_SCAN.format(where), (*bounds, SCAN_ROWS)), limit, tags)


def literal(
    con: sqlite3.Connection,
    text: str,
    limit: int,
    tags: tuple[str, ...],
    since_ms: int | None,
    until_ms: int | None,
) -> list[Memory]:
    """Return the newest memories with *text* in them, of the newest SCAN_ROWS."""
    where, bounds = _time(since_ms, until_ms)
    return _first(con.execute(_LITERAL.format(where), (*bounds, SCAN_ROWS, text)), limit, tags)


def _time(since_ms: int | None, until_ms: int | None) -> tuple[str, tuple[int, ...]]:
    """Return the condition of a time; none when all memories are meant, those without one as well."""
    if since_ms is None and until_ms is None:
        return "", ()
    return _IN_TIME, span(since_ms, until_ms)


def _first(rows: Iterable[Sequence[object]], limit: int, tags: tuple[str, ...]) -> list[Memory]:
    """Return the first *limit* memories of *rows* that have all *tags*."""
    found: list[Memory] = []
    wanted = set(tags)
    for row in rows:
        memory = read(row)
        if wanted <= set(memory.tags):
            found.append(memory)
            if len(found) == limit:
                break
    return found
