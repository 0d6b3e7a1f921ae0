"""Whether the mirror has something to catch up with: asked at each `reindex`, mostly in vain.

The answer "no" is kept beside the index, with what the database's files looked like, so that the
next run need not load SQLite to hear it again.
"""

from __future__ import annotations

import os

from indexer import files
from indexer.version import ANALYSIS_VERSION

MAX_HOMES = 64
"""Homes whose answer is kept; the oldest goes first."""


def needs_refresh(path: str, index_dir: str) -> bool:
    """Tell whether the mirror of the database at *path* may lack something.

    Opens nothing for writing and loads neither the analyser nor the engine; what cannot be told
    counts as yes.
    """
    kept = f"{index_dir}/memories"
    try:
        stamp = _stamp(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    known = _read(kept)
    if known.get(path) == stamp:
        return False
    if _is_behind(path):
        return True
    _keep(kept, known, path, stamp)
    return False


def _is_behind(path: str) -> bool:
    import _sqlite3

    from indexer.catalog import uri_path

    try:
        con = _sqlite3.connect(f"file:{uri_path(path)}?mode=ro", uri=True, timeout=0.1)
    except _sqlite3.Error:
        return True
    try:
        (analyser,) = con.execute("SELECT analyser FROM memories_state").fetchone()
        stale = con.execute("SELECT 1 FROM memories_stale LIMIT 1").fetchone()
    except (_sqlite3.Error, TypeError):
        return True
    finally:
        con.close()
    return stale is not None or analyser != ANALYSIS_VERSION


def _stamp(path: str) -> str:
    """Say what the database and its journal look like: any write shows in one of them."""
    parts = [str(ANALYSIS_VERSION)]
    for file in (path, f"{path}-wal"):
        try:
            status = os.stat(file)
        except FileNotFoundError:
            if file == path:
                raise
            continue
        if status.st_size:  # readers make an empty journal, and as root change its ctime
            parts.append(f"{status.st_size} {status.st_mtime_ns} {status.st_ino}")
    return " ".join(parts)


def _read(kept: str) -> dict[str, str]:
    try:
        return files.read_pairs(kept)[0]
    except (OSError, ValueError):
        return {}


def _keep(kept: str, known: dict[str, str], path: str, stamp: str) -> None:
    known.pop(path, None)
    newest = dict([*list(known.items())[1 - MAX_HOMES :], (path, stamp)])
    try:
        files.replace(kept, files.pairs(newest))
    except (OSError, UnicodeEncodeError):
        return  # no index folder, or a full disk: asked again the next time
