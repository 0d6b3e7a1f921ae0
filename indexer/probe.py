"""Hashes that tell whether a line, or the beginning of a file, is still what was indexed."""

from __future__ import annotations

import os
from _blake2 import blake2b

PROBE_BYTES = 8
"""Of a line."""
WHOLE_PROBE_BYTES = 1 << 18
PROBE_BLOCK_BYTES = 4096
PROBE_SAMPLES = 60


def line_hash(raw: bytes = b"") -> blake2b:
    """Return the hash of a line, to go on with; its digest has PROBE_BYTES."""
    return blake2b(raw, digest_size=PROBE_BYTES)


def line_probe(raw: bytes) -> bytes:
    """Hash a whole line to PROBE_BYTES."""
    return line_hash(raw).digest()


def file_probe(fd: int, end: int) -> bytes:
    """Hash samples of the first *end* bytes: everything up to 256 KiB, 62 blocks beyond."""
    digest = blake2b(end.to_bytes(8, "big"), digest_size=16)
    if end <= WHOLE_PROBE_BYTES:
        digest.update(os.pread(fd, end, 0))
        return digest.digest()
    step = (end - PROBE_BLOCK_BYTES) // (PROBE_SAMPLES + 1)
    for number in range(PROBE_SAMPLES + 1):
        digest.update(os.pread(fd, PROBE_BLOCK_BYTES, number * step))
    digest.update(os.pread(fd, PROBE_BLOCK_BYTES, end - PROBE_BLOCK_BYTES))
    return digest.digest()
