"""Fixtures of the indexer's tests."""

import tempfile
from pathlib import Path

import pytest

from tests.indexer.lab import Lab, memory_folder, session


@pytest.fixture
def memory_path():
    """A temporary folder, in memory where that is possible."""
    with tempfile.TemporaryDirectory(prefix="clawa-test-", dir=memory_folder()) as folder:
        yield Path(folder)


@pytest.fixture
def lab(tmp_path):
    """Two small sessions, indexed."""
    made = Lab(tmp_path)
    made.write("a.jsonl", session("one", "two"))
    made.write("sub/b.jsonl", session("three", session_id="s2"))
    made.sync()
    yield made
    made.close()
