"""What there is: paths, versions, counts, sizes, and how far the index is behind."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.recall import Recall
    from indexer.catalog import Catalog
    from indexer.discover import Found, Listing

from clawa_search.search.scope import away
from indexer import layout
from indexer.discover import newest as recent
from indexer.errors import IndexBrokenError, RecallError
from indexer.known import known_before
from indexer.status import unchanged
from indexer.version import VERSION

TAIL_BYTES = 256 << 10
"""Where the time of a file's newest entry is looked for."""
MAX_TAILS = 20


def status(recall: Recall) -> dict[str, object]:
    """Return the fields of `status --json`: times are Unix ms, sizes bytes, None is unknown."""
    places = recall.places
    return {
        "home": places.home,
        "database": places.database,
        "index_dir": places.index_dir,
        **_memories(recall),
        **sessions(recall),
    }


def _memories(recall: Recall) -> dict[str, object]:
    memories = recall.memories
    told: dict[str, object] = {"memories": 0, "database_version": None, "database_bytes": 0}
    if memories.exists():
        told["database_bytes"] = size_of(recall.places.database)
        try:
            told["memories"] = memories.count()
            told["database_version"] = memories.version()
        except RecallError as error:
            told["database_error"] = str(error)
    return told


def sessions(recall: Recall) -> dict[str, object]:
    """Return what of `status` is about session files and their index."""
    listing = recall.everything(compared=True)
    listing.drop_links()
    told: dict[str, object] = {
        "sessions_dirs": [root for root in listing.roots if root.startswith("/")],
        "sessions_dirs_missing": away(listing, None, known_before(recall.places.index_dir)),
        "index_version": VERSION,
        "index_bytes": size_of(recall.places.index_dir),
        "sessions": 0,
        "entries": 0,
        "segments": 0,
        "newest_indexed_ms": None,
    }
    try:
        generation = layout.current(recall.places.index_dir)
        if generation is not None and not generation.is_usable:
            why = f"of version {generation.version}; the next reindex makes it anew"
            told["index_error"] = f"{generation.folder}: {why}"
        catalog = recall.open_catalog()
        if catalog is not None:
            told |= catalog.totals()
            index = recall.open_index()
            told["segments"] = index.segments if index else 0
        told |= _pending(listing, catalog, told["newest_indexed_ms"])
    except IndexBrokenError as error:
        told["index_error"] = str(error)
        told |= _pending(recall.everything(), None, None)
    return told


def _pending(
    listing: Listing, catalog: Catalog | None, newest_indexed_ms: object
) -> dict[str, object]:
    """Compare the files with the catalog by status, and look when the unindexed ones end."""
    known = catalog.statuses() if catalog else {}
    pending = []
    count_bytes = 0
    for found in listing.files:
        row = known.get(found.path)
        if row is None or not unchanged(row, found.stat):
            pending.append(found)
            count_bytes += max(found.stat.st_size - (row[1] if row else 0), 0)
    indexed = newest_indexed_ms if isinstance(newest_indexed_ms, int) else 0
    newest = max([indexed, *map(newest_ms, recent(pending, MAX_TAILS))])
    return {
        "newest_existing_ms": newest or None,
        "files_pending": len(pending),
        "files_unreadable": listing.unreadable
        + [one.path for one in pending if not os.access(one.path, os.R_OK)],
        "bytes_pending": count_bytes,
        "lag_ms": 0 if not pending else newest - indexed if indexed else None,
    }


def newest_ms(found: Found) -> int:
    """Return when the last entry of a session file was written; its mtime if it does not say."""
    from indexer.formats.parse import Malformed, strict_loads, time_ms

    try:
        fd = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        tail = os.pread(fd, TAIL_BYTES, max(found.stat.st_size - TAIL_BYTES, 0))
    except OSError:
        return 0
    finally:
        os.close(fd)
    for line in reversed(tail.split(b"\n")):
        try:
            value = strict_loads(line)
        except Malformed:
            continue
        if not isinstance(value, dict):
            continue
        message = value.get("message")
        inner = message if isinstance(message, dict) else value
        when = time_ms(inner.get("timestamp")) or time_ms(value.get("timestamp"))
        if when:
            return when
    return found.stat.st_mtime_ns // 1_000_000


def size_of(path: str) -> int:
    """Return the bytes of a file, or of everything below a folder."""
    try:
        if not os.path.isdir(path):
            return os.stat(path).st_size
    except OSError:
        return 0
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
