"""Which session files a question is about, and what of them the index already holds."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from clawa_search.places import Places
    from clawa_search.search.fresh import FreshFile
    from clawa_search.search.question import Question
    from indexer.catalog import Catalog
    from indexer.discover import Found
    from indexer.known import Known
    from indexer.snapshot import Snapshot
    from indexer.status import Status

from clawa_search.search.clauses import Filter
from indexer.discover import Listing, newest
from indexer.status import SESSION, has_tail, unchanged

MAX_HEADERS = 200
"""Files that are opened to tell whose they are, where projects share a folder: 5 ms."""
MISSING = "the folder is missing; what was indexed from it was not searched"


class Scope:
    """The files that a question is about.

    Attributes:
        fresh: files of which the index lacks something, with their catalog row if any.
        filter: what the engine may return; `include` and `exclude` are file ids.
        notes: `(path, why)` of what could not be looked at.
        skipped: `(path, count, first line)` of indexed files with unreadable lines.
        others: files that are no sessions.
    """

    __slots__ = ("filter", "fresh", "notes", "others", "skipped")

    def __init__(self) -> None:
        self.fresh: list[tuple[Found, Status | None]] = []
        self.filter = Filter()
        self.notes: list[tuple[str, str]] = []
        self.skipped: list[tuple[str, int, int]] = []
        self.others: list[str] = []


class Fresh:
    """Everything in scope that the index lacks.

    Attributes:
        stale_ids: files whose entries in the index no longer count (rewritten, unreadable).
        rewritten: some of them hold something else than was indexed.
        unread: `(path, why)` of what was not searched.
        left_bytes: bytes that were too many to read.
        others: files that are no sessions.
    """

    __slots__ = ("files", "left_bytes", "left_files", "others", "rewritten", "stale_ids", "unread")

    def __init__(self) -> None:
        self.files: list[FreshFile] = []
        self.stale_ids: list[int] = []
        self.rewritten = False
        self.unread: list[tuple[str, str]] = []
        self.left_bytes = 0
        self.left_files = 0
        self.others: list[str] = []


def find_files(
    question: Question, places: Places, catalog: Catalog | None, short: Snapshot | Known | None
) -> Listing:
    """List the files that *question* names: given files, everything, or the recent few."""
    if question.session_files:
        return places.listing_of(question.session_files)
    if not is_wide(question):
        if question.sessions is None:
            return places.current_sessions(short.files if short and catalog else None)
        listing = places.current_sessions()
        chosen = _newest(listing.files, question.sessions, catalog)
        if listing.shared and len(chosen) < len(listing.files):
            own = _own(listing.files, question.sessions, places, catalog)
            both = {found.path: found for found in own + chosen}
            chosen = list(both.values())[: question.sessions]
        listing.take(chosen)
        return listing
    if catalog is None:
        known, roots = (short.files, short.roots) if short else ({}, [])
        return places.all_sessions(roots, indexed=known.keys())
    roots, known = (short.roots, short.files) if short else (catalog.roots(), catalog.told())
    return places.all_sessions(roots, thorough=False, known=known, indexed=known.keys())


def _own(files: list[Found], count: int, places: Places, catalog: Catalog | None) -> list[Found]:
    """Return the *count* most recent of *files* that are of this home, and the active one.

    By the project that each names; of files that are not indexed only some are looked into.
    """
    names = (*names_of(places.home), *names_of(places.cwd))
    known = catalog.statuses_of([found.path for found in files]) if catalog else {}
    ids = [status[6] for status in known.values()]
    of_home = set(catalog.ids_of_project(names, ids)) if catalog else set()
    active = places.absolute(places.current_file) if places.current_file else ""
    own: list[Found] = []
    looks = MAX_HEADERS
    for found in newest(files, len(files)):
        status = known.get(found.path)
        is_own = found.path == active
        if status is not None:
            is_own = is_own or status[6] in of_home
        elif not is_own and looks and len(own) < count:
            from clawa_search.search.fresh import is_in
            from indexer.header import header_of

            looks -= 1
            is_own = is_in(header_of(found.path).cwd, names)
        if is_own and not _is_other(status, found):
            own.append(found)
    return sorted(own, key=lambda found: found.path != active)[:count]


def _newest(files: list[Found], count: int, catalog: Catalog | None) -> list[Found]:
    """Return the *count* most recent; what is known to be no session takes no place."""
    wanted = count
    while True:
        chosen = newest(files, wanted)
        known = catalog.statuses_of([found.path for found in chosen]) if catalog else {}
        sessions = [found for found in chosen if not _is_other(known.get(found.path), found)]
        if len(sessions) >= count or len(chosen) == len(files):
            return sessions[:count]
        wanted *= 2


def _is_other(status: Status | None, found: Found) -> bool:
    if status is None or status[5] == SESSION or has_tail(status):
        return False
    return unchanged(status, found.stat)


def is_wide(question: Question) -> bool:
    """Is the question about all sessions, or all of a project, rather than a few?"""
    return not question.session_files and (question.everything or bool(question.project))


def names_of(project: str) -> tuple[str, ...]:
    """Return the names of a project's folder: as it was given, and without links, as Pi has it."""
    if not project:
        return ()
    return tuple(dict.fromkeys((project.rstrip("/") or project, os.path.realpath(project))))


def make_scope(
    question: Question,
    places: Places,
    catalog: Catalog | None,
    short: Snapshot | Known | None = None,
) -> Scope:
    """Compare the files in scope with the catalog, by status alone.

    Args:
        short: the snapshot of the catalog, read before the catalog was held.
    """
    scope = Scope()
    scope.filter.roles = question.roles
    scope.filter.since_ms, scope.filter.until_ms = question.since_ms, question.until_ms
    listing = find_files(question, places, catalog, short)
    listing.drop_links()
    scope.notes = listing.notes + [(root, MISSING) for root in away(listing, catalog, short)]
    if catalog is None:
        scope.fresh = [(found, None) for found in listing.files]
        scope.filter.include = []
        return scope
    known = catalog.statuses_of([found.path for found in listing.files])
    allowed = _compare(scope, listing.files, known)
    whole = listing.unchanged.keys()
    if question.project or not is_wide(question) or catalog.number("writing"):
        # Beyond what the catalog names the index may hold files of a pass that was not
        # recorded: then the allowed ones must be named, not the others.
        allowed += [row[6] for row in catalog.statuses_of(list(whole)).values()]
        if question.project:
            allowed = catalog.ids_of_project(names_of(question.project), allowed)
        scope.filter.include = allowed
        return scope
    others = listing.known.keys() - whole
    wanted = set(allowed)
    left_out = (row[6] for row in catalog.statuses_of(list(others)).values())
    scope.filter.exclude = [number for number in left_out if number not in wanted]
    return scope


def away(
    listing: Listing, catalog: Catalog | None, short: Snapshot | Known | None = None
) -> list[str]:
    """Return the folders that *listing* missed though sessions were indexed from them once."""
    if not listing.missing:
        return []
    roots = short.roots if short else catalog.roots() if catalog else []
    files: Collection[str] = short.files if short else ()
    if catalog and not short:
        files = catalog.statuses_of(listing.missing)
    known = listing.away(roots, files)
    return [
        root
        for root in listing.missing
        if root in known
        or (catalog is not None and catalog.holds_below(root))
        or any(path.startswith(f"{root.rstrip('/')}/") for path in files)
    ]


def _compare(scope: Scope, files: list[Found], known: dict[str, Status]) -> list[int]:
    """Note what is fresh, skipped, or no session; return the ids of what is indexed."""
    allowed = []
    for found in files:
        row = known.get(found.path)
        if row is None or not unchanged(row, found.stat) or has_tail(row):
            scope.fresh.append((found, row))
        elif row[5] != SESSION:
            scope.others.append(found.path)
        if row is not None and row[5] == SESSION:
            allowed.append(row[6])
            if row[7]:
                scope.skipped.append((found.path, row[7], row[8]))
    return allowed
