"""A memory store of its own for each test, and other programs that share the file."""

import sqlite3

import pytest

from clawa_search.memory.store import MemoryStore


class Clock:
    """A clock that a test turns: one ms later at each look."""

    def __init__(self):
        self.ms = 1_800_000_000_000

    def __call__(self):
        self.ms += 1
        return self.ms


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "home/.pi/clawa-memory.sqlite")


@pytest.fixture
def store(path):
    with MemoryStore(path, clock=Clock()) as store:
        yield store


@pytest.fixture
def foreign(path, store):
    """Another program: a plain connection to the store's file, which exists."""
    store.remember("the seed of this store")
    store.forget(1)
    con = sqlite3.connect(path, isolation_level=None)
    yield con
    con.close()
