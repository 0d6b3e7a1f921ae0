"""Anchors never lie: a line is checked before it is shown, found again, or called gone."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.entry import Entry
    from indexer.schema import Stored

from indexer.probe import line_probe
from indexer.status import tells_gone

READ_AT_ONCE_BYTES = 1 << 20
"""A longer line is read block by block."""


def is_there(path: str, stored: Stored) -> bool:
    """Does the line that *stored* names still stand at its offset in the file at *path*?

    Raises:
        OSError: there is a file, but it cannot be read.
    """
    return bool(_unless_gone(_stands_there, path, stored))


def _stands_there(path: str, stored: Stored) -> bool:
    before = 1 if stored.offset else 0
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if stored.size > READ_AT_ONCE_BYTES:
            return _is_long_line_there(fd, stored)
        raw = os.pread(fd, before + stored.size + 1, stored.offset - before)
    finally:
        os.close(fd)
    line = raw[before : before + stored.size]
    end = raw[before + stored.size :]
    return (
        len(line) == stored.size
        and end in (b"\n", b"")
        and (not before or raw[:1] == b"\n")
        and line_probe(line) == stored.probe
    )


def _is_long_line_there(fd: int, stored: Stored) -> bool:
    """Look at a line that holds an image, perhaps, with the memory of a block."""
    from indexer.tail import read_lines

    if stored.offset and os.pread(fd, 1, stored.offset - 1) != b"\n":
        return False
    stop = stored.offset + stored.size + 1
    for line in read_lines(fd, stored.offset, 1, stop, torn=True):
        return line.size == stored.size and line.probe == stored.probe
    return False


def _is_same(entry: Entry, stored: Stored) -> bool:
    return stored.entry_id in ("", entry.entry_id) and entry.text == stored.text


def find_line(path: str, stored: Stored) -> int:
    """Return the number of the line that *stored* names, wherever it stands now; 0 if gone.

    The same bytes count first, then an entry of the same id and text; one that had no id (Pi
    gives old files ids when it opens them) is known by its text, at the nearest line.

    Raises:
        OSError: there is a file, but it cannot be read.
    """
    return _unless_gone(_look_for, path, stored)


def _unless_gone(look: Callable[[str, Stored], int], path: str, stored: Stored) -> int:
    """Return what *look* tells, 0 where no file is."""
    try:
        return look(path, stored)
    except OSError as error:
        if tells_gone(error):
            return 0
        raise


def _look_for(path: str, stored: Stored) -> int:
    from indexer.formats.parse import Malformed
    from indexer.formats.pi import Reader
    from indexer.tail import open_lines, read_lines

    fd = open_lines(path)
    found: list[int] = []
    reader = Reader()
    try:
        for line in read_lines(fd, 0, 1, torn=True):
            if line.size == stored.size and line.probe == stored.probe:
                return line.number
            try:
                entries = reader.read(line)
            except Malformed:
                continue
            found += [line.number for entry in entries if _is_same(entry, stored)]
    finally:
        os.close(fd)
    return min(found, key=lambda number: abs(number - stored.line), default=0)
