"""What the first lines of a session file say of it, without reading on."""

from __future__ import annotations

import os

from indexer.entry import Session
from indexer.formats.parse import Malformed
from indexer.formats.pi import HEADER_BYTES, Reader
from indexer.tail import open_lines, read_lines


def header_of(path: str) -> Session:
    """Return what the header of the session at *path* says; an empty one when none can be read."""
    try:
        fd = open_lines(path)
    except (OSError, ValueError):  # or it is no path at all
        return Session()
    reader = Reader()
    try:
        for line in read_lines(fd, 0, 1, HEADER_BYTES, torn=True):
            try:
                reader.read(line)
            except Malformed:
                continue
            if reader.session.is_session is not None:
                break
    except OSError:
        return Session()
    finally:
        os.close(fd)
    return reader.session
