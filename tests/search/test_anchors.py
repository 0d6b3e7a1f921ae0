"""Anchors never lie: the line stands there, is found elsewhere, or is gone."""

import os
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.anchors import find_line, is_there
from indexer.entry import Line
from indexer.formats.parse import Malformed
from indexer.formats.pi import Reader
from indexer.schema import Stored, pack
from tests.indexer.lab import dumps, header, said

lines = st.lists(
    st.one_of(
        st.integers(0, 5).map(lambda n: said(f"e{n}", f"text {n}")),
        st.integers(0, 5).map(lambda n: said(f"e{n}", "text", role="toolResult")),
        st.sampled_from([b"", b"{torn", "\u2028".encode(), b"\xff"]),
    ),
    max_size=8,
).map(lambda made: [header(), *made])


def anchors_of(raws):
    """Return what an index would store of each entry in these lines."""
    reader = Reader()
    found, offset = [], 0
    for number, raw in enumerate(raws, 1):
        line = Line(number, offset, raw, len(raw), probe=None, cut=False)
        with suppress(Malformed):
            found += [Stored(pack(line, entry)) for entry in reader.read(line)]
        offset += len(raw) + 1
    return found


def write(folder, raws, end=b"\n"):
    path = folder / "s.jsonl"
    path.write_bytes(b"\n".join(raws) + end)
    return str(path)


@given(lines, st.sampled_from([b"\n", b""]))
def test_every_entry_is_where_its_anchor_says(tmp_path, raws, end):
    path = write(tmp_path, raws, end)
    for stored in anchors_of(raws):
        assert is_there(path, stored)
        assert raws[find_line(path, stored) - 1] == raws[stored.line - 1]


@given(lines, lines, st.integers(0, 9), st.integers(0, 9))
def test_an_anchor_is_right_after_any_rewrite_or_gone(tmp_path, before, more, cut, start):
    after = [*before[:cut], *more[start:], *before[cut:]]
    path = write(tmp_path, after)
    for stored in anchors_of(before):
        if is_there(path, stored):
            data = b"\n".join(after)
            assert data[stored.offset : stored.offset + stored.size] == before[stored.line - 1]
        line = find_line(path, stored)
        assert after[line - 1] == before[stored.line - 1]


def test_an_entry_that_is_gone_is_called_gone(tmp_path):
    (stored,) = anchors_of([header(), said("e1", "once")])
    for data in ([header()], [header(), said("e1", "other")], [header(), said("e2", "once")]):
        path = write(tmp_path, data)
        assert not is_there(path, stored)
        assert find_line(path, stored) == 0


def test_an_entry_is_found_after_pi_gave_its_file_ids(tmp_path):
    def old(text):
        message = {"role": "user", "content": text}
        when = "2025-11-01T00:00:00.000Z"
        return dumps({"type": "message", "timestamp": when, "message": message})

    texts = ["yes", "go on", "yes", "done"]
    anchors = anchors_of([header(), *map(old, texts)])
    migrated = [said(f"n{number}", text) for number, text in enumerate(texts)]
    path = write(tmp_path, [header(), *migrated])
    assert [find_line(path, stored) for stored in anchors] == [2, 3, 4, 5]
    path = write(tmp_path, [header(), b"", *migrated])
    assert [find_line(path, stored) for stored in anchors[1::2]] == [4, 6]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda _path: None])
def test_an_anchor_into_what_is_no_file_is_gone(tmp_path, make):
    (stored,) = anchors_of([header(), said("e1", "once")])
    path = str(tmp_path / "s.jsonl")
    make(path)
    assert not is_there(path, stored)
    assert find_line(path, stored) == 0
