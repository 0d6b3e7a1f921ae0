"""Read a small regular file without ever waiting for, or opening, anything that is not one."""

from __future__ import annotations

import os
import stat


class NotReadableError(Exception):
    """The path exists, but is not a regular file that can be read; the message says why."""


def read_regular(path: str, limit_bytes: int) -> tuple[bytes, int] | None:
    """Return the first *limit_bytes* bytes of *path* and its size in bytes; None without a file.

    Symbolic links are followed. A FIFO, socket, device or directory is never opened.

    Raises:
        NotReadableError: something is there that cannot be read as a file.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise NotReadableError("is not a regular file")
        # O_NONBLOCK: if a FIFO takes the file's place between stat and open, open returns at once.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        if os.path.islink(path):
            raise NotReadableError("is a symbolic link to nothing") from None
        return None
    except NotADirectoryError:
        return None
    except OSError as error:
        raise NotReadableError(_why(error)) from error
    try:
        return _read(handle, limit_bytes)
    except OSError as error:
        raise NotReadableError(_why(error)) from error
    finally:
        os.close(handle)


def _read(handle: int, limit_bytes: int) -> tuple[bytes, int]:
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        raise NotReadableError("is not a regular file")
    parts: list[bytes] = []
    left = limit_bytes
    while left > 0 and (part := os.read(handle, left)):
        parts.append(part)
        left -= len(part)
    data = b"".join(parts)
    return data, max(about.st_size, len(data))


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
