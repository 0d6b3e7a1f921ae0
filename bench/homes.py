"""Lay a conversation out as a Pi home: one session file a session, notes as memories."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING
from uuid import UUID

from bench.transcript import iso

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from bench.datasets import Conversation, Message, Note

_FALLBACK_MS = 1_700_000_000_000


@dataclass(slots=True)
class Home:
    """A laid out conversation.

    Attributes:
        root: everything lies below it.
        home: the home, where the memory database is.
        sessions: the folder of session files.
        messages: what stands at each (path, line).
        files: the session files by session name.
        notes: the memories by id.
    """

    root: Path
    home: Path
    sessions: Path
    messages: dict[tuple[str, int], Message] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    notes: dict[int, Note] = field(default_factory=dict)


def lay(conversation: Conversation, root: Path, *, without: Collection[str] = ()) -> Home:
    """Write the sessions of *conversation* below *root*; those in *without* are left out."""
    home = Home(root, root / "home", root / "agent" / "sessions")
    (home.home / ".pi").mkdir(parents=True)
    folder = home.sessions / f"-{str(home.home).replace('/', '-')}--"
    folder.mkdir(parents=True)
    by_session: dict[str, list[Message]] = {}
    for message in conversation.messages:
        if message.session not in without:
            by_session.setdefault(message.session, []).append(message)
    for name, said in by_session.items():
        path = _write_session(folder, name, said, str(home.home))
        home.files[name] = path
        # The header is line 1.
        home.messages.update(((path, line), one) for line, one in enumerate(said, 2))
    return home


def keep_notes(home: Home, notes: Iterable[Note]) -> None:
    """Store *notes* as memories, in the table that pi-clawa writes; no notes, no database."""
    kept = list(notes)
    if not kept:
        return
    with closing(sqlite3.connect(home.home / ".pi" / "clawa-memory.sqlite")) as database, database:
        database.execute(
            "CREATE TABLE memories (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL, "
            "text TEXT NOT NULL, tags TEXT NOT NULL)"
        )
        for number, note in enumerate(kept, 1):
            home.notes[number] = note
            database.execute(
                "INSERT INTO memories VALUES (?,?,?,'[]')",
                (number, note.ts_ms or _FALLBACK_MS, note.text),
            )


def _write_session(folder: Path, name: str, said: list[Message], cwd: str) -> str:
    first_ms, last_ms = said[0].ts_ms or _FALLBACK_MS, said[-1].ts_ms or _FALLBACK_MS
    session_id = str(UUID(bytes=blake2b(name.encode(), digest_size=16).digest(), version=4))
    path = folder / f"{iso(first_ms).replace(':', '-').replace('.', '-')}_{session_id}.jsonl"
    header = {"type": "session", "version": 3, "id": session_id}
    lines: list[object] = [{**header, "timestamp": iso(first_ms), "cwd": cwd}]
    parent = None
    for message in said:
        # Forks of a session repeat the ids of its entries, so ids come from the message alone.
        entry_id = blake2b(message.key.encode(), digest_size=4).hexdigest()
        lines.append(_entry(message, entry_id, parent))
        parent = entry_id
    dumped = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    path.write_text("\n".join(dumped) + "\n", encoding="utf-8")
    os.utime(path, (last_ms / 1000, last_ms / 1000))
    return str(path)


def _entry(message: Message, entry_id: str, parent: str | None) -> dict[str, object]:
    ts_ms = message.ts_ms or _FALLBACK_MS
    body: dict[str, object] = {
        "role": message.role,
        "content": [{"type": "text", "text": message.text}],
        "timestamp": ts_ms,
    }
    head = {"type": "message", "id": entry_id, "parentId": parent, "timestamp": iso(ts_ms)}
    return {**head, "message": body}
