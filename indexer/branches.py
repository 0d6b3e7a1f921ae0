"""What leaves the live branch when a few lines are appended: told without reading the file again.

Pi goes back in a session's tree by appending an entry that follows an earlier one. What stood
between the two is dead from then on; what was dead before stays so.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.formats.pi import Branch

from indexer.entry import Line
from indexer.formats.pi import MAX_BRANCHES
from indexer.tail import BLOCK_BYTES
from indexer.tree import ids_of

Ranges = list[tuple[int, int]]


def dead_after(fd: int, dead: Ranges, branches: Sequence[Branch]) -> Ranges | None:
    """Return the ranges of dead lines after *branches* were appended, None if they cannot be told.

    Args:
        dead: before that.
    """
    if len(branches) > MAX_BRANCHES:
        return None
    for branch in branches:
        first = 1
        if branch.parent:
            line = line_of(fd, branch)
            if line is None or any(low <= line <= high for low, high in dead):
                return None  # back to a branch that was left before, or nobody can tell
            first = line + 1
        dead = joined(dead, first, branch.line - 1)
    return dead


def joined(dead: Ranges, first: int, last: int) -> Ranges:
    """Return *dead* with the lines from *first* to *last*, in order and without overlaps."""
    if first > last:
        return dead
    apart = [(low, high) for low, high in dead if high < first or low > last]
    over = [(low, high) for low, high in dead if not (high < first or low > last)]
    whole = (min([first, *(low for low, _ in over)]), max([last, *(high for _, high in over)]))
    return sorted([*apart, whole])


def line_of(fd: int, branch: Branch) -> int | None:
    """Return the number of the last line before *branch* whose entry it follows.

    Looks backward from it, where what is followed mostly stands. 0 if there is no such line,
    None if that cannot be told so.
    """
    if not (branch.parent.isascii() and branch.parent.isalnum()):
        return None  # it may be written in several ways
    wanted = b'"' + branch.parent.encode() + b'"'
    number, stop = branch.line, branch.offset
    while stop > 0:
        start = max(0, stop - BLOCK_BYTES)
        block = os.pread(fd, stop - start, start)
        # The block begins with a whole line, or is left to the next one but for its end.
        cut = block.find(b"\n") + 1 if start else 0
        if start and not 0 < cut < len(block):
            return None  # one line fills the block
        found = len(block)
        while (found := block.rfind(wanted, cut, found)) >= 0:
            begin = block.rfind(b"\n", cut, found) + 1 or cut
            end = block.index(b"\n", found)
            raw = block[begin:end]
            at = number - block.count(b"\n", begin)
            line = Line(at, start + begin, raw, len(raw), probe=None, cut=False)
            if (ids := ids_of(line)) is not None and ids[0] == branch.parent:
                return line.number
            found = begin
        number -= block.count(b"\n", cut)
        stop = start + cut
    return 0
