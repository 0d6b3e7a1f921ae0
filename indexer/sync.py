"""Bring the index up to date with the session files: the incremental loop.

Append -> the tail only. Rewritten in any way -> the file afresh. Renamed -> its path. Gone ->
removed. The index is committed first and the catalog after it, so a crash between the two only
repeats work: every pass begins by removing what a lost one may have left.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.discover import Listing

from indexer import store
from indexer.catalog import Catalog
from indexer.errors import IndexBrokenError
from indexer.passing import Pass
from indexer.plan import count_unchanged, plan
from indexer.report import Progress, SyncReport
from indexer.version import VERSION


def sync(
    index_dir: str,
    listing: Listing,
    *,
    rebuild: bool = False,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> SyncReport:
    """Bring the index in *index_dir* up to date with *listing*.

    Files of the catalog that *listing* does not name are left alone unless they are gone.

    Args:
        rebuild: build a new index beside the old one and swap.

    Raises:
        IndexBusyError: another process is writing; nothing was changed.
        IndexBrokenError: the index can be neither used nor replaced.
    """
    began = clock()
    report = SyncReport()
    report.seen = len(listing.files)
    for path, why in listing.notes:
        report.note(path, why)
    if rebuild or not _nothing_to_do(index_dir, listing, report):
        _sync_locked(index_dir, listing, report, rebuild=rebuild, progress=progress or Progress())
    report.took_ms = (clock() - began) * 1000
    return report


def _nothing_to_do(index_dir: str, listing: Listing, report: SyncReport) -> bool:
    """Look without the lock and without tantivy: most runs end here."""
    generation = store.current(index_dir)
    if generation is None or not is_usable(generation):
        return False
    try:
        book = Catalog(generation.catalog)
    except IndexBrokenError:
        return False
    try:
        roots = book.roots()
        trial = SyncReport()
        made = plan(listing, book.statuses(), roots, trial)
        if not made.empty or book.get("writing") or set(listing.roots) - set(roots):
            return False
    except IndexBrokenError:
        return False
    finally:
        book.close()
    report.notes += trial.notes
    count_unchanged(made, report)
    return True


def is_usable(generation: store.Generation) -> bool:
    """Was the generation written with this version of schema and analyser?"""
    return generation.version == VERSION


def _sync_locked(
    index_dir: str, listing: Listing, report: SyncReport, *, rebuild: bool, progress: Progress
) -> None:
    with store.WriterLock(index_dir):
        generation = None if rebuild else store.current(index_dir)
        if generation is not None and is_usable(generation):
            try:
                Pass(generation, listing, report, progress).run()
            except IndexBrokenError:
                if not _is_damaged(generation):
                    raise
                report.note(generation.folder, "the index was damaged and is built anew")
            else:
                store.remove_others(index_dir, generation)
                return
        roots = _known_roots(index_dir)
        try:
            fresh = store.new_generation(index_dir, VERSION)
        except OSError as error:
            raise IndexBrokenError(
                f"{index_dir}: the index cannot be written: {error.strerror}",
                hint="check the folder's permissions and free space, or use --index-dir",
            ) from error
        Pass(fresh, listing, report, progress, roots).run()
        store.point_to(index_dir, fresh)
        store.remove_others(index_dir, fresh)


def _is_damaged(generation: store.Generation) -> bool:
    """Tell damage, which a new index heals, from a folder that we may not touch."""
    for folder in (generation.folder, generation.messages, generation.priors):
        if os.path.isdir(folder) and not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return False
    stat = os.statvfs(os.path.dirname(generation.folder))
    return stat.f_bavail * stat.f_frsize > 1 << 20


def _known_roots(index_dir: str) -> list[str]:
    """Return the roots of the generation that is about to be replaced."""
    try:
        generation = store.current(index_dir)
        if generation is None:
            return []
        book = Catalog(generation.catalog)
        try:
            return book.roots()
        finally:
            book.close()
    except IndexBrokenError:
        return []
