"""Memories of a made-up home, in the table that pi-clawa writes; the product adds the rest."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from bench.words import TERMS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

    from bench.prose import Prose

_TABLE = (
    "CREATE TABLE memories (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, "
    "text TEXT NOT NULL, tags TEXT NOT NULL)"
)
_START_MS = 1_735_689_600_000  # 2025-01-01T00:00:00Z


def write_memories(home: Path, count: int, rng: Random, prose: Prose) -> int:
    """Write *count* memories of 40 to 300 characters with up to 3 tags; return *count*."""
    path = home / ".pi" / "clawa-memory.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(_TABLE)
        database.execute("CREATE INDEX memories_ts_idx ON memories(ts)")
        database.executemany("INSERT INTO memories VALUES (?,?,?,?)", _rows(count, rng, prose))
    return count


def _rows(count: int, rng: Random, prose: Prose) -> Iterator[tuple[int, int, str, str]]:
    tags = ["human", "decision", "bug", "todo", *TERMS[:200]]
    ts_ms = _START_MS
    for number in range(1, count + 1):
        ts_ms += 1 + int(60_000 * rng.random())
        text = prose.text(40 + int(260 * rng.random())).replace("\\n", " ")
        yield number, ts_ms, text, json.dumps(rng.sample(tags, int(4 * rng.random())))
