"""What a sync has to do, told by file status alone: nothing is opened."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.discover import Found, Listing
    from indexer.report import SyncReport
    from indexer.status import Status

from indexer.report import skipped_note
from indexer.status import SESSION, tells_gone, told, unchanged


class Plan:
    """What has to be done, by status alone: nothing was opened yet.

    Attributes:
        todo: files to look into, with their catalog row where there is one.
        gone: rows whose file no longer exists.
        whole: how many sessions are indexed whole and did not change.
        unchanged: rows of other files that did not change.
    """

    __slots__ = ("gone", "todo", "unchanged", "whole")

    def __init__(self) -> None:
        self.todo: list[tuple[Found, Status | None]] = []
        self.gone: list[Status] = []
        self.whole = 0
        self.unchanged: list[Status] = []

    @property
    def empty(self) -> bool:
        return not self.todo and not self.gone


def plan(
    listing: Listing,
    known: Mapping[str, str],
    rows: Callable[[list[str]], dict[str, Status]],
    roots: list[str],
    report: SyncReport,
    *,
    glance: bool = False,
) -> Plan:
    """Compare a listing with the catalog.

    Args:
        glance: end as soon as something has to be done.
        known: status by path of every file in the catalog, see `snapshot`.
        rows: returns the rows of paths; asked for those only that may have changed.
    """
    made = Plan()
    if known is not listing.known:  # a new index, or one that changed since the listing was made
        for path, before in list(listing.unchanged.items()):
            if known.get(path) != before:
                del listing.unchanged[path]
                listing.keep(path)
        listing.drop_links(known)
    made.whole = len(listing.unchanged)
    # Of all of them: of a path that a snapshot has wrong the catalog knows better.
    statuses = rows([found.path for found in listing.files])
    for found in listing.files:
        status = statuses.get(found.path)
        if status is None or not unchanged(status, found.stat):
            made.todo.append((found, status))
        else:
            made.unchanged.append(status)
    if glance and made.todo:
        return made
    # Recent history first: that is what the next question will be about.
    made.todo.sort(key=lambda item: -item[0].stat.st_mtime_ns)
    missing: set[str] = set()
    if len(listing.unchanged) < len(known):
        seen = {found.path for found in listing.files}.union(listing.unchanged)
        met = {told(found.stat) for found in listing.files}.union(listing.unchanged.values())
        gone, missing = _gone(known.keys() - seen, met, roots)
        made.gone = list(rows(gone).values())
    for folder in sorted(missing):
        report.note(folder, "the folder is missing; what was indexed from it is kept")
    for folder in sorted(listing.away(roots, known) - missing):
        report.note(folder, "the folder is missing; it is looked for again the next time")
    return made


def _gone(unseen: set[str], met: set[str], roots: list[str]) -> tuple[list[str], set[str]]:
    """Return those of the files *unseen* that are gone, and the folders that are merely away.

    Args:
        met: status of the files of the listing. What is a link to one of them by now is no longer
            what was indexed under its name.
    """
    missing: set[str] = set()
    gone: list[str] = []
    for path in unseen:
        if not is_gone(path):
            if _told(path) in met:
                gone.append(path)
            continue
        folder = missing_folder(path, roots)
        if folder:
            missing.add(folder)
        else:
            gone.append(path)
    return gone, missing


def _told(path: str) -> str:
    try:
        return told(os.stat(path))
    except OSError:
        return ""


def is_gone(path: str) -> bool:
    """Is there surely no file at *path* any more? Not while permission or disk fail."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError as error:
        return tells_gone(error)


def missing_folder(path: str, roots: list[str]) -> str:
    """Return the folder above *path* that is away as an unmounted disk is, or an empty string.

    A root that is missing, or a link to nothing, does not mean that everything was deleted.
    """
    root = max((r for r in roots if path.startswith(r.rstrip("/") + "/")), key=len, default="")
    if root and not os.path.exists(root):  # a file in its place is no unmounted disk
        return root
    folder = os.path.dirname(path)
    if not root and not os.path.isdir(folder):  # named by itself, or with the files beside it
        return folder
    while folder and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return folder if os.path.islink(folder) and not os.path.exists(folder) else ""


def count_unchanged(made: Plan, report: SyncReport) -> None:
    report.unchanged += made.whole
    if not made.unchanged:
        return
    for path, *_, kind, _, skipped, first, _ in made.unchanged:
        if kind == SESSION:
            report.unchanged += 1
            if skipped:
                report.note(path, skipped_note(skipped, first))
        else:
            report.not_sessions += 1
