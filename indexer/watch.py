"""Sync whenever something may have changed: the loop, without clocks, signals or watchers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.report import SyncReport

from indexer.errors import IndexBrokenError, IndexBusyError, RecallError

SHORTEST_SECONDS = 1.0
LONGEST_SECONDS = 30.0
GROWTH = 1.5
"""While nothing changes each pause is this much longer than the one before."""


def follow(
    sync: Callable[[], SyncReport], wait: Callable[[float], bool]
) -> Iterator[SyncReport | RecallError]:
    """Yield the first report, then one for each sync that changed the index.

    A sync that fails is tried again: another process may be writing, a disk may be full for a
    while. Its error is yielded once, not every time.

    Args:
        sync: brings the index up to date.
        wait: returns after so many seconds, or earlier when something changed; False ends it.

    Raises:
        IndexBrokenError: the very first sync failed: waiting would not help.
    """
    pause = SHORTEST_SECONDS
    told = ""
    first = True
    while True:
        try:
            report = sync()
        except (IndexBusyError, IndexBrokenError) as error:
            if first and isinstance(error, IndexBrokenError):
                raise
            if str(error) != told:
                yield error
            told = str(error)
            changed = False
        else:
            told = ""
            changed = changed_the_index(report)
            if first or changed:
                yield report
            first = False
        pause = SHORTEST_SECONDS if changed else min(pause * GROWTH, LONGEST_SECONDS)
        if not wait(pause):
            return


def changed_the_index(report: SyncReport) -> bool:
    """Did this sync do more than look?"""
    return bool(report.indexed or report.removed or report.added or report.removed_entries)
