"""Wait for session files to change: told by the system, else by looking again and again."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from clawa_search.cli.streams import tell
from indexer.errors import RecallError
from indexer.sync import sync
from indexer.watch import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Sequence

    from clawa_search.cli.stopping import Stop
    from clawa_search.recall import Recall
    from indexer.discover import Listing
    from indexer.report import Progress, SyncReport

QUIET_MS = 250
"""A burst of changes is over when nothing changed for so long."""
BURST_MS = 2000
"""A burst that does not end is indexed after so long."""

Roots = frozenset[tuple[str, int]]


def reports(
    recall: Recall,
    paths: Sequence[str],
    stop: Stop,
    progress: Progress,
    *,
    rebuild: bool = False,
) -> Iterator[SyncReport]:
    """Yield what each sync did, until *stop*; what failed for now is told on stderr."""
    seen = Seen(recall, paths, progress, rebuild=rebuild)
    for outcome in follow(seen.sync, make_wait(seen, stop)):
        if isinstance(outcome, RecallError):
            tell(f"{outcome}; trying again")
        else:
            yield outcome


class Seen:
    """Syncs, and keeps in mind which folders the last listing came from."""

    def __init__(
        self, recall: Recall, paths: Sequence[str], progress: Progress, *, rebuild: bool
    ) -> None:
        self._recall = recall
        self._paths = paths
        self._progress = progress
        self._rebuild = rebuild
        self._thorough = True
        self.roots: list[str] = []

    def sync(self) -> SyncReport:
        """Bring the index up to date; see `indexer.sync.sync` for what it raises."""
        listing = self._listing()
        # Pi's own folder holds a few old sessions, and all that its extensions install.
        self.roots = [root for root in listing.roots if root != self._recall.places.agent_dir]
        report = sync(
            self._recall.places.index_dir, listing, rebuild=self._rebuild, progress=self._progress
        )
        self._rebuild = False
        # What was found below the home once is a known root from now on.
        self._thorough = False
        return report

    def _listing(self) -> Listing:
        if self._paths:
            return self._recall.places.listing_of(self._paths)
        return self._recall.everything(thorough=self._thorough)


def make_wait(seen: Seen, stop: Stop) -> Callable[[float], bool]:
    """Return how to wait: with the extra `watch` for the system's word, else for time to pass."""
    try:
        import watchfiles  # noqa: F401  # only whether it is there
    except ImportError:
        return stop.wait
    return Watcher(seen, stop).wait


class Watcher:
    """Waits until the system says that something below a root changed."""

    def __init__(self, seen: Seen, stop: Stop) -> None:
        self._seen = seen
        self._stop = stop
        self._watched: Roots = frozenset()
        self._changes: Generator[Collection[object], None, None] | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for a change, *seconds* at most; False when the process is asked to stop."""
        roots = existing(self._seen.roots)
        if roots != self._watched:
            self._watch(roots)
        if self._changes is None:
            return self._stop.wait(seconds)
        end = time.monotonic() + seconds
        try:
            for changes in self._changes:
                if changes or time.monotonic() >= end:
                    break
        except (OSError, RuntimeError) as error:  # too many folders, or one that went away
            tell(f"watching: {error}; looking every few seconds instead")
            self._changes = None
            return self._stop.wait(seconds)
        return not self._stop.is_set()

    def _watch(self, roots: Roots) -> None:
        from watchfiles import watch

        if self._changes is not None:
            self._changes.close()
        self._watched = roots
        self._changes = None
        if roots:
            self._changes = watch(
                *sorted(path for path, _ in roots),
                watch_filter=lambda _, path: path.endswith(".jsonl"),
                debounce=BURST_MS,
                step=QUIET_MS,
                rust_timeout=1000,
                yield_on_timeout=True,
                raise_interrupt=False,
                stop_event=self._stop,
            )


def existing(roots: Sequence[str]) -> Roots:
    """Return the roots that exist, each with its inode: a folder made anew is another one."""
    found = set()
    for root in roots:
        try:
            found.add((root, os.stat(root).st_ino))
        except OSError:
            continue
    return frozenset(found)
