"""The status of a file, and how it is compared with what was indexed of it."""

from __future__ import annotations

import os
from errno import EINVAL, EISDIR, ELOOP, ESPIPE

SESSION, NOT_SESSION = 1, 0
"""`kind`: a session; some other `*.jsonl`."""

FORMAT, FILE, FOLDER = 0o170000, 0o100000, 0o040000
"""Of a mode: which bits tell what it is, as in `stat`, which takes a cold process 1 ms."""

NO_FILE = (ELOOP, EINVAL, EISDIR, ESPIPE)
"""Links that lead to each other; what is no regular file (see `tail.open_lines`)."""

INTEGER = (1 << 63) - 1
"""SQLite's largest: inodes of some file systems, and times after the year 2262, are larger."""

ODD = " !"
"""Behind the status of a file that a look at its status alone does not settle: no session, with
unreadable lines, or with a last line that is not indexed yet."""
STATUS_COLUMNS = "path size mtime_ns ctime_ns ino kind id skipped skipped_line end".split()
STATUS = f"SELECT {', '.join(STATUS_COLUMNS)} FROM files"
INODE = 3
"""Which word of `told` it is."""
Status = tuple[str, int, int, int, int, int, int, int, int, int]
"""A row of STATUS: enough to tell what changed."""


def told(stat: os.stat_result) -> str:
    """Write the status of a file that is to be compared with what was indexed."""
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"


def told_row(status: Status) -> str:
    """Write the status of an indexed file as a snapshot holds it."""
    _, size, mtime_ns, ctime_ns, ino, kind, _, skipped, _, end = status
    told = f"{size} {mtime_ns} {ctime_ns} {ino}"
    return told + ODD if kind != SESSION or skipped or end < size else told


def tells_gone(error: OSError) -> bool:
    """Does *error* say that no file is there, or none that is read? Permissions and disks do not."""
    return isinstance(error, FileNotFoundError | NotADirectoryError) or error.errno in NO_FILE


def identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of the file at *path*, None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def times_and_inode(stat: os.stat_result) -> tuple[int, int, int]:
    return stat.st_mtime_ns & INTEGER, stat.st_ctime_ns & INTEGER, stat.st_ino & INTEGER


def unchanged(status: Status, stat: os.stat_result) -> bool:
    """Is the file, by its status alone, the one that was indexed?

    ctime_ns is part of it: a rewrite of equal size whose mtime was put back has it new.
    """
    return status[1:5] == (stat.st_size, *times_and_inode(stat))


def has_tail(status: Status) -> bool:
    """Does a file that did not change end in a line that is not indexed?

    A last line without LF may still be written to: no checkpoint passes it, readers look at it.
    """
    size, kind, end = status[1], status[5], status[9]
    return end < size and (kind == SESSION or end == 0)
