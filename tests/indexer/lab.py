"""A small world of session files for tests: made, damaged, indexed, and read by an oracle."""

import json
import os
from pathlib import Path

from clawa_search.places import Places
from clawa_search.recall import Recall
from clawa_search.search.question import Question
from clawa_search.search.sessions import SessionIndex
from indexer import layout
from indexer.catalog import Catalog
from indexer.discover import Listing
from indexer.status import SESSION
from indexer.sync import sync

SCALE = int(os.environ.get("TEST_SCALE", "1"))
"""How many times more examples the laws try; see `tests/conftest.py`."""
WORD = "needle"
"""Stands in every entry, so that one question asks for all of them."""


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def header(session_id="s1", cwd="/home/agent/project"):
    return dumps(
        {
            "type": "session",
            "version": 3,
            "id": session_id,
            "timestamp": "2026-05-01T08:00:00.000Z",
            "cwd": cwd,
        }
    )


def said(entry_id, text, parent=None, role="user", blocks=False):
    content = [{"type": "text", "text": text}] if blocks or role == "assistant" else text
    return dumps(
        {
            "type": "message",
            "id": entry_id,
            "parentId": parent,
            "timestamp": "2026-05-01T08:01:00.000Z",
            "message": {"role": role, "content": content, "timestamp": 1_777_622_460_000},
        }
    )


def tool_result(entry_id, text, parent=None):
    return said(entry_id, text, parent, role="toolResult", blocks=True)


def session(*texts, session_id="s1"):
    """Return the bytes of a session in which *texts* were said."""
    lines = [header(session_id)]
    lines += [said(f"e{number}", f"{WORD} {text}") for number, text in enumerate(texts)]
    return b"".join(line + b"\n" for line in lines)


def entries_of(data, *, torn):
    """Return (line, text) of what was said in the bytes of a file, by plain json and split."""
    found = []
    is_session = None
    lines = data.split(b"\n")
    for number, raw in enumerate(lines if torn else lines[:-1], 1):
        try:
            value = json.loads(raw)
        except ValueError:
            continue
        if is_session is None:
            is_session = value["type"] in ("session", "message")
        message = value.get("message", {})
        if is_session and message.get("role") in ("user", "assistant"):
            content = message["content"]
            text = content if isinstance(content, str) else content[0]["text"]
            found.append((number, text.strip()))
    return found


class Lab:
    """Session files below `sessions`, their index, and a Recall that stays open."""

    def __init__(self, folder):
        self.sessions = folder / "sessions"
        self.sessions.mkdir(parents=True, exist_ok=True)
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.index_dir = str(folder / "index")
        self.recall = self.new_recall()

    def new_recall(self):
        places = Places(
            home=str(self.home),
            index_dir=self.index_dir,
            sessions_dirs=[str(self.sessions)],
            cwd=str(self.home),
            env={"HOME": str(self.home)},
        )
        return Recall(places)

    def close(self):
        self.recall.close()

    def write(self, name, data):
        path = self.sessions / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def append(self, name, *lines):
        with (self.sessions / name).open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))

    def listing(self):
        listing = Listing()
        listing.walk(str(self.sessions))
        return listing

    def sync(self, *, rebuild=False, index_dir=None):
        return sync(index_dir or self.index_dir, self.listing(), rebuild=rebuild)

    def files(self):
        for folder, _, names in os.walk(self.sessions):
            for name in names:
                yield os.path.join(folder, name)

    def expected(self, *, torn):
        """Return what is said in all files, as (path, line, text)."""
        found = set()
        for path in self.files():
            with open(path, "rb") as file:
                data = file.read()
            found |= {(path, line, text) for line, text in entries_of(data, torn=torn)}
        return found

    def recalled(self, query=WORD, recall=None, *, everything=True):
        """Return (path, line) of everything that a recall finds, copies included."""
        asked = Question(query, everything=everything, sessions=None, limit=100)
        answer = (recall or self.recall).search(asked)
        told = [note for note in answer.notes if "unreadable line" not in note]
        assert answer.complete or not told, told
        refs = [ref for hit in answer.hits for ref in (hit.ref, *hit.also)]
        assert len(refs) == len(set(refs))
        return {(ref.rpartition(":")[0], int(ref.rpartition(":")[2])) for ref in refs}


def indexed(index_dir):
    """Return what an index holds, as (path, line, text); nothing may be in it besides."""
    generation = layout.current(index_dir)
    assert generation is not None
    book = Catalog(generation.catalog)
    index = SessionIndex(generation)
    found = set()
    count = 0
    for status in book.statuses().values():
        row = book.by_id(status[6])
        assert row is not None
        if row.kind == SESSION:
            for seq in range(row.next_seq):
                stored = index.entry(row.id, seq)
                assert stored is not None, f"{row.path}: entry {seq} is not in the index"
                found.add((row.path, stored.line, stored.text))
                count += 1
    book.close()
    assert index.entries == count, "the index holds entries that the catalog does not know"
    return found


def memory_folder():
    """Return a folder in memory if there is one: each commit waits for a disk 30 times."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def drop_privileges():
    """Let root meet closed doors like anybody: give up the capabilities to pass them (Linux)."""
    import ctypes

    if os.geteuid() == 0:
        version = (ctypes.c_uint32 * 2)(0x20080522, 0)
        nothing = (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset(version, nothing) == 0


def size_of(folder):
    return sum(
        os.stat(os.path.join(where, name)).st_size
        for where, _, names in os.walk(folder)
        for name in names
    )


def generation(lab):
    found = layout.current(lab.index_dir)
    assert found is not None
    return found


def snapshot(folder):
    """Return every file below *folder* with its bytes and times."""
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal", ".lock"))
    }
