"""Every table of the memory database, and the steps that bring an older file up to date.

`memories` is the table that Pi's extension and other programs write with plain SQL. Whatever they
insert, update or delete, three triggers note the id in `memories_stale`; nothing else happens in
their statement, so it needs neither FTS5 nor JSON nor a function of ours, and cannot fail for us.

The mirror is what we make of a memory:
    memories_index  its tokens, one row a memory; `size` counts those of all columns
    memories_fts    the full-text index over memories_index, kept by triggers on that table
    memories_df     of every token, how many memories hold it: counting matches costs more than all
                    the rest of a search once they are thousands
    memories_tags   its tags with its time, so that "newest with a tag" is an index scan
    memories_state  one row: versions, and the sums over memories_index
A row of the mirror counts only while its id is not stale; a stale memory is read from `memories`
itself until `mirror.refresh` has caught up.
"""

from __future__ import annotations

import _sqlite3
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    import sqlite_utils

from clawa_search.errors import StoreError
from clawa_search.memory.condition import (
    AHEAD,
    CURRENT,
    NEWER,
    SCHEMA,
    TABLES,
    TRIGGERS,
    condition,
    newer,
)
from clawa_search.memory.connect import lacks_fts5
from clawa_search.memory.write_connection import begin
from indexer.version import ANALYSIS_VERSION

MIGRATIONS = "clawa-memory"
"""Name of our set of steps in sqlite-utils' table of applied migrations."""

NOTES = "_sqlite_migrations"
"""That table."""

BASE = (
    """CREATE TABLE memories (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      ts INTEGER NOT NULL,
      text TEXT NOT NULL,
      tags TEXT NOT NULL DEFAULT '[]'
    )""",
)
TS_INDEX = "CREATE INDEX IF NOT EXISTS memories_ts_idx ON memories(ts)"
COLUMNS = ("id", "ts", "text", "tags")

# Tokens hold no whitespace and are lower case already: FTS5 only has to split them at spaces.
_SIGNS = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())
_TOKENIZER = "ascii tokenchars '{}'".format(_SIGNS.replace("'", "''")).replace('"', '""')

_OLD = "old.id, old.text, old.code, old.tags, old.exact"
_NEW = "new.id, new.text, new.code, new.tags, new.exact"
_ADD = f"INSERT INTO memories_fts(rowid, text, code, tags, exact) VALUES ({_NEW});"
_REMOVE = (
    "INSERT INTO memories_fts(memories_fts, rowid, text, code, tags, exact)"
    f" VALUES ('delete', {_OLD});"
)
_COUNT = (
    "UPDATE memories_state SET rows = rows + {}, tokens = tokens + {}, size = size + {}"
    " WHERE one = 1;"
)
# WHERE NOT EXISTS, not OR IGNORE: the conflict clause of the outer statement would replace it.
_STALE = (
    "INSERT INTO memories_stale(id) SELECT {0}.id"
    " WHERE NOT EXISTS (SELECT 1 FROM memories_stale WHERE id = {0}.id);"
)

MIRROR = (
    """CREATE TABLE memories_state (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      schema INTEGER NOT NULL,
      analyser INTEGER NOT NULL,
      rows INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      size INTEGER NOT NULL
    )""",
    """CREATE TABLE memories_index (
      id INTEGER PRIMARY KEY,
      text TEXT NOT NULL,
      code TEXT NOT NULL,
      tags TEXT NOT NULL,
      exact TEXT NOT NULL,
      tokens INTEGER NOT NULL,
      size INTEGER NOT NULL
    )""",
    "CREATE TABLE memories_stale (id INTEGER PRIMARY KEY)",
    """CREATE TABLE memories_df (
      token TEXT PRIMARY KEY, text INTEGER NOT NULL, code INTEGER NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE memories_tags (
      tag TEXT NOT NULL, ts INTEGER NOT NULL, id INTEGER NOT NULL,
      PRIMARY KEY (tag, ts, id)
    ) WITHOUT ROWID""",
    "CREATE INDEX memories_tags_id_idx ON memories_tags(id)",
    f"""CREATE VIRTUAL TABLE memories_fts USING fts5(
      text, code, tags, exact,
      content='memories_index', content_rowid='id', tokenize="{_TOKENIZER}"
    )""",
    f"""CREATE TRIGGER memories_index_insert AFTER INSERT ON memories_index BEGIN
      {_ADD} {_COUNT.format(1, "new.tokens", "new.size")}
    END""",
    f"""CREATE TRIGGER memories_index_update AFTER UPDATE ON memories_index BEGIN
      {_REMOVE} {_ADD} {_COUNT.format(0, "new.tokens - old.tokens", "new.size - old.size")}
    END""",
    f"""CREATE TRIGGER memories_index_delete AFTER DELETE ON memories_index BEGIN
      {_REMOVE} {_COUNT.format(-1, "-old.tokens", "-old.size")}
    END""",
    "INSERT INTO memories_stale(id) SELECT id FROM memories",
)

TRIGGER_SQL = (
    f"CREATE TRIGGER {TRIGGERS[0]} AFTER INSERT ON memories BEGIN {_STALE.format('new')} END",
    f"""CREATE TRIGGER {TRIGGERS[1]} AFTER UPDATE ON memories
      WHEN old.id IS NOT new.id OR old.ts IS NOT new.ts
        OR old.text IS NOT new.text OR old.tags IS NOT new.tags
      BEGIN {_STALE.format("old")} {_STALE.format("new")} END""",
    f"CREATE TRIGGER {TRIGGERS[2]} AFTER DELETE ON memories BEGIN {_STALE.format('old')} END",
)
"""The triggers on `memories`; they are lost when another program drops that table."""


def migrate(con: sqlite3.Connection, path: str, now_ms: int, wait_s: float) -> None:
    """Bring the file up to date in one transaction; a copy of it is made before that.

    Args:
        con: a connection outside of a transaction.
        path: its file.
        now_ms: the time for the name of the copy.
        wait_s: how long to wait for another program that holds the lock.

    Without FTS5 in this SQLite, only `memories` itself is brought up to date.

    Raises:
        StoreError: a newer clawa-search made the mirror, or `memories` is another program's table.
        sqlite3.Error, OSError: nothing was changed.
    """
    import sqlite_utils.migrations  # noqa: F401  (180 ms, which nobody shall wait for below)

    con.execute("PRAGMA foreign_keys = OFF")
    begin(con, wait_s)
    try:
        _migrate(con, path, now_ms)
        con.execute("COMMIT")
    except BaseException:
        if con.in_transaction:
            con.execute("ROLLBACK")
        raise


def _migrate(con: sqlite3.Connection, path: str, now_ms: int) -> None:
    from clawa_search.memory.copy import back_up

    needs = condition(con)  # another process may have been faster
    if needs == NEWER:
        raise newer(path)
    if needs in (CURRENT, AHEAD):
        return
    _refuse_others(con, path)
    copy = back_up(path, now_ms) if _will_rebuild(con) else ""
    try:
        _apply(con, path)
    except BaseException:
        if copy:  # nothing was changed, and the next reader tries again
            os.unlink(copy)
        raise


def _refuse_others(con: sqlite3.Connection, path: str) -> None:
    """Leave a file alone in which another program's table has the name of one of ours.

    Raises:
        StoreError: it has.
    """
    scratch = _sqlite3.connect(":memory:")
    try:
        for statement in MIRROR:
            if statement.startswith("CREATE TABLE"):
                scratch.execute(statement)
                table = statement.split()[2]
                ours = _names(scratch, table)
            elif statement.startswith("CREATE VIRTUAL TABLE"):
                table, ours = "memories_fts", {"text", "code", "tags", "exact"}
            else:
                continue
            found = _names(con, table)
            if found and found != ours:
                raise StoreError(
                    f"{path}: the table {table} is another program's",
                    hint="rename it, or set --home to another folder; nothing was changed",
                )
    finally:
        scratch.close()


def _names(con: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of *table*; none when it is missing, or a damaged mirror."""
    try:
        return {row[1] for row in con.execute(f"PRAGMA table_info({table})")}
    except _sqlite3.DatabaseError:
        return set()


def _will_rebuild(con: sqlite3.Connection) -> bool:
    from clawa_search.memory.rebuild import is_numbered_for_ever

    found = con.execute(
        "SELECT sql FROM sqlite_master WHERE name = 'memories' AND type = 'table'"
    ).fetchone()
    if found is None or is_numbered_for_ever(found[0]):
        return False
    return con.execute("SELECT 1 FROM memories LIMIT 1").fetchone() is not None


def _apply(con: sqlite3.Connection, path: str) -> None:
    """Run the named steps that this file has not seen, and those whose result is gone."""
    import sqlite_utils
    from sqlite_utils.migrations import Migrations

    database = sqlite_utils.Database(con, recursive_triggers=False, execute_plugins=False)
    steps = Migrations(MIGRATIONS)

    @steps(name="0001_ids_are_never_reused")
    def memories(db: sqlite_utils.Database, /) -> None:
        from clawa_search.memory.rebuild import number_for_ever

        number_for_ever(db, path)

    @steps(name="0002_mirror")
    def mirror(db: sqlite_utils.Database, /) -> None:
        build_mirror(db.conn)

    steps.ensure_migrations_table(database)
    con.execute(
        f"DELETE FROM {steps.migrations_table} WHERE migration_set = ?", (MIGRATIONS,)
    )  # a dropped table takes its step along: every step looks itself what is left to do
    try:
        steps.apply(database)
    except _sqlite3.OperationalError as error:
        if not lacks_fts5(error):
            raise


def build_mirror(con: sqlite3.Connection) -> None:
    """Make an empty mirror, replacing whatever is there; every memory is stale after it."""
    for table in TABLES:
        con.execute(f"DROP TABLE IF EXISTS {table}")
    for name in TRIGGERS:
        con.execute(f"DROP TRIGGER IF EXISTS {name}")
    for statement in (*MIRROR, *TRIGGER_SQL):
        con.execute(statement)
    con.execute("INSERT INTO memories_state VALUES (1, ?, ?, 0, 0, 0)", (SCHEMA, ANALYSIS_VERSION))


def forget_mirror(con: sqlite3.Connection) -> None:
    """Take the mirror out of the schema without reading its pages: they may be damaged.

    The index on the time goes as well, and sqlite-utils' notes on applied steps if they cannot be
    read: the next `migrate` makes both anew, as each step looks itself what is left to do.
    https://sqlite.org/pragma.html#pragma_writable_schema
    """
    names = {*TABLES, *TRIGGERS, "memories_ts_idx"}
    if not _can_read(con, NOTES):
        names.add(NOTES)
    listed = ", ".join(f"'{name}'" for name in sorted(names))
    begin(con)
    con.execute("PRAGMA writable_schema = ON")
    try:
        con.execute(
            f"DELETE FROM sqlite_master WHERE name IN ({listed})"
            f" OR tbl_name GLOB 'memories_fts_*' OR tbl_name IN ({listed})"
        )
        con.execute("COMMIT")
    finally:
        if con.in_transaction:
            con.execute("ROLLBACK")
        con.execute("PRAGMA writable_schema = RESET")


def _can_read(con: sqlite3.Connection, table: str) -> bool:
    try:  # a table that is not there gives no row
        return con.execute(f"PRAGMA quick_check({table})").fetchone() in (None, ("ok",))
    except _sqlite3.DatabaseError:
        return False
