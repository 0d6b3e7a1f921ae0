"""SQLite files that can be read although the shared memory of their log cannot be made."""

from __future__ import annotations

import os

# Result codes of SQLite (https://sqlite.org/rescode.html): primary ones, and those of a disk
# that has no room for the -shm file.
_READONLY, _CANTOPEN = 8, 14
_SHMOPEN, _SHMSIZE, _SHMMAP = (10 | number << 8 for number in (18, 19, 21))


def may_freeze(path: str, error: BaseException) -> bool:
    """Tell whether the file at *path*, on which *error* was met, may be read with immutable=1.

    The folder or the disk takes no file, so nobody writes; what stands in a log that is not empty
    would be missed, though.
    """
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF not in (_READONLY, _CANTOPEN) and code not in (_SHMOPEN, _SHMSIZE, _SHMMAP):
        return False
    try:
        return os.stat(f"{path}-wal").st_size == 0
    except OSError:
        return os.path.exists(path)
