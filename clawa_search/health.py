"""`status` tells what there is; `doctor` checks it and can repair it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer import catalog as rows
from indexer import store
from indexer.errors import IndexBrokenError, RecallError
from indexer.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.recall import Recall
    from indexer.catalog import Catalog
    from indexer.discover import Found

SAMPLE_FILES = 50
"""How many of the newest files `doctor` compares with the index entry by entry."""


class Check:
    """One thing that was looked at.

    Attributes:
        detail: what was found; `repair` is what would mend it, empty when nothing is wrong.
    """

    def __init__(self, name: str, *, ok: bool, detail: str, repair: str = "") -> None:
        self.name = name
        self.ok = ok
        self.detail = detail
        self.repair = "" if ok else repair

    def fields(self) -> dict[str, object]:
        return {"name": self.name, "ok": self.ok, "detail": self.detail, "repair": self.repair}


def status(recall: Recall) -> dict[str, object]:
    """Return paths, schema versions, counts, sizes in bytes, newest entries and the lag."""
    places = recall.places
    told: dict[str, object] = {
        "home": places.home,
        "database": places.database,
        "index_dir": places.index_dir,
        "index_version": VERSION,
        "sessions_dirs": places.all_sessions().roots,
    }
    told |= _memory_status(recall)
    told |= _index_status(recall)
    return told


def _memory_status(recall: Recall) -> dict[str, object]:
    memories = recall.memories
    told: dict[str, object] = {"memories": 0, "database_bytes": 0, "database_version": None}
    if memories.exists():
        told["database_bytes"] = size_of(recall.places.database)
        try:
            told["memories"] = memories.stats()[0]
            told["database_version"] = memories.version()
        except RecallError as error:
            told["database_error"] = str(error)
    return told


def _index_status(recall: Recall) -> dict[str, object]:
    told: dict[str, object] = {
        "sessions": 0,
        "entries": 0,
        "segments": 0,
        "index_bytes": 0,
        "newest_indexed_ms": None,
        "newest_existing_ms": None,
        "files_pending": 0,
        "bytes_pending": 0,
        "lag_ms": 0,
    }
    try:
        catalog = recall.open_catalog()
        listing = recall.everything()
        pending, bytes_pending = _pending(listing.files, catalog)
        told["files_pending"], told["bytes_pending"] = len(pending), bytes_pending
        newest = max((file.stat.st_mtime_ns for file in listing.files), default=0) // 1_000_000
        told["newest_existing_ms"] = newest or None
        if catalog is None:
            return told
        told["index_bytes"] = size_of(recall.places.index_dir)
        told |= catalog.totals()
        index = recall.open_index()
        told["segments"] = index.segments if index else 0
        if pending:
            seen = catalog.statuses().values()
            indexed = max((row[2] for row in seen if row[5] == rows.SESSION), default=0)
            told["lag_ms"] = max(newest - indexed // 1_000_000, 0)
    except IndexBrokenError as error:
        told["index_error"] = str(error)
    return told


def _pending(files: list[Found], catalog: Catalog | None) -> tuple[list[str], int]:
    known = catalog.statuses() if catalog else {}
    pending, count = [], 0
    for found in files:
        row = known.get(found.path)
        if row is None or not rows.unchanged(row, found.stat):
            pending.append(found.path)
            count += max(found.stat.st_size - (row[1] if row else 0), 0)
    return pending, count


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
                total += os.stat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total


def doctor(recall: Recall, *, repair: bool) -> list[Check]:
    """Check memories and index; with *repair*, mend what can be mended and check again."""
    checks = _all_checks(recall)
    if repair and not all(check.ok for check in checks):
        broken = {check.name for check in checks if not check.ok}
        if broken & {"memories", "mirror"}:
            recall.memories.repair()
        if broken & {"index", "freshness", "entries"}:
            recall.close()
            recall.reindex(rebuild=bool(broken & {"index", "entries"}))
        checks = _all_checks(recall)
    return checks


def _all_checks(recall: Recall) -> list[Check]:
    return [
        _guarded("memories", lambda: _check_memories(recall)),
        _guarded("permissions", lambda: _check_permissions(recall)),
        _guarded("index", lambda: _check_index(recall)),
        _guarded("entries", lambda: _check_entries(recall)),
        _guarded("freshness", lambda: _check_freshness(recall)),
    ]


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except RecallError as error:
        return Check(name, ok=False, detail=str(error), repair=error.hint or "doctor --repair")


def _check_memories(recall: Recall) -> Check:
    if not recall.memories.exists():
        return Check("memories", ok=True, detail="no memories yet")
    problems = recall.memories.integrity()
    count = recall.memories.stats()[0]
    detail = "; ".join(problems) if problems else f"{count:,} memories, mirror in step"
    return Check(
        "memories",
        ok=not problems,
        detail=detail,
        repair="doctor --repair rebuilds the mirror from the memories, after a backup",
    )


def _check_permissions(recall: Recall) -> Check:
    wide = [
        path
        for path in (recall.places.database, recall.places.index_dir)
        if os.path.exists(path) and os.stat(path).st_mode & 0o077
    ]
    detail = f"readable by others: {', '.join(wide)}" if wide else "private"
    return Check(
        "permissions", ok=not wide, detail=detail, repair="chmod go-rwx the files named, or leave"
    )


def _check_index(recall: Recall) -> Check:
    generation = store.current(recall.places.index_dir)
    if generation is None:
        return Check(
            "index", ok=True, detail="nothing is indexed yet; recall indexes what it needs"
        )
    recall.close()
    catalog = recall.open_catalog()
    if catalog is None:
        return Check(
            "index",
            ok=False,
            detail=f"written by another version ({generation.version}, now {VERSION})",
            repair="clawa-search reindex",
        )
    index = recall.open_index()
    entries = index.verify() if index else 0
    recorded = int(str(catalog.totals()["entries"]))
    return Check(
        "index",
        ok=entries == recorded,
        detail=f"{entries:,} entries in the index, {recorded:,} in the catalog",
        repair="doctor --repair builds the index anew",
    )


def _check_entries(recall: Recall) -> Check:
    """Compare the newest files with the index, entry by entry, anchor by anchor."""
    catalog = recall.open_catalog()
    index = recall.open_index()
    if catalog is None or index is None:
        return Check("entries", ok=True, detail="nothing is indexed yet")
    wrong, seen = [], 0
    statuses = sorted(catalog.statuses().values(), key=lambda row: -row[2])
    from clawa_search.search.anchors import is_there

    for status_row in [row for row in statuses if row[5] == rows.SESSION][:SAMPLE_FILES]:
        row = catalog.by_id(status_row[6])
        if row is None or not os.path.exists(row.path) or not _same(row):
            continue
        for seq in {0, row.next_seq // 2, row.next_seq - 1}:
            if 0 <= seq < row.next_seq:
                stored = index.entry(row.id, seq)
                seen += 1
                if stored is None or not is_there(row.path, stored):
                    wrong.append(f"{row.path} entry {seq}")
    detail = (
        f"{len(wrong)} anchors wrong, the first: {wrong[0]}" if wrong else f"{seen} anchors open"
    )
    return Check("entries", ok=not wrong, detail=detail, repair="clawa-search reindex --rebuild")


def _same(row: rows.File) -> bool:
    stat = os.stat(row.path)
    return (row.size, row.mtime_ns, row.ino) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def _check_freshness(recall: Recall) -> Check:
    told = _index_status(recall)
    pending = int(str(told["files_pending"]))
    lag = int(str(told["lag_ms"])) / 1000
    detail = (
        f"{pending} files not indexed yet ({told['bytes_pending']} bytes, {lag:.0f} s behind)"
        if pending
        else "everything is indexed"
    )
    return Check("freshness", ok=not pending, detail=detail, repair="clawa-search reindex")
