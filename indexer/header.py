"""What the first lines of a session file say of it, without reading on."""

from __future__ import annotations

import os

from indexer.entry import Session
from indexer.formats.parse import Malformed
from indexer.formats.pi import HEADER_BYTES, Reader
from indexer.tail import open_lines, read_lines

USUAL_BYTES = 1 << 14
"""Hold the header of nearly every session; a block is a hundred times as much."""


def header_of(path: str) -> Session:
    """Return what the header of the session at *path* says; an empty one when none can be read."""
    try:
        fd = open_lines(path)
    except (OSError, ValueError):  # or it is no path at all
        return Session()
    try:
        for stop in (USUAL_BYTES, HEADER_BYTES):
            found = _read(fd, stop)
            if found.is_session is not None:
                return found
    except OSError:
        return Session()
    finally:
        os.close(fd)
    return Session()


def _read(fd: int, stop: int) -> Session:
    reader = Reader()
    for line in read_lines(fd, 0, 1, stop, torn=True):
        try:
            reader.read(line)
        except Malformed:
            continue
        if reader.session.is_session is not None:
            break
    return reader.session
