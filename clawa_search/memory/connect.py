"""Connections to the memory database, and what SQLite's errors mean for its owner."""

from __future__ import annotations

import _sqlite3
import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

from clawa_search.errors import StoreError

READ_WAIT_S = 2.0
"""A reader waits this long; in WAL mode nobody holds it up but a program that locks everything."""

READER_CACHE_KIB = 500
"""Of pages that a reader keeps. A question reads most of its pages once, and each page more that
SQLite keeps is fresh memory: with its 2,000 a recall beside 100,000 memories took 3 ms of 60 for
page faults. In a process that stays open both are equally fast."""
WRITE_WAIT_S = 5.0
"""A writer waits this long for a lock that one program holds."""

# Primary result codes of SQLite (https://sqlite.org/rescode.html).
_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 26
_MEANING = {
    _BUSY: ("another program holds the lock", "try again; `fuser FILE` names the program"),
    _LOCKED: ("another connection holds the lock", "try again"),
    _READONLY: ("it cannot be written", "check the permissions of the file and of its folder"),
    _IOERR: ("the disk reports an error", "check the disk, its free space and its quota"),
    _CORRUPT: ("the database is damaged", "run `clawa-search doctor --repair`"),
    _FULL: ("the disk is full", "free some space and repeat the command: nothing was changed"),
    _CANTOPEN: ("it cannot be opened", "check the permissions of the file and of its folder"),
    _NOTADB: ("not an SQLite database", "move the file away, or set --home to another folder"),
}


def store_error(path: str, error: BaseException) -> StoreError:
    """Return what *error*, raised by SQLite or the system, means for the database at *path*."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    cause, remedy = _MEANING.get(code, ("", ""))
    if isinstance(error, OSError):
        cause, remedy = error.strerror or "", "check the file and its folder"
    detail = str(error)
    if code in _MEANING:
        return StoreError(f"{path}: {cause} ({detail})", hint=remedy)
    return StoreError(f"{path}: {cause or detail}", hint=remedy or "run `clawa-search doctor`")


def is_busy(error: BaseException) -> bool:
    """Tell whether *error* says that another connection holds a lock."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (_BUSY, _LOCKED)


def lacks_fts5(error: BaseException) -> bool:
    """Tell whether *error* says that this SQLite was built without FTS5."""
    return "no such module: fts5" in str(error).lower()


def is_damage(error: BaseException) -> bool:
    """Tell whether *error* says that something in the file is damaged."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == _CORRUPT


def has_fts5(con: sqlite3.Connection) -> bool:
    """Tell whether this SQLite was built with FTS5; true when it does not tell."""
    modules = {row[0] for row in con.execute("SELECT name FROM pragma_module_list")}
    return "fts5" in modules or not modules


def open_reader(path: str) -> tuple[sqlite3.Connection, bool]:
    """Return a connection that can only read, and whether it sees a frozen state.

    Frozen: the folder cannot be written or the disk is full, so that the shared memory file of
    WAL mode cannot be made. The file is then read as if nobody could change it.

    Raises:
        sqlite3.Error: *path* cannot be read.
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        return _read_only(f"file://{quoted}?mode=ro"), False
    except _sqlite3.OperationalError as error:
        from indexer.frozen import may_freeze

        if not may_freeze(path, error):
            raise
    return _read_only(f"file://{quoted}?mode=ro&immutable=1"), True


def _read_only(uri: str) -> sqlite3.Connection:
    con = connect(uri, READ_WAIT_S)
    try:
        con.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
        con.execute("SELECT 1 FROM sqlite_master").fetchone()
    except _sqlite3.Error:
        con.close()
        raise
    return con


def connect(where: str, wait_s: float) -> sqlite3.Connection:
    # check_same_thread: a server answers from several threads, one call at a time.
    con: sqlite3.Connection = _sqlite3.connect(
        where,
        timeout=wait_s,
        isolation_level=None,
        check_same_thread=False,
        uri=where.startswith("file:"),
    )
    con.text_factory = _text
    return con


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def check_regular(path: str) -> tuple[int, int]:
    """Return device and inode of *path*.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be reached, or *path* is something else than a file; opening a FIFO
            would wait for ever.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise OSError(errno.ENXIO, "a link to nothing", path) from None
        raise
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return status.st_dev, status.st_ino
