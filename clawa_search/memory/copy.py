"""Copies of the memory database, made before anything rewrites the memories themselves."""

from __future__ import annotations

import _sqlite3
import os
import time

from clawa_search.memory.connect import check_regular, open_reader


def back_up(path: str, now_ms: int) -> str:
    """Copy the database to a new file beside it, readable by its owner only; return its name.

    Raises:
        OSError, sqlite3.Error: no copy was made, and no part of one is left.
    """
    check_regular(path)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now_ms / 1000))
    copy = f"{path}.backup-{stamp}Z"
    number = 1
    while True:
        try:
            os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            break
        except FileExistsError:
            number += 1
            copy = f"{path}.backup-{stamp}Z-{number}"
    try:
        # Through a connection of its own: SQLite refuses to copy from one that is writing.
        source, _ = open_reader(path)
        try:
            target = _sqlite3.connect(copy, isolation_level=None)
            try:
                source.backup(target)
                # One file is easier to keep than three.
                target.execute("PRAGMA journal_mode = DELETE")
            finally:
                target.close()
        finally:
            source.close()
    except BaseException:
        os.unlink(copy)
        raise
    return copy
