"""How a memory database stands to this version: what every reader looks at first."""

from __future__ import annotations

import _sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

from clawa_search.errors import StoreError
from clawa_search.memory.connect import is_damage
from indexer.version import ANALYSIS_VERSION

SCHEMA = 1
"""Version of the mirror's tables; a higher number is a newer clawa-search's."""

TABLES = (
    "memories_fts",
    "memories_index",
    "memories_df",
    "memories_stale",
    "memories_tags",
    "memories_state",
)

TRIGGERS = ("memories_stale_insert", "memories_stale_update", "memories_stale_delete")

MISSING, OUTDATED, CURRENT, AHEAD, NEWER = "missing", "outdated", "current", "ahead", "newer"


def condition(con: sqlite3.Connection) -> str:
    """Return how the file stands to this version.

    MISSING: it has no table `memories`. OUTDATED: it needs `migrate`. CURRENT: nothing to do.
    AHEAD: a newer analyser wrote the mirror; memories can be written, the mirror is not ours.
    NEWER: a newer clawa-search wrote it; it can only be read, and without the mirror.
    """
    names = {
        name
        for (name,) in con.execute(
            "SELECT name FROM sqlite_master WHERE name GLOB 'memories*' AND type IN ('table', 'view')"
            # When a table is renamed, its triggers go along.
            " OR tbl_name = 'memories' AND type = 'trigger'"
        )
    }
    if "memories" not in names:
        return MISSING
    row = None
    if "memories_state" in names:
        try:
            row = con.execute("SELECT schema, analyser FROM memories_state").fetchone()
        except _sqlite3.DatabaseError as error:
            if not is_damage(error) and "no such column" not in str(error):
                raise
    schema, analyser = row or (0, 0)
    if schema > SCHEMA:
        return NEWER
    if not names.issuperset((*TRIGGERS, *TABLES)):
        return OUTDATED
    if schema == SCHEMA and analyser > ANALYSIS_VERSION:
        return AHEAD
    return CURRENT if (schema, analyser) == (SCHEMA, ANALYSIS_VERSION) else OUTDATED


def version(con: sqlite3.Connection) -> int | None:
    """Return the version of the mirror's tables; None when there is no mirror."""
    if not con.execute("SELECT 1 FROM sqlite_master WHERE name = 'memories_state'").fetchone():
        return None
    row = con.execute("SELECT schema FROM memories_state").fetchone()
    return int(row[0]) if row else None


def newer(path: str) -> StoreError:
    """Return the error for a file whose mirror this version does not know."""
    return StoreError(
        f"{path}: a newer clawa-search keeps this database; this version only reads it",
        hint="update clawa-search; nothing was changed",
    )
