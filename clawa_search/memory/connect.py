"""Connections to the memory database, and what SQLite's errors mean for its owner."""

from __future__ import annotations

import _sqlite3
import errno
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

from clawa_search.errors import StoreError

READ_WAIT_S = 2.0
"""A reader waits this long; in WAL mode nobody holds it up but a program that locks everything."""
WRITE_WAIT_S = 5.0
"""A writer waits this long for a lock that one program holds."""
MAX_WAIT_S = 60.0
"""It waits up to this long while others take their turns."""

# Primary result codes of SQLite (https://sqlite.org/rescode.html).
_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 26
_MEANING = {
    _BUSY: ("another program holds the lock", "try again; `fuser FILE` names the program"),
    _LOCKED: ("another connection holds the lock", "try again"),
    _READONLY: ("it cannot be written", "check the permissions of the file and of its folder"),
    _IOERR: ("the disk reports an error", "check the disk, its free space and its quota"),
    _CORRUPT: ("the database is damaged", "run `clawa-search doctor`; keep a copy of the file"),
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


def has_fts5(con: sqlite3.Connection) -> bool:
    """Tell whether this SQLite was built with FTS5; true when it does not tell."""
    modules = {row[0] for row in con.execute("SELECT name FROM pragma_module_list")}
    return "fts5" in modules or not modules


def open_reader(path: str) -> tuple[sqlite3.Connection, bool]:
    """Return a connection that can only read, and whether it sees a frozen state.

    Frozen: the folder cannot be written, so that the shared memory file of WAL mode cannot be
    made. The file is then read as if nobody could change it, which is true without a WAL file.

    Raises:
        sqlite3.Error: *path* cannot be read.
    """
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    con = _connect(f"file://{quoted}?mode=ro", READ_WAIT_S)
    try:
        con.execute("SELECT 1 FROM sqlite_master").fetchone()
    except _sqlite3.OperationalError as error:
        con.close()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code not in (_READONLY, _CANTOPEN) or _has_wal(path):
            raise
    except _sqlite3.Error:
        con.close()
        raise
    else:
        return con, False
    con = _connect(f"file://{quoted}?mode=ro&immutable=1", READ_WAIT_S)
    try:
        con.execute("SELECT 1 FROM sqlite_master").fetchone()
    except _sqlite3.Error:
        con.close()
        raise
    return con, True


def open_writer(path: str, wait_s: float = WRITE_WAIT_S) -> sqlite3.Connection:
    """Return a connection that writes durably; make the file, 0600, if there is none.

    Raises:
        OSError: the folder or the file cannot be made.
        sqlite3.Error: *path* cannot be written.
    """
    _make(path)
    con = _connect(path, wait_s)
    try:
        # Without this, SQLite leaves what was deleted in the file until something overwrites it.
        con.execute("PRAGMA secure_delete = ON")
        _use_wal(con, wait_s)
        con.execute("PRAGMA synchronous = FULL")
    except _sqlite3.Error:
        con.close()
        raise
    return con


def begin(con: sqlite3.Connection, wait_s: float = WRITE_WAIT_S) -> None:
    """Start a transaction that writes, when the others let us.

    SQLite's own waiting sleeps longer the longer it has waited, so that of many writers one may
    never get its turn. Here all wait alike, and as long as others get on, nobody gives up.

    Raises:
        sqlite3.OperationalError: one program held the lock for *wait_s*.
    """
    now = time.monotonic()
    deadline, end = now + wait_s, now + MAX_WAIT_S
    seen = None
    con.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                con.execute("BEGIN IMMEDIATE")
            except _sqlite3.OperationalError as error:
                now = time.monotonic()
                (version,) = con.execute("PRAGMA data_version").fetchone()
                if version != seen:  # somebody committed
                    seen, deadline = version, min(now + wait_s, end)
                if not is_busy(error) or now > deadline:
                    raise
                time.sleep(0.002)
            else:
                return
    finally:
        con.execute(f"PRAGMA busy_timeout = {int(WRITE_WAIT_S * 1000)}")


def _connect(where: str, wait_s: float) -> sqlite3.Connection:
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


def _has_wal(path: str) -> bool:
    try:
        return os.stat(f"{path}-wal").st_size > 0
    except OSError:
        return False


def _make(path: str) -> None:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        try:  # noqa: SIM105  (contextlib is slow to import)
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass  # another process was faster
    if not os.path.exists(path):
        try:  # noqa: SIM105
            # Only a file that is new: closing any descriptor of a database that SQLite has open in
            # this process would drop SQLite's own locks (POSIX locks belong to the process).
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            pass
    check_regular(path)


def check_regular(path: str) -> tuple[int, int]:
    """Return device and inode of *path*.

    Raises:
        FileNotFoundError: there is none.
        OSError: *path* is something else than a file; opening a FIFO would wait for ever.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    return status.st_dev, status.st_ino


def _use_wal(con: sqlite3.Connection, wait_s: float) -> None:
    """Switch to write-ahead logging, once for the life of the file."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            if con.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                con.execute("PRAGMA journal_mode = WAL")
        except _sqlite3.OperationalError as error:
            # SQLite does not wait here: two switches at once would wait for each other.
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return
