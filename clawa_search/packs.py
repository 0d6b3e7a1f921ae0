"""Files that hold the byte code of a list of modules together, so that a start opens one file.

As trusted as the .pyc files beside them, and written as these are: by the first run that may write
there, in one step. They are made of the .pyc files; whoever deletes them loses 2 ms once.
"""

from __future__ import annotations

import os
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.start import Packed

from clawa_search.start import HEAD_BYTES, MAX_BYTES


def write(path: str, codes: Packed) -> None:
    """Put *codes* in place at *path*; a folder that cannot be written is left as it is.

    The file: the magic number of Python's byte code and the lengths of the parts, filled up to
    HEAD_BYTES; then the parts, each a dict like *codes* and shorter than MAX_BYTES.
    """
    parts = [dumps(part) for part in _parts(codes)]
    head = MAGIC_NUMBER + dumps(tuple(len(part) for part in parts))
    made = f"{path}.{os.getpid()}"
    try:
        fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(head.ljust(HEAD_BYTES, b"\0"))
                file.writelines(parts)
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
    except OSError:
        return  # a read-only or full disk


def _parts(codes: Packed) -> list[Packed]:
    parts: list[Packed] = [{}]
    size = 0
    for name, one in codes.items():
        more = len(dumps(one))
        if parts[-1] and size + more > MAX_BYTES - 1024:
            parts.append({})
            size = 0
        parts[-1][name] = one
        size += more
    return parts
