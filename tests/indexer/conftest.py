"""Fixtures of the indexer's tests."""

import tempfile
from pathlib import Path

import pytest

from tests.indexer.lab import memory_folder


@pytest.fixture
def memory_path():
    """A temporary folder, in memory where that is possible."""
    with tempfile.TemporaryDirectory(prefix="clawa-test-", dir=memory_folder()) as folder:
        yield Path(folder)
