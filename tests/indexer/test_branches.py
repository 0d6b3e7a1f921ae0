"""What leaves the live branch, told from what is appended alone."""

import os
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import branches, tail
from indexer.branches import dead_after, joined
from indexer.formats.pi import Branch, Reader
from indexer.tail import read_lines
from indexer.tree import read_tree
from tests.builders import header, lines, user

BACK = st.lists(st.sampled_from([0, 0, 0, 1, 2, 5, None]), min_size=2, max_size=14)
"""For each entry, how far back the entry stands that it follows; None: it follows nothing."""


def written(steps):
    said = [header()]
    for number, back in enumerate(steps):
        place = max(0, number - 1 - (back or 0))
        parent = None if back is None or not number else f"{place:08x}"
        said.append(user(f"text {number}", id=f"{number:08x}", parentId=parent))
    return said


def both(steps, cut):
    """Return the dead lines after an append, from the branches seen and from the whole file."""
    said = written(steps)
    with tempfile.TemporaryFile() as file:
        file.write(lines(*said[: cut + 1]))
        file.flush()
        before = read_tree(file.fileno()).dead_lines()
        reader = Reader()
        for line in read_lines(file.fileno(), 0, 1):
            reader.read(line)
        file.write(lines(*said[cut + 1 :]))
        file.flush()
        end = len(lines(*said[: cut + 1]))
        follower = Reader(reader.session)
        for line in read_lines(file.fileno(), end, cut + 2):
            follower.read(line)
        found = dead_after(file.fileno(), before, follower.branches)
        return found, read_tree(file.fileno()).dead_lines()


def flat(ranges):
    return {line for first, last in ranges for line in range(first, last + 1)} - {1}


@given(BACK, st.integers(1, 13))
def test_it_is_what_the_whole_tree_says_or_nothing(steps, cut):
    found, whole = both(steps, min(cut, len(steps)))
    assert found is None or flat(found) == flat(whole)


def test_going_back_leaves_what_stood_between():
    found, _ = both([0, 0, 0, 0, 2, 0], cut=4)
    assert found == [(4, 5)]


def test_a_new_root_leaves_everything():
    found, _ = both([0, 0, 0, None, 0], cut=3)
    assert found == [(1, 4)]


def test_going_back_to_what_was_left_is_not_told():
    assert both([0, 0, 0, 2, 0, 3], cut=5)[0] is None


@pytest.mark.parametrize("block", [64, 200, 1 << 20])
def test_the_line_is_found_across_blocks(tmp_path, monkeypatch, block):
    monkeypatch.setattr(branches, "BLOCK_BYTES", block)
    path = tmp_path / "s.jsonl"
    raw = lines(*written([0] * 30))
    path.write_bytes(raw + b"\n")
    fd = os.open(path, os.O_RDONLY)
    line = next(iter(read_lines(fd, len(raw), 32)), None)
    assert line is not None
    for number in (0, 3, 29):
        found = branches.line_of(fd, Branch(line, f"{number:08x}"))
        assert found == (None if block == 64 else number + 2)
    gone = branches.line_of(fd, Branch(line, "ffffffff"))
    assert gone == (None if block == 64 else 0)
    assert branches.line_of(fd, Branch(line, "with space")) is None
    os.close(fd)
    assert tail.BLOCK_BYTES == 1 << 20


def test_ranges_are_joined_in_order():
    assert joined([(2, 3), (8, 9)], 5, 6) == [(2, 3), (5, 6), (8, 9)]
    assert joined([(2, 3), (8, 9)], 3, 8) == [(2, 9)]
    assert joined([(2, 3)], 5, 4) == [(2, 3)]
