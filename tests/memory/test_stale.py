"""A reindex asks in vain for stale memories most of the time: the question must be right."""

import sqlite3

from clawa_search.memory.stale import needs_refresh
from clawa_search.memory.store import MemoryStore


def test_only_rows_of_other_programs_need_a_refresh(tmp_path):
    path = tmp_path / "clawa-memory.sqlite"
    assert not needs_refresh(str(path))
    with MemoryStore(str(path)) as store:
        store.remember("ours")
        assert not needs_refresh(str(path))
        with sqlite3.connect(path) as other:
            other.execute("INSERT INTO memories (ts, text, tags) VALUES (1, 'theirs', '[]')")
        other.close()
        assert needs_refresh(str(path))
        store.refresh()
        assert not needs_refresh(str(path))


def test_what_cannot_be_told_counts_as_yes(tmp_path):
    path = tmp_path / "clawa-memory.sqlite"
    path.write_bytes(b"no database, and long enough to be looked into" * 99)
    assert needs_refresh(str(path))
    path.unlink()
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, ts, text, tags)")
    old.close()
    assert needs_refresh(str(path))
