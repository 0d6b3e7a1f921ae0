"""A reindex asks in vain for stale memories most of the time: the question must be right."""

import sqlite3

import pytest

from clawa_search.memory import stale
from clawa_search.memory.store import MemoryStore


@pytest.fixture
def needs_refresh(tmp_path):
    """Ask twice: what was kept of the first answer must not change the second."""
    index = tmp_path / "index"
    index.mkdir()

    def ask(path):
        first = stale.needs_refresh(path, str(index))
        assert stale.needs_refresh(path, str(index)) == first
        return first

    return ask


def test_only_rows_of_other_programs_need_a_refresh(tmp_path, needs_refresh):
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


def test_what_cannot_be_told_counts_as_yes(tmp_path, needs_refresh):
    path = tmp_path / "clawa-memory.sqlite"
    path.write_bytes(b"no database, and long enough to be looked into" * 99)
    assert needs_refresh(str(path))
    path.unlink()
    with sqlite3.connect(path) as old:
        old.execute("CREATE TABLE memories (id INTEGER PRIMARY KEY, ts, text, tags)")
    old.close()
    assert needs_refresh(str(path))
