"""The connection that writes: the file made private, commits durable, each writer in its turn."""

from __future__ import annotations

import _sqlite3
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3

from clawa_search.memory.connect import WRITE_WAIT_S, check_regular, connect, is_busy

MAX_WAIT_S = 60.0
"""It waits up to this long while others take their turns."""


def open_writer(path: str, wait_s: float = WRITE_WAIT_S) -> sqlite3.Connection:
    """Return a connection that writes durably; make the file, 0600, if there is none.

    Raises:
        OSError: the folder or the file cannot be made.
        sqlite3.Error: *path* cannot be written.
    """
    _make(path)
    con = connect(path, wait_s)
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
