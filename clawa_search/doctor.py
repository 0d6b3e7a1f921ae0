"""Look for what can be wrong with memories and index, and mend it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clawa_search.recall import Recall
    from clawa_search.search.sessions import SessionIndex
    from indexer.catalog import Catalog, File

from clawa_search.status import sessions
from indexer import checkup, files, layout, store
from indexer.errors import IndexBrokenError, IndexBusyError, RecallError
from indexer.status import SESSION, unchanged
from indexer.version import VERSION

SAMPLE_FILES = 50
"""How many of the newest files are compared with the index."""
SAMPLE_TOKENS = 20
"""How many tokens of a sampled entry must be in the index."""
SHOWN = 5
MEND = "doctor --repair"
BY_OWNER = "set its permissions, as its owner"


class Check:
    """One thing that was looked at.

    Attributes:
        detail: what was found.
        repair: what mends it; empty when nothing is wrong.
    """

    __slots__ = ("detail", "name", "ok", "repair")

    def __init__(self, name: str, *, ok: bool, detail: str, repair: str = "") -> None:
        self.name = name
        self.ok = ok
        self.detail = detail
        self.repair = "" if ok else repair

    @property
    def can_be_mended(self) -> bool:
        """Would `doctor --repair` do it, rather than its reader?"""
        return MEND in self.repair


def doctor(recall: Recall, *, repair: bool) -> list[Check]:
    """Check everything; with *repair*, mend what is wrong and check again."""
    checks = _all_checks(recall)
    wrong = {check.name for check in checks if not check.ok and check.can_be_mended}
    if not repair or not wrong:
        return checks
    failures = list(_mend(recall, wrong))
    checks = _all_checks(recall)
    for name, why, hint in failures:
        for check in checks:
            if check.name == name and not check.ok:
                check.detail += f"; not repaired: {why}"
                check.repair = hint or check.repair
    return checks


def _mend(recall: Recall, wrong: set[str]) -> Iterator[tuple[str, str, str]]:
    """Mend what is wrong, the truth before the cache.

    Yields:
        What could not be mended, why, and what would help.
    """
    steps: dict[str, Callable[[], object]] = {
        "permissions": lambda: _close_to_others(recall),
        "memories": recall.memories.repair,
        "index": lambda: _reindex(recall, rebuild=True),
        "entries": lambda: _reindex(recall, rebuild=True),
        "leftovers": lambda: _remove_leftovers(recall),
        "freshness": lambda: _reindex(recall, rebuild=False),
    }
    if "index" in wrong:  # one new index heals all three
        wrong -= {"entries", "freshness"}
    elif "entries" in wrong:
        wrong -= {"freshness"}
    for name, step in steps.items():
        if name in wrong:
            try:
                step()
            except (RecallError, OSError) as error:
                hint = BY_OWNER if isinstance(error, PermissionError) else ""
                yield name, str(error), getattr(error, "hint", hint)


def _reindex(recall: Recall, *, rebuild: bool) -> None:
    recall.close()
    recall.reindex(rebuild=rebuild, suspect=rebuild)


def _all_checks(recall: Recall) -> list[Check]:
    recall.close()  # look at what is there now, not at what was opened before
    return [
        _guarded("permissions", recall, _check_permissions),
        _guarded("memories", recall, _check_memories),
        _guarded("index", recall, _check_index),
        _guarded("entries", recall, _check_entries),
        _guarded("leftovers", recall, _check_leftovers),
        _guarded("freshness", recall, _check_freshness),
    ]


def _guarded(name: str, recall: Recall, check: Callable[[Recall], Check]) -> Check:
    try:
        return check(recall)
    except RecallError as error:
        helps = isinstance(error, IndexBrokenError) and "reindex" in error.hint
        repair = "doctor --repair makes a new index" if helps else error.hint or MEND
        return Check(name, ok=False, detail=str(error), repair=repair)


def _private_paths(recall: Recall) -> list[str]:
    """Return what only its owner should read: database with its companions, index folder."""
    folder, name = os.path.split(recall.places.database)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    found = [f"{folder}/{other}" for other in names if other.startswith(name)]
    return [*found, recall.places.index_dir]


def _open_to_others(recall: Recall) -> dict[str, int]:
    """Return the modes of private paths that others may enter; one may vanish at any moment."""
    modes = {}
    for path in _private_paths(recall):
        try:
            mode = os.stat(path).st_mode & 0o777
        except OSError:
            continue
        if mode & 0o077:
            modes[path] = mode
    return modes


def _check_permissions(recall: Recall) -> Check:
    wide = _open_to_others(recall)
    detail = f"open to others: {', '.join(wide)}" if wide else "only you can read them"
    return Check("permissions", ok=not wide, detail=detail, repair="doctor --repair, or chmod go=")


def _close_to_others(recall: Recall) -> None:
    for path, mode in _open_to_others(recall).items():
        os.chmod(path, mode & 0o700)


def _check_memories(recall: Recall) -> Check:
    if not recall.memories.exists():
        why = _why_none_can_be(recall.places.database)
        repair = "move it away or set its permissions, or use --home DIR"
        return Check("memories", ok=not why, detail=why or "none yet", repair=repair)
    problems = recall.memories.integrity()
    detail = "; ".join(problems) or f"{recall.memories.count():,}, mirror in step"
    repair = "doctor --repair makes the mirror anew, after a copy of the database"
    if not os.access(recall.places.database, os.W_OK):
        repair = BY_OWNER
    return Check("memories", ok=not problems, detail=detail, repair=repair)


def _why_none_can_be(path: str) -> str:
    """Say what stands in the way of a database at *path*; empty if nothing does."""
    if os.path.lexists(path):
        return f"{path}: a link to nothing"
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        return f"{folder}: not a folder"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder}: cannot be written"


def _check_index(recall: Recall) -> Check:
    repair = "doctor --repair makes a new index from the session files"
    generation = layout.current(recall.places.index_dir)
    if generation is None:
        return Check("index", ok=True, detail="none yet: recall makes one when it is worth it")
    if not generation.is_usable:
        detail = f"{generation.folder}: of version {generation.version}, now it is {VERSION}"
        return Check("index", ok=False, detail=detail, repair=repair)
    catalog = recall.open_catalog()
    assert catalog is not None
    rows_wrong = [str(row[0]) for row in catalog.select("PRAGMA quick_check(5)")]
    problems = [f"{catalog.path}: {why}" for why in rows_wrong if why != "ok"]
    problems = _few([*problems, *checkup.damaged_files(generation)])
    index = recall.open_index()
    entries = index.entries if index else 0
    recorded = int(str(catalog.totals()["entries"]))
    # A pass that was left unfinished may have put in more than it recorded: the next one repeats it.
    if entries != recorded and not catalog.number("writing"):
        problems.append(f"{entries:,} entries in the index, {recorded:,} in the catalog")
    detail = "; ".join(problems) or f"{entries:,} entries, checksums right"
    return Check("index", ok=not problems, detail=detail, repair=repair)


def _few(problems: list[str]) -> list[str]:
    left = len(problems) - SHOWN
    return problems if left <= 0 else [*problems[:SHOWN], f"{left} more"]


def _check_entries(recall: Recall) -> Check:
    """Compare entries of the newest files with the index: anchors, and words."""
    catalog = recall.open_catalog()
    index = recall.open_index() if catalog is not None else None
    if catalog is None or index is None:
        return Check("entries", ok=True, detail="none yet")
    wrong, seen = [], 0
    for row in _sample(catalog):
        for seq in sorted({0, row.next_seq // 2, row.next_seq - 1}):
            if 0 <= seq < row.next_seq:
                seen += 1
                why = _wrong_entry(index, row, seq)
                if why:
                    wrong.append(f"{row.path}: {why}")
    detail = "; ".join(_few(wrong)) or f"{seen} looked up, all in place"
    return Check("entries", ok=not wrong, detail=detail, repair="doctor --repair makes a new index")


def _sample(catalog: Catalog) -> Iterator[File]:
    """Yield the newest files that are as they were when they were indexed."""
    newest = sorted(catalog.statuses().values(), key=lambda status: -status[2])
    kept = [status for status in newest if status[5] == SESSION][:SAMPLE_FILES]
    for status in kept:
        row = catalog.by_id(status[6])
        try:
            if row is not None and unchanged(status, os.stat(row.path)):
                yield row
        except OSError:
            continue


def _wrong_entry(index: SessionIndex, row: File, seq: int) -> str:
    """Return what is wrong with an indexed entry, an empty string when nothing is."""
    from clawa_search.search.anchors import is_there
    from indexer import analysis

    stored = index.entry(row.id, seq)
    if stored is None:
        return f"entry {seq} is not in the index"
    try:
        if not is_there(row.path, stored):
            return f"line {stored.line} is not what was indexed"
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    for token in analysis.text_tokens(stored.text[:2000])[:SAMPLE_TOKENS]:
        if not index.df("text", token):
            return f"line {stored.line}: {token!r} is not in the index"
    return ""


def _check_leftovers(recall: Recall) -> Check:
    index_dir = recall.places.index_dir
    if not os.path.isdir(index_dir):
        return Check("leftovers", ok=True, detail="none")
    try:
        with store.WriterLock(index_dir):
            found = checkup.leftovers(index_dir)
    except IndexBusyError:
        return Check("leftovers", ok=True, detail="not looked for: a process is indexing")
    except IndexBrokenError as error:
        return Check("leftovers", ok=True, detail=f"not looked for: {error}")
    detail = "; ".join(_few(found)) or "none"
    return Check("leftovers", ok=not found, detail=detail, repair="doctor --repair removes them")


def _remove_leftovers(recall: Recall) -> None:
    recall.close()
    with store.WriterLock(recall.places.index_dir):
        for path in checkup.leftovers(recall.places.index_dir):
            files.remove(path)


def _check_freshness(recall: Recall) -> Check:
    told = sessions(recall)
    away, unreadable = told["sessions_dirs_missing"], told["files_unreadable"]
    if isinstance(away, list) and away:
        detail = f"{', '.join(away)}: missing; what was indexed from there is not searched"
        repair = "bring it back; `clawa-search reindex --rebuild` forgets what was there"
        return Check("freshness", ok=False, detail=detail, repair=repair)
    if isinstance(unreadable, list) and unreadable:
        detail = f"cannot be read: {', '.join(_few(unreadable))}"
        return Check("freshness", ok=False, detail=detail, repair="set their permissions")
    pending, lag_ms = told["files_pending"], told["lag_ms"]
    behind = f"{lag_ms / 1000:,.0f} s behind" if isinstance(lag_ms, int) else "nothing is indexed"
    detail = (
        f"{pending:,} files wait ({told['bytes_pending']:,} bytes): {behind}"
        if pending
        else "all session files are indexed"
    )
    return Check(
        "freshness",
        ok=not pending,
        detail=detail,
        repair="doctor --repair, or clawa-search reindex",
    )
