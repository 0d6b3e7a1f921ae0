"""What anybody would build first: every message in one SQLite FTS5 table, searched by its default.

python plain_fts.py index DATABASE SESSIONS_DIR
python plain_fts.py ask DATABASE WORDS
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def index(database: Path, sessions: Path) -> None:
    """Put every user and assistant text below *sessions* into a new *database*."""
    database.unlink(missing_ok=True)
    with closing(sqlite3.connect(database)) as open_database, open_database:
        open_database.execute(
            "CREATE VIRTUAL TABLE said USING fts5(text, path UNINDEXED, line UNINDEXED)"
        )
        open_database.executemany("INSERT INTO said VALUES (?,?,?)", _messages(sessions))


def ask(database: Path, words: list[str]) -> list[dict[str, Any]]:
    """Return the ten best messages with any of *words*."""
    match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as open_database:
        rows = open_database.execute(
            "SELECT path, line, text FROM said WHERE said MATCH ? ORDER BY rank LIMIT 10", (match,)
        ).fetchall()
    return [{"path": path, "line": line, "text": text[:500]} for path, line, text in rows]


def _messages(sessions: Path) -> Iterator[tuple[str, str, int]]:
    for path in sorted(sessions.rglob("*.jsonl")):
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                message = json.loads(line).get("message") or {}
                if message.get("role") not in ("user", "assistant"):
                    continue
                texts = (part.get("text", "") for part in message["content"])
                text = "\n".join(one for one in texts if one)
                if text:
                    yield text, str(path), number


if __name__ == "__main__":
    verb, place, *rest = sys.argv[1:]
    if verb == "index":
        index(Path(place), Path(rest[0]))
    else:
        for row in ask(Path(place), " ".join(rest).split()):
            print(json.dumps(row))
