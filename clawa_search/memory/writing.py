"""Change memories. Every function runs in the caller's transaction and leaves the mirror right."""

from __future__ import annotations

import _sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

from clawa_search.errors import InvalidInputError, NotFoundError, StoreError
from clawa_search.memory import tags as tag_rule
from clawa_search.memory.record import MEMORY, Memory, read
from indexer.formats.parse import clean as storable

MAX_CHARACTERS = 100_000
"""A memory is a short fact; what is longer than this is a file."""

_ONE = f"SELECT {MEMORY} FROM memories WHERE id = ?"
_INSERT = "INSERT INTO memories (ts, text, tags) VALUES (?, ?, ?)"
_HAS_STALE = "SELECT 1 FROM sqlite_master WHERE name = 'memories_stale'"
# SQLite itself forgets an id that another program gave by an UPDATE, once its row is gone.
_NEVER_AGAIN = """UPDATE sqlite_sequence
SET seq = max(seq, (SELECT coalesce(max(id), 0) FROM memories_stale)) WHERE name = 'memories'"""
_UPDATE = "UPDATE memories SET ts = ?, text = ?, tags = ? WHERE id = ?"
_UPDATE_TAGS = "UPDATE memories SET ts = ?, tags = ? WHERE id = ?"
_LAST_ID = (1 << 63) - 1
# Where another program gave the last id there is, and it was deleted: no other one is used again.
_GO_BACK = """UPDATE sqlite_sequence
SET seq = (SELECT coalesce(max(id), 0) FROM memories) WHERE name = 'memories' AND seq = ?"""


def clean(text: str) -> str:
    """Return *text* as it is stored: without space at the ends, every character storable.

    NUL and lone surrogates become U+FFFD: SQLite's own functions end a text at a NUL, and UTF-8
    has no lone surrogates.

    Raises:
        InvalidInputError: it is longer than MAX_CHARACTERS.
    """
    text = text.strip()
    if len(text) > MAX_CHARACTERS:
        raise InvalidInputError(
            f"the text has {len(text):,} characters; a memory has at most {MAX_CHARACTERS:,}",
            hint="remember the fact and where the long text lies",
        )
    return storable(text).replace("\0", "\ufffd")


def find(con: sqlite3.Connection, number: int) -> Memory | None:
    """Return the memory of that id."""
    if not -(1 << 63) <= number < 1 << 63:
        return None
    row = con.execute(_ONE, (number,)).fetchone()
    return read(row) if row else None


def create(con: sqlite3.Connection, now_ms: int, text: str, tags: Iterable[str] | None) -> int:
    """Store a new memory; return its id."""
    stored = tag_rule.dump(tag_rule.normalise(tags or ()))
    if con.execute(_HAS_STALE).fetchone():
        con.execute(_NEVER_AGAIN)
    values = (now_ms, text, stored)
    try:
        number = con.execute(_INSERT, values).lastrowid
    except _sqlite3.OperationalError as error:
        # SQLite tells of a last id that is taken as it does of a full disk.
        if con.execute("SELECT 1 FROM memories WHERE id = ?", (_LAST_ID,)).fetchone():
            why = f"no id is left: another program gave #{_LAST_ID}"
            raise StoreError(why, hint="give that memory another id, or delete it") from error
        if not con.execute(_GO_BACK, (_LAST_ID,)).rowcount:
            raise
        number = con.execute(_INSERT, values).lastrowid
    assert number is not None
    return number


def update(
    con: sqlite3.Connection,
    now_ms: int,
    number: int,
    text: str | None,
    tags: Iterable[str] | None,
) -> bool:
    """Change a memory; return whether anything changed. What is None stays as it is.

    Raises:
        NotFoundError: there is no memory of that id.
    """
    memory = known(con, number)
    given = tag_rule.several(tags or ())
    wanted = tag_rule.normalise(given)
    if tags is None or (given and not wanted):  # what cannot be kept must not clear the others
        wanted = memory.tags
    if text in (None, memory.text) and wanted == memory.tags:
        return False
    if text is None:  # as another program wrote it, perhaps: not even read and written
        con.execute(_UPDATE_TAGS, (now_ms, tag_rule.dump(wanted), number))
        return True
    con.execute(_UPDATE, (now_ms, text, tag_rule.dump(wanted), number))
    return True


def delete(con: sqlite3.Connection, number: int) -> None:
    """Delete a memory.

    Raises:
        NotFoundError: there is no memory of that id.
    """
    known(con, number)
    con.execute("DELETE FROM memories WHERE id = ?", (number,))


def known(con: sqlite3.Connection, number: int) -> Memory:
    """Return the memory of that id, or raise NotFoundError."""
    memory = find(con, number)
    if memory is None:
        raise unknown(number)
    return memory


def unknown(number: int | str) -> NotFoundError:
    """Return the error for an id that no memory has."""
    return NotFoundError(
        f"there is no memory #{number}", hint="`clawa-search recall` lists memories with their ids"
    )
