"""Bring the index up to date with the session files: the incremental loop.

Append -> the tail only. Rewritten in any way -> the file afresh. Renamed -> its path. Gone ->
removed. The index is committed first and the catalog after it, so a crash between the two only
repeats work: every pass begins by removing what a lost one may have left.

What was deleted is not found any more after the next sync. Its bytes stay in the files of the
index until Tantivy happens to merge them; only a rebuild promises that none are left.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.discover import Listing
    from indexer.snapshot import Snapshot

from indexer import layout
from indexer.errors import IndexBrokenError
from indexer.known import Known, known_before
from indexer.plan import count_unchanged, plan
from indexer.report import Progress, SyncReport
from indexer.version import VERSION

NEVER_S = float("inf")
FORGOTTEN = "the folder is missing and no longer known; `clawa-search reindex DIR` names one again"


def sync(
    index_dir: str,
    listing: Listing,
    *,
    rebuild: bool = False,
    suspect: bool = False,
    narrow: bool = False,
    commit_s: float = NEVER_S,
    seen: Snapshot | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> SyncReport:
    """Bring the index in *index_dir* up to date with *listing*.

    Files of the catalog that *listing* does not name are left alone unless they are gone.

    Args:
        rebuild: build a new index beside the old one and swap; unless the old one is suspect,
            folders that are missing are forgotten.
        suspect: somebody failed to read the index: look for damage first.
        narrow: a question waits for no more than *listing*. When a new index must be made, what
            the roots of the old one lead to is left to a later sync.
        commit_s: commit every so many seconds: whoever waits for the answer may end this process.
        seen: the snapshot that *listing* was compared with, which may still be true.

    Raises:
        IndexBusyError: another process is writing; nothing was changed.
        IndexBrokenError: the index can be neither used nor replaced.
    """
    began = clock()
    report = SyncReport()
    listing.drop_links()
    report.seen = listing.count
    for path, why in listing.notes:
        report.note(path, why)
    if rebuild or suspect or not _nothing_to_do(index_dir, listing, report, seen):
        progress = progress or Progress()
        from indexer import engines, store

        for engine in engines.ENGINES:
            engines.load(engine)
        with store.WriterLock(index_dir):
            try:
                todo = (index_dir, listing, report, progress, commit_s)
                if rebuild or not _continued(*todo, suspect=suspect):
                    forget = rebuild and not suspect
                    _build(*todo, narrow=narrow, swap=rebuild, forget=forget)
            except OSError as error:  # the folder was deleted under us, for one
                raise store.unwritable(index_dir, error) from error
    report.took_ms = (clock() - began) * 1000
    return report


def _nothing_to_do(
    index_dir: str, listing: Listing, report: SyncReport, seen: Snapshot | None
) -> bool:
    """Look without the lock and without tantivy: most runs end here."""
    trial = SyncReport()
    try:
        generation = layout.current(index_dir)
        if generation is None or not generation.is_usable:
            return False
        known = Known(generation, seen)
        try:
            made = plan(listing, known.files, known.rows, known.roots, trial, glance=True)
        finally:
            known.close()
        if not (made.empty and known.settled) or set(listing.roots) - set(known.roots):
            return False
    except IndexBrokenError:
        return False
    if known.signature != layout.signature(generation):
        return False
    report.notes += trial.notes
    count_unchanged(made, report)
    return True


def _continued(
    index_dir: str,
    listing: Listing,
    report: SyncReport,
    progress: Progress,
    commit_s: float,
    *,
    suspect: bool,
) -> bool:
    """Bring the current generation up to date; false when only a new one will do."""
    from indexer import store
    from indexer.passing import Pass

    generation = layout.current(index_dir)
    if generation is None or not generation.is_usable:
        return False
    trial = SyncReport()
    try:
        Pass(generation, listing, trial, progress, commit_s, suspect=suspect).run([])
    except IndexBrokenError:
        from indexer.damage import find_damage

        damage = find_damage(generation)
        if not damage:
            raise
        report.note(generation.folder, f"damaged, built anew: {damage}")
        return False
    report.add(trial)
    store.remove_others(index_dir, generation)
    return True


def _build(
    index_dir: str,
    listing: Listing,
    report: SyncReport,
    progress: Progress,
    commit_s: float,
    *,
    narrow: bool,
    swap: bool,
    forget: bool,
) -> None:
    """Build a new generation beside the current one.

    Args:
        swap: the current one stays until the new one is whole. Else it is of no use to anybody, and
            the new one is used from its first commit on: who is killed while it grows has to go on
            from there only.
        forget: folders that are missing are roots no more.
    """
    from indexer import store
    from indexer.passing import Pass

    known = known_before(index_dir)
    roots, paths = (known.roots, list(known.files)) if known else ([], [])
    if forget:
        for root in listing.away(roots):
            report.note(root, FORGOTTEN)
        roots = [root for root in roots if root not in listing.missing]
    below = tuple(f"{root.rstrip('/')}/" for root in roots)
    loose = [path for path in paths if not path.startswith(below)]
    for path in loose if narrow else paths:
        listing.keep(path)
    listing.unchanged = {}  # they are among those
    before = layout.current(index_dir)
    store.remove_others(index_dir, before)  # what killed builds left
    report.seen = listing.count
    fresh = store.new_generation(index_dir, VERSION)
    in_use = False

    def use() -> None:
        nonlocal in_use
        if not in_use:
            store.point_to(index_dir, fresh)
            in_use = True

    # Of what no root leads to, the old one is the only list there is.
    is_read = bool(loose) or (swap and before is not None and before.is_usable)
    committed = (lambda: None) if is_read else use
    try:
        made = Pass(fresh, listing, report, progress, commit_s, create=True, committed=committed)
        made.run(roots)
        use()
    except BaseException:
        if not in_use:
            store.discard(fresh)
        raise
    store.remove_others(index_dir, fresh)
