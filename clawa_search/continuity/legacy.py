"""Take over memories that another program exported to `<home>/memory/legacy/*.md`.

Each of these files is one exact JSON object: `id`, `ts` (Unix ms), `text`, `tags`. They are read
and never changed. A memory keeps its id where no memory has or had it; otherwise it gets the next
one. What was taken over once is noted beside the database, by content, so that a memory that was
edited or deleted since does not come back.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clawa_search.continuity.files import NotReadableError, read_regular
from clawa_search.errors import InvalidInputError
from clawa_search.memory import tags as tag_rule
from clawa_search.memory import writing
from clawa_search.memory.mirror import BATCH
from indexer import files
from indexer.formats.parse import MAX_TS_MS

if TYPE_CHECKING:
    import sqlite3

    from clawa_search.memory.store import MemoryStore

FOLDER = "memory/legacy"
RECORD = "clawa-legacy-imported.json"

MAX_RECORD_BYTES = 16 << 20
MAX_KEPT_ID = 1 << 31
"""A memory of a higher id gets a new one: the ids after it must stay below what JavaScript counts."""
_MAX_BYTES = 1 << 20
_INSERT = "INSERT INTO memories (id, ts, text, tags) VALUES (?, ?, ?, ?)"
_SAME = "SELECT id FROM memories WHERE ts = ? AND text = ?"
_EVER = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'memories'"


@dataclass(slots=True)
class LegacyImport:
    """What became of the exported files.

    Attributes:
        files: how many were looked at.
        imported: how many became a memory now.
        present: how many were memories already, or had been taken over before.
        renumbered: old id to new id, where the old one was taken.
        warnings: one sentence for each file that is no memory, path first.
    """

    files: int = 0
    imported: int = 0
    present: int = 0
    renumbered: dict[int, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Export:
    id: int
    ts_ms: int
    text: str
    tags: tuple[str, ...]
    digest: str


def import_legacy(home: str, store: MemoryStore) -> LegacyImport:
    """Bring the exported memories of *home* into *store*, all or none, and each of them once.

    Raises:
        StoreError: the database cannot be written; nothing was changed.
    """
    made = LegacyImport()
    record = os.path.join(os.path.dirname(store.path), RECORD)
    done = _read_record(record)
    exports = [one for one in _exports(os.path.join(home, FOLDER), made) if one.digest not in done]
    made.present = max(0, made.files - len(made.warnings)) - len(exports)
    if not exports:
        return made
    with store.database.writing() as con:
        for export in sorted(exports, key=lambda one: one.id):
            done[export.digest] = _take(con, export, made)
        while store.database.catch_up(con, BATCH) == BATCH:
            pass
    _write_record(record, done)
    return made


def _take(con: sqlite3.Connection, export: _Export, made: LegacyImport) -> int:
    same = con.execute(_SAME, (export.ts_ms, export.text)).fetchone()
    if same:
        made.present += 1
        return int(same[0])
    free = export.id <= MAX_KEPT_ID and writing.find(con, export.id) is None
    free = free and export.id > con.execute(_EVER).fetchone()[0]
    row = (export.id if free else None, export.ts_ms, export.text, tag_rule.dump(export.tags))
    number = con.execute(_INSERT, row).lastrowid
    assert number is not None
    made.imported += 1
    if number != export.id:
        made.renumbered[export.id] = number
    return number


def _exports(folder: str, made: LegacyImport) -> list[_Export]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        made.warnings.append(f"{folder}: not imported: {error.strerror}")
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        made.files += 1
        try:
            found.append(_export(path))
        except (NotReadableError, InvalidInputError) as error:
            made.warnings.append(f"{path}: not imported: {error}")
    return found


def _export(path: str) -> _Export:
    read = read_regular(path, _MAX_BYTES)
    if read is None:
        raise NotReadableError("went away")
    data, size = read
    if size > _MAX_BYTES:
        raise InvalidInputError(f"has {size:,} bytes, more than {_MAX_BYTES:,}")
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise InvalidInputError("is not one JSON object") from None
    if not isinstance(value, dict):
        raise InvalidInputError("is not one JSON object")
    text = value.get("text")
    text = writing.clean(text) if isinstance(text, str) else ""
    if not text:
        raise InvalidInputError("has no text")
    tags = value.get("tags", [])
    if not isinstance(tags, list):
        raise InvalidInputError("its tags are no list")
    number = _whole(value, "id", 1, (1 << 53) - 1)
    ts_ms = _whole(value, "ts", 0, MAX_TS_MS)
    words = tag_rule.normalise(tag for tag in tags if isinstance(tag, str))
    digest = hashlib.sha256(json.dumps([number, ts_ms, text, words]).encode()).hexdigest()
    return _Export(number, ts_ms, text, words, digest)


def _whole(value: dict[str, object], name: str, least: int, most: int) -> int:
    number = value.get(name)
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise InvalidInputError(f"its {name} is no whole number from {least} to {most}")
    return number


def _read_record(path: str) -> dict[str, int]:
    try:
        found = read_regular(path, MAX_RECORD_BYTES)
        value = json.loads(found[0]) if found else None
    except (NotReadableError, ValueError, RecursionError):
        return {}
    done = value.get("imported") if isinstance(value, dict) else None
    if not isinstance(done, dict):
        return {}
    return {digest: number for digest, number in done.items() if isinstance(number, int)}


def _write_record(path: str, done: dict[str, int]) -> None:
    # After the commit: a crash in between repeats the look-up by time and text, and loses nothing.
    files.replace(path, json.dumps({"version": 1, "imported": done}).encode())
