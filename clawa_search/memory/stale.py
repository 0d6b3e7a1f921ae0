"""Whether the mirror has something to catch up with: asked at each `reindex`, mostly in vain."""

from __future__ import annotations

import _sqlite3
import os

from indexer.catalog import uri_path
from indexer.version import ANALYSIS_VERSION


def needs_refresh(path: str) -> bool:
    """Tell whether the mirror of the database at *path* may lack something.

    Opens nothing for writing and loads neither the analyser nor the engine; what cannot be told
    counts as yes.
    """
    if not os.path.exists(path):
        return False
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
