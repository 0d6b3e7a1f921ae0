"""What a sync has to do, told by file status alone: nothing is opened."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.catalog import Status
    from indexer.discover import Found, Listing
    from indexer.report import SyncReport

from indexer import catalog
from indexer.report import skipped_note


class Plan:
    """What has to be done, by status alone: nothing was opened yet.

    Attributes:
        todo: files to look into, with their catalog row where there is one.
        gone: rows whose file no longer exists.
        unchanged: rows that need nothing.
    """

    __slots__ = ("gone", "todo", "unchanged")

    def __init__(self) -> None:
        self.todo: list[tuple[Found, Status | None]] = []
        self.gone: list[Status] = []
        self.unchanged: list[Status] = []

    @property
    def empty(self) -> bool:
        return not self.todo and not self.gone


def plan(listing: Listing, known: dict[str, Status], roots: list[str], report: SyncReport) -> Plan:
    """Compare a listing with the catalog."""
    made = Plan()
    unchanged = catalog.unchanged
    for found in listing.files:
        status = known.get(found.path)
        if status is None or status[5] == catalog.FAILED or not unchanged(status, found.stat):
            made.todo.append((found, status))
        else:
            made.unchanged.append(status)
    # Recent history first: that is what the next question will be about.
    made.todo.sort(key=lambda item: -item[0].stat.st_mtime_ns)
    missing_roots = set()
    for path in known.keys() - {found.path for found in listing.files}:
        if os.path.lexists(path):
            continue
        root = max((r for r in roots if path.startswith(r.rstrip("/") + "/")), key=len, default="")
        if root and not os.path.isdir(root):
            missing_roots.add(root)
        else:
            made.gone.append(known[path])
    for root in sorted(missing_roots):
        report.note(root, "the folder is missing; what was indexed from it is kept")
    return made


def count_unchanged(made: Plan, report: SyncReport) -> None:
    for path, *_, kind, _, skipped, first in made.unchanged:
        if kind == catalog.SESSION:
            report.unchanged += 1
            if skipped:
                report.note(path, skipped_note(skipped, first))
        else:
            report.not_sessions += 1
