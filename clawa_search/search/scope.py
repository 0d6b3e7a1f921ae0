"""Which session files a question is about, and what of them the index already holds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.places import Places
    from clawa_search.search.question import Question
    from indexer.catalog import Catalog, Status
    from indexer.discover import Found

from clawa_search.search.sessions import Filter
from indexer import catalog as rows
from indexer.discover import Listing, newest

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


def find_files(
    question: Question, places: Places, catalog: Catalog | None, known: dict[str, Status]
) -> Listing:
    """List the files that *question* names: given files, everything, or the recent few."""
    if question.session_files:
        return places.listing_of(question.session_files)
    if question.everything or question.project:
        roots = catalog.roots() if catalog else []
        return places.all_sessions(roots, thorough=catalog is None, known=known)
    listing = places.current_sessions()
    if question.sessions is not None:
        listing.files = newest(listing.files, question.sessions)
    return listing


def make_scope(question: Question, places: Places, catalog: Catalog | None) -> Scope:
    """Compare the files in scope with the catalog, by status alone."""
    scope = Scope()
    wide = question.everything or bool(question.project)
    # Thousands of files are compared while they are walked over, a few one by one.
    known = catalog.statuses() if catalog is not None and wide else {}
    listing = find_files(question, places, catalog, known)
    listing.drop_links()
    scope.notes = listing.notes
    if catalog is not None:
        missing = [root for root in listing.missing if catalog.holds_below(root)]
        scope.notes += [(root, MISSING) for root in missing]
    allowed = []
    for status in listing.unchanged:
        if rows.has_tail(status):
            listing.add(status[0], again=True)
        elif status[5] == rows.SESSION:
            allowed.append(status[6])
            if status[7]:
                scope.skipped.append((status[0], status[7], status[8]))
    for found in listing.files:
        row = known.get(found.path) if wide or catalog is None else catalog.status_of(found.path)
        if row is None or not rows.unchanged(row, found.stat) or rows.has_tail(row):
            scope.fresh.append((found, row))
        elif row[5] != rows.SESSION:
            scope.others.append(found.path)
        if row is not None and row[5] == rows.SESSION:
            allowed.append(row[6])
            if row[7]:
                scope.skipped.append((found.path, row[7], row[8]))
    if question.project and catalog is not None:
        allowed = catalog.ids_of_project(question.project, allowed)
    # Beyond what the catalog names the index may hold files of a pass that was not recorded:
    # then the allowed ones must be named, not the others.
    settled = wide and catalog is not None and not catalog.number("writing")
    _limit(scope.filter, question, allowed, known if settled else None)
    return scope


def _limit(
    made: Filter, question: Question, allowed: list[int], known: dict[str, Status] | None
) -> None:
    """Name the allowed files to the engine, or those that are not, whichever is shorter."""
    made.roles = question.roles
    made.since_ms, made.until_ms = question.since_ms, question.until_ms
    if known is not None and len(known) - len(allowed) < len(allowed):
        wanted = set(allowed)
        made.exclude = [row[6] for row in known.values() if row[6] not in wanted]
    else:
        made.include = allowed
