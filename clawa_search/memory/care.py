"""Is the memory database sound, and what to do if not. For `doctor`; never part of a search."""

from __future__ import annotations

import _sqlite3
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

    from clawa_search.memory.database import Database

from clawa_search.errors import StoreError
from clawa_search.memory import connect
from clawa_search.memory.condition import CURRENT, MISSING, OUTDATED, condition, newer
from clawa_search.memory.copy import back_up
from clawa_search.memory.schema import build_mirror, forget_mirror
from clawa_search.memory.write_connection import begin

_ERRORS = (_sqlite3.Error, OSError)
_FTS_CHECK = "INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)"
_COMPARED = {
    "memories without a row in the mirror": """SELECT count(*) FROM memories
        WHERE id NOT IN (SELECT id FROM memories_index)
        AND id NOT IN (SELECT id FROM memories_stale)""",
    "rows of the mirror without a memory": """SELECT count(*) FROM memories_index
        WHERE id NOT IN (SELECT id FROM memories) AND id NOT IN (SELECT id FROM memories_stale)""",
    "tags that their memory does not have": """SELECT count(*) FROM memories_tags t
        WHERE t.id NOT IN (SELECT id FROM memories_stale) AND NOT EXISTS (
          SELECT 1 FROM memories_index WHERE id = t.id
          AND instr(' ' || exact || ' ', ' ' || t.tag || ' ') > 0)""",
    "memories whose tags cannot all be found": """SELECT count(*) FROM memories_index i
        WHERE i.id NOT IN (SELECT id FROM memories_stale)
        AND length(exact) - length(replace(exact, ' ', '')) + (exact != '') !=
          (SELECT count(*) FROM memories_tags WHERE id = i.id)""",
    "sums that are wrong": """SELECT count(*) FROM memories_state WHERE (rows, tokens, size) !=
        (SELECT count(*), coalesce(sum(tokens), 0), coalesce(sum(size), 0) FROM memories_index)""",
}


def problems(database: Database) -> list[str]:
    """Return what is wrong, in words; nothing when all is well or there is no file.

    Raises:
        StoreError: what is wrong is nothing that `repair` could mend.
    """
    try:
        connect.check_regular(database.path)
        con, _ = connect.open_reader(database.path)
    except FileNotFoundError:
        return []
    except _ERRORS as error:
        raise connect.store_error(database.path, error) from error
    try:
        found = _lost_pages(con)
        needs = condition(con)
        if needs == OUTDATED:
            found.append("the mirror is missing, incomplete or of an older version")
        elif needs not in (CURRENT, MISSING):
            raise newer(database.path)
        if needs == CURRENT:
            for what, sql in _COMPARED.items():
                count = con.execute(sql).fetchone()[0]
                if count:
                    found.append(f"{what}: {count}")
            if not _frequencies_hold(con):
                found.append("the frequencies of tokens are wrong")
    except _ERRORS as error:
        return [str(connect.store_error(database.path, error))]
    finally:
        con.close()
    return found + (_full_text(database) if needs == CURRENT else [])


def _lost_pages(con: sqlite3.Connection) -> list[str]:
    return [str(row[0]) for row in con.execute("PRAGMA quick_check(20)") if row[0] != "ok"]


def _frequencies_hold(con: sqlite3.Connection) -> bool:
    """Count every token again and compare."""
    counted: dict[str, list[int]] = {}
    for text, code, words in con.execute("SELECT text, code, tags FROM memories_index"):
        for at, tokens in enumerate((text, code)):
            for token in {*tokens.split(), *words.split()}:
                counted.setdefault(token, [0, 0])[at] += 1
    stored = {token: df for token, *df in con.execute("SELECT token, text, code FROM memories_df")}
    return stored == counted


def _full_text(database: Database) -> list[str]:
    """Compare the full-text index with what it indexes; the check is a write to SQLite."""
    try:
        con = database.open_writer()
        begin(con)
        try:
            con.execute(_FTS_CHECK)
        finally:
            if con.in_transaction:
                con.execute("ROLLBACK")
    except StoreError as error:
        return [str(error)]
    except _ERRORS as error:
        if connect.is_damage(error):
            return ["the full-text index differs from the memories"]
        return [str(connect.store_error(database.path, error))]
    return []


def repair(database: Database, now_ms: int) -> str:
    """Make the mirror anew from the memories; return the copy that was made before.

    Raises:
        StoreError: the memories themselves are damaged, or the file cannot be written.
    """
    try:
        copy = back_up(database.path, now_ms)
        try:
            sound = _build_anew(database)
        except StoreError:  # nothing was changed
            os.unlink(copy)
            raise
        con = database.open_to_repair()
        if not sound:  # what cannot be read cannot be dropped: VACUUM leaves it behind
            forget_mirror(con)
        con.execute("VACUUM")
        database.refresh(database.open_writer())
    except _ERRORS as error:
        if connect.is_damage(error):
            raise StoreError(
                f"{database.path}: more than its mirror is damaged ({error})",
                hint="move it away; `sqlite3 FILE .recover` writes what can be read of it",
            ) from error
        raise connect.store_error(database.path, error) from error
    return copy


def _build_anew(database: Database) -> bool:
    """Replace the mirror; return whether the file is sound after that."""
    try:
        con = database.open_writer()
        begin(con)
        try:
            build_mirror(con)
            con.execute("COMMIT")
        finally:
            if con.in_transaction:
                con.execute("ROLLBACK")
        return not _lost_pages(con)
    except _sqlite3.DatabaseError as error:
        if not connect.is_damage(error):
            raise
        return False
