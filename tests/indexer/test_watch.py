"""The loop of `reindex --watch`, driven without clocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import IndexBrokenError, IndexBusyError
from indexer.report import SyncReport
from indexer.watch import GROWTH, LONGEST_SECONDS, SHORTEST_SECONDS, follow

QUIET, CHANGED, BUSY, BROKEN = "quiet", "changed", "busy", "broken"


def run(outcomes):
    """Play *outcomes* one after the other; return what was yielded and how long it waited."""
    pauses = []
    steps = iter(outcomes)

    def sync():
        step = next(steps)
        if step == BUSY:
            raise IndexBusyError("busy")
        if step == BROKEN:
            raise IndexBrokenError("broken")
        report = SyncReport()
        report.indexed = int(step == CHANGED)
        return report

    def wait(seconds):
        pauses.append(seconds)
        return len(pauses) < len(outcomes)

    return list(follow(sync, wait)), pauses


def told(yielded):
    return [
        type(one).__name__ if isinstance(one, Exception) else bool(one.indexed) for one in yielded
    ]


def test_the_first_report_comes_and_then_changes_only():
    yielded, _ = run([QUIET, QUIET, CHANGED, QUIET])
    assert told(yielded) == [False, True]


def test_a_failure_is_told_once_until_it_is_over():
    yielded, _ = run([CHANGED, BUSY, BUSY, QUIET, BUSY])
    assert told(yielded) == [True, "IndexBusyError", "IndexBusyError"]


def test_a_busy_start_is_waited_for():
    yielded, _ = run([BUSY, QUIET])
    assert told(yielded) == ["IndexBusyError", False]


def test_a_broken_start_is_an_error():
    with pytest.raises(IndexBrokenError):
        run([BROKEN])


def test_an_index_that_breaks_later_is_tried_again():
    yielded, _ = run([QUIET, BROKEN, CHANGED])
    assert told(yielded) == [False, "IndexBrokenError", True]


@given(st.lists(st.sampled_from([QUIET, CHANGED, BUSY]), min_size=1, max_size=40))
def test_pauses_grow_while_nothing_changes_and_start_again_after_a_change(outcomes):
    _, pauses = run(outcomes)
    expected = SHORTEST_SECONDS
    for outcome, pause in zip(outcomes, pauses, strict=True):
        expected = SHORTEST_SECONDS if outcome == CHANGED else expected * GROWTH
        expected = min(expected, LONGEST_SECONDS)
        assert pause == expected
