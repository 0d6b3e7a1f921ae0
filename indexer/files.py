"""Small files of our own: private, and there as a whole or not at all."""

from __future__ import annotations

import os

BLOCK_BYTES = 1 << 16
"""Read at once: buffers of this size are used again, each page of a larger one is a fault."""


def private(path: str, flags: int) -> int:
    """Open *path* for its owner only; an opener for `open`."""
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def write_all(fd: int, raw: bytes) -> None:
    """Write all of *raw*, however little the system takes at once."""
    while raw:
        raw = raw[os.write(fd, raw) :]


def replace(path: str, raw: bytes, *, durable: bool = False) -> None:
    """Give the file at *path* the content *raw*; readers see the old or the new.

    Args:
        durable: return when a loss of power cannot undo it.

    Raises:
        OSError: it cannot be written, by its own name; what stood there stays.
    """
    try:
        _replace(path, f"{path}.{os.getpid()}", raw, durable=durable)
    except OSError as error:
        error.filename = path
        raise


def _replace(path: str, draft: str, raw: bytes, *, durable: bool) -> None:
    fd = private(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        write_all(fd, raw)
        if durable:
            os.fsync(fd)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
    finally:
        os.close(fd)


def read_pairs(path: str) -> tuple[dict[str, str], int]:
    """Return the pairs of a file in which NUL ends each part, and how many there are.

    Of two pairs that begin alike the later one counts.

    Raises:
        OSError: it cannot be read.
        ValueError: it is torn, or no text.
    """
    parts: list[str] = []
    rest = b""
    with open(path, "rb", 0) as file:
        while block := file.read(BLOCK_BYTES):
            whole, end, rest = (rest + block).rpartition(b"\0")
            if end:
                parts += whole.decode().split("\0")
    if len(parts) % 2 or rest:
        raise ValueError(f"{path}: torn")
    each = iter(parts)
    return dict(zip(each, each, strict=True)), len(parts) // 2


def pairs(told: dict[str, str]) -> bytes:
    """Write pairs as `read_pairs` reads them."""
    return "".join([f"{key}\0{value}\0" for key, value in told.items()]).encode()


def remove(path: str) -> None:
    """Remove a file, or a folder with all that is in it, as far as that is possible."""
    if os.path.isdir(path) and not os.path.islink(path):
        from shutil import rmtree  # mostly there is nothing to remove

        rmtree(path, ignore_errors=True)
        return
    try:
        os.unlink(path)
    except OSError:
        return
