"""`bench memory` measures what it says and draws it."""

from __future__ import annotations

import pytest

from bench import memory
from bench.cold import REFERENCE
from bench.plots import draw


@pytest.fixture(scope="module")
def report():
    names = [REFERENCE, "recall"]
    digests = {name: {"rss_mb": 9.0, "cpu_ms": 20.0, "cpu_ratio": 1.0} for name in names}
    row = {"files": 2, "memories": 1, "load": 0.1, "reindex_rss_mb": 50.0, "reindex_s": 1.0}
    return {
        "version": 1,
        "rows": [
            {"history": label, "bytes": size, "commands": digests, **row}
            for label, size in (("1 MB", 10**6), ("2 MB", 2 * 10**6), ("1 MB and one line", 10**6))
        ],
    }


def test_growth_is_drawn_of_memory_and_of_latency(report, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = draw("memory", report, tmp_path)
    assert [path.name for path in drawn] == ["memory.png", "latency.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_the_table_names_every_history(report, capsys):
    memory.show(report)
    told = capsys.readouterr().out
    assert told.count("1 MB and one line") == 2
    assert "Largest resident set" in told
