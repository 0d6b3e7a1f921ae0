"""Whole physical lines of a file from a byte offset on, with bounded memory."""

from __future__ import annotations

import os
from errno import EINVAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

from indexer.entry import Line
from indexer.probe import line_hash
from indexer.status import FILE, FORMAT

BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 32 << 20
"""What is left of a line without its images may be this long; of a longer one only the head is
kept."""
HEAD_BYTES = 4096
IMAGE = rb'("data": ?")[A-Za-z0-9+/=_-]+'
"""An image in a message. Inside a text the quotes are escaped, so no text is ever touched."""
IMAGE_HEAD_BYTES = 8


def open_lines(path: str) -> int:
    """Return a descriptor to read the regular file at *path* from.

    Raises:
        OSError: it cannot be read, or is something else, which may never end.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if os.fstat(fd).st_mode & FORMAT != FILE:
        os.close(fd)
        raise OSError(EINVAL, "not a regular file", path)
    return fd


class _LongLine:
    """A line longer than a block: hashed whole, kept without its images, or its head only."""

    def __init__(self, first: bytes) -> None:
        import re

        self._image = re.compile(IMAGE)
        self._base64 = re.compile(rb"[A-Za-z0-9+/=_-]*")
        self._in_image = False
        self._hash = line_hash()
        self._kept = bytearray()
        self.size = 0
        self.cut = False
        self.add(first)

    def add(self, part: bytes) -> None:
        self._hash.update(part)
        self.size += len(part)
        if not self.cut:
            self._keep(part)

    def _keep(self, part: bytes) -> None:
        """Append *part* without images, wherever the blocks of the file cut them."""
        kept = self._kept
        if self._in_image:
            image = self._base64.match(part)
            part = part[image.end() :] if image else part
            if not part:
                return
        held = kept[-IMAGE_HEAD_BYTES:]
        found = bytes(held + part)
        # Only what is left of the last image can end where the part ends.
        short = self._image.sub(rb"\1", found)
        del kept[len(kept) - len(held) :]
        kept += short
        self._in_image = short.endswith((b'"data":"', b'"data": "'))
        if len(kept) > MAX_LINE_BYTES:
            self.cut = True
            self._kept = kept[:HEAD_BYTES]

    def line(self, number: int, offset: int) -> Line:
        probe = self._hash.digest()
        return Line(number, offset, bytes(self._kept), self.size, probe=probe, cut=self.cut)


def read_lines(
    fd: int, offset: int, number: int, stop: int | None = None, *, torn: bool = False
) -> Iterator[Line]:
    """Yield the lines that begin at byte *offset*, whose first has *number*.

    Only LF ends a line: U+2028 and its like are legal inside a JSON string, and counting
    them would shift every anchor after them. A last line without LF is still being written:
    it is yielded only with *torn*, so that a checkpoint never points into an entry.

    Args:
        fd: an open file descriptor; its position is not used.
        stop: byte offset at which the file ends for this pass (None: wherever it ends).
        torn: also yield what stands after the last LF, when it is not empty.

    Raises:
        OSError: the file cannot be read.
    """
    rest = b""
    long: _LongLine | None = None
    start = offset
    position = offset
    while True:
        want = BLOCK_BYTES if stop is None else min(BLOCK_BYTES, stop - position)
        block = os.pread(fd, want, position) if want > 0 else b""
        if not block:
            break
        position += len(block)
        begin = 0
        end = block.find(b"\n")
        if end >= 0 and (rest or long):
            if long is not None:
                long.add(block[:end])
                yield long.line(number, start)
                size = long.size
                long = None
            else:
                raw = rest + block[:end]
                size = len(raw)
                yield Line(number, start, raw, size, probe=None, cut=False)
                rest = b""
            number += 1
            start += size + 1
            begin = end + 1
            end = block.find(b"\n", begin)
        while end >= 0:
            yield Line(number, start, block[begin:end], end - begin, probe=None, cut=False)
            number += 1
            start += end - begin + 1
            begin = end + 1
            end = block.find(b"\n", begin)
        left = block[begin:] if begin else block
        if long is not None:
            long.add(left)
        elif rest:
            long = _LongLine(rest)
            long.add(left)
            rest = b""
        else:
            rest = left
    if torn and long is not None:
        yield long.line(number, start)
    elif torn and rest:
        yield Line(number, start, rest, len(rest), probe=None, cut=False)
