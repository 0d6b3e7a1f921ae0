"""Give an existing table `memories` ids that are never used twice, and lose nothing of it.

SQLite cannot add AUTOINCREMENT to a table, so the table is copied: the same columns, constraints,
ids, values, indexes, triggers and views, in the caller's transaction.
"""

from __future__ import annotations

import re
import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite_utils import Database

from clawa_search.errors import StoreError
from clawa_search.memory.schema import BASE, COLUMNS, TS_INDEX

_COPY = "memories_rebuilt"
_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]"
_COMMENT = re.compile(rf"({_QUOTED})|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NAME = re.compile(rf"\A\s*CREATE\s+TABLE\s+(?:{_QUOTED}|\w+)", re.IGNORECASE)
_KEY = re.compile(
    r"\bPRIMARY\s+KEY\b(?:\s*\(\s*(?:\"id\"|\[id\]|`id`|id)(?=\s*\)))?"
    r"(?:\s+ASC\b)?(?:\s+ON\s+CONFLICT\s+\w+)?",
    re.IGNORECASE,
)


def number_for_ever(db: Database, path: str) -> None:
    """Make `memories` if there is none, else rebuild it unless it has AUTOINCREMENT already.

    Raises:
        StoreError: `memories` has not the columns id, ts, text and tags, with id as its key.
    """
    con = db.conn
    found = con.execute("SELECT type, sql FROM sqlite_master WHERE name = 'memories'").fetchone()
    if found is None:
        for statement in BASE:
            con.execute(statement)
    elif found[0] != "table":
        raise _foreign(path)
    else:
        if not is_numbered_for_ever(found[1]):
            _rebuild(con, _without_comments(found[1]), path)
        elif not set(COLUMNS) <= {str(column[1]) for column in _columns(con, "memories")}:
            raise _foreign(path)
    con.execute(TS_INDEX)


def is_numbered_for_ever(sql: str) -> bool:
    """Does the statement *sql* make a table that never uses an id twice?"""
    return bool(re.search(r"\bAUTOINCREMENT\b", _without_comments(sql), re.IGNORECASE))


def _without_comments(sql: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or " ", sql)


def _rebuild(con: sqlite3.Connection, sql: str, path: str) -> None:
    columns = _columns(con, "memories")
    plain = [
        '"{}"'.format(str(column[1]).replace('"', '""')) for column in columns if not column[6]
    ]
    keys = [column[1] for column in columns if column[5]]
    if keys != ["id"] or not set(COLUMNS) <= {column[1] for column in columns}:
        raise _foreign(path)
    attached = con.execute(
        "SELECT sql FROM sqlite_master WHERE tbl_name = 'memories'"
        " AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, name"
    ).fetchall()
    sql = _NAME.sub(f"CREATE TABLE {_COPY}", sql, count=1)
    sql = _KEY.sub(lambda match: f"{match[0]} AUTOINCREMENT", sql, count=1)
    # Views and foreign keys name the table; without this, renaming would rewrite or refuse them.
    con.execute("PRAGMA legacy_alter_table = ON")
    try:
        _create(con, sql, path)
        if _columns(con, _COPY) != columns:
            raise _foreign(path)
        names = ", ".join(plain)
        con.execute(f"INSERT INTO {_COPY} ({names}) SELECT {names} FROM memories ORDER BY id")
        con.execute("DROP TABLE memories")
        con.execute(f"ALTER TABLE {_COPY} RENAME TO memories")
        for (statement,) in attached:
            con.execute(statement)
    finally:
        con.execute("PRAGMA legacy_alter_table = OFF")


def _create(con: sqlite3.Connection, sql: str, path: str) -> None:
    try:
        con.execute(sql)
    except sqlite3.OperationalError as error:  # AUTOINCREMENT does not fit its key
        raise _foreign(path) from error


def _columns(con: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    return con.execute(f"PRAGMA table_xinfo({table})").fetchall()


def _foreign(path: str) -> StoreError:
    return StoreError(
        f"{path}: the table memories is not ours: it needs the columns id (INTEGER PRIMARY KEY),"
        " ts, text and tags",
        hint="move the file away, or set --home to another folder; nothing was changed",
    )
