"""Files that hold the byte code of a list of modules together, so that a start opens one file.

As trusted as the .pyc files beside them, and written as these are: by the first run that may write
there, in one step. They are made of the .pyc files; whoever deletes them loses 2 ms once.
"""

from __future__ import annotations

from _frozen_importlib_external import MAGIC_NUMBER
from marshal import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.start import Packed

from clawa_search.start import HEAD_BYTES, MAX_BYTES
from indexer import files


def write(path: str, codes: Packed) -> None:
    """Put *codes* in place at *path*; a folder that cannot be written is left as it is.

    The file: the magic number of Python's byte code and the lengths of the parts, filled up to
    HEAD_BYTES; then the parts, each a dict like *codes* and shorter than MAX_BYTES.
    """
    parts = [dumps(part) for part in _parts(codes)]
    head = MAGIC_NUMBER + dumps(tuple(len(part) for part in parts))
    try:
        files.replace(path, b"".join((head.ljust(HEAD_BYTES, b"\0"), *parts)))
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
