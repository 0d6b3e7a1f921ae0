"""status: what there is, and how far the index is behind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.output.health import size, status_text
from clawa_search.status import status
from tests.builders import user

FIELDS = (
    "home database index_dir memories database_version database_bytes sessions_dirs "
    "sessions_dirs_missing index_version index_bytes sessions entries segments newest_indexed_ms "
    "newest_existing_ms files_pending files_unreadable bytes_pending lag_ms"
).split()


def test_the_fields_and_their_order(home):
    assert list(status(home.recall)) == FIELDS


def test_before_and_after_indexing(home):
    before = status(home.recall)
    assert (before["files_pending"], before["entries"], before["lag_ms"]) == (4, 0, None)
    assert before["newest_existing_ms"] == 1_780_391_000_000
    home.recall.remember("tea")
    home.reindex()
    after = status(home.recall)
    assert (after["files_pending"], after["bytes_pending"], after["lag_ms"]) == (0, 0, 0)
    assert (after["sessions"], after["memories"], after["segments"]) == (4, 1, 1)
    assert after["newest_indexed_ms"] == after["newest_existing_ms"]
    assert int(str(after["index_bytes"])) > 1000
    assert int(str(after["database_bytes"])) > 1000


def test_the_lag_is_between_entries_not_between_files(home):
    home.reindex()
    home.write("late.jsonl", user("late", timestamp="2026-06-02T10:05:00.000Z"))
    told = status(home.recall)
    newest = told["newest_indexed_ms"]
    assert isinstance(newest, int)
    assert told["lag_ms"] == 1_780_394_700_000 - newest
    assert told["files_pending"] == 1


def test_a_broken_index_is_told(home):
    home.reindex()
    home.close()
    for path in home.index.glob("gen-*/messages/meta.json"):
        path.write_text("{")
    told = status(home.recall)
    assert "index_error" in told
    assert told["files_pending"] == 4


def test_a_broken_database_is_told(home):
    (home.project / ".pi").mkdir()
    (home.project / ".pi/clawa-memory.sqlite").write_bytes(b"junk" * 500)
    assert "database_error" in status(home.recall)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_234_567, "1.2 MB"),
        (5 * 10**12, "5000.0 GB"),
    ],
)
def test_sizes_are_shown_in_the_unit_that_suits_them(count, shown):
    assert size(count) == shown


@given(
    st.dictionaries(
        st.sampled_from(FIELDS),
        st.one_of(st.none(), st.integers(0, 1 << 60), st.text(), st.lists(st.text())),
        min_size=1,
    )
)
def test_every_status_has_a_text_of_one_line_a_field(told):
    said = status_text(told)
    assert said.endswith("\n")
    assert "\x1b" not in said


def test_an_index_of_another_version_is_told(home):
    home.reindex()
    home.close()
    (home.index / "CURRENT").write_text("gen-1 s0a0\n")
    told = status(home.recall)
    assert told["index_error"] == (
        f"{home.index}/gen-1: of version s0a0; the next reindex makes it anew"
    )
    assert told["files_pending"] == 4
    home.reindex()
    assert "index_error" not in status(home.recall)
