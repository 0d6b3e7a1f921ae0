"""Where SQLite has no room for the shared memory of its log, what is there is read all the same."""

import sqlite3

import pytest

from clawa_search.memory import connect
from clawa_search.memory.store import MemoryStore
from indexer.catalog import Catalog
from indexer.errors import IndexBrokenError
from indexer.frozen import may_freeze
from tests.builders import Home, user

NO_ROOM, OTHER = 10 | 19 << 8, 10 | 1 << 8


def failure(code):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


class Full:
    """A connection whose every statement fails."""

    in_transaction = False

    def __init__(self, code):
        self.error = failure(code)

    def execute(self, *_):
        raise self.error

    def close(self):
        pass


@pytest.fixture
def catalog(tmp_path):
    home = Home(tmp_path)
    home.write("a.jsonl", user("tea"))
    home.reindex()
    home.close()
    made = Catalog(home.generation.catalog)
    yield made
    made.close()


def test_the_catalog_is_read_as_one_that_nobody_changes(catalog, monkeypatch):
    known = catalog.statuses()
    assert len(known) == 1
    catalog.close()
    monkeypatch.setattr(catalog, "db", Full(NO_ROOM))
    catalog.hold()
    assert catalog.statuses() == known
    catalog.release()


def test_any_other_failure_is_one(catalog, monkeypatch):
    monkeypatch.setattr(catalog, "db", Full(OTHER))
    with pytest.raises(IndexBrokenError, match="disk I/O error"):
        catalog.statuses()


def test_memories_are_read_as_ones_that_nobody_changes(tmp_path, monkeypatch):
    path = str(tmp_path / "m.sqlite")
    with MemoryStore(path) as store:
        store.remember("zeta")
    plain = connect._read_only

    def full(uri):
        if "immutable" not in uri:
            raise failure(NO_ROOM)
        return plain(uri)

    monkeypatch.setattr(connect, "_read_only", full)
    with MemoryStore(path) as store:
        assert [memory.text for memory in store.newest(5)] == ["zeta"]


@pytest.mark.parametrize(
    ("log", "code", "expected"),
    [
        (None, NO_ROOM, True), (b"", NO_ROOM, True), (b"x", NO_ROOM, False), (None, OTHER, False),
        (None, 14, True), (None, 8 | 1 << 8, True), (b"x", 14, False), (None, 0, False),
    ],
)  # fmt: skip
def test_only_without_a_log_that_holds_something(tmp_path, log, code, expected):
    path = tmp_path / "m.sqlite"
    path.write_bytes(b"")
    if log is not None:
        (tmp_path / "m.sqlite-wal").write_bytes(log)
    assert may_freeze(str(path), failure(code)) is expected


def test_what_is_not_there_is_not_frozen(tmp_path):
    assert not may_freeze(str(tmp_path / "none"), failure(14))
