"""The entries that a search of the index found: numbers only, and only those that are needed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tantivy import DocAddress, Searcher

    from indexer.entry import Entry

from indexer.entry import ROLE_NUMBER, ROLES
from indexer.errors import IndexBrokenError, translated
from indexer.schema import MARKS, QUOTE, STANDING, role_number

USER = ROLE_NUMBER["user"]
USERS = {USER: False, USER | STANDING: True}
"""What a human said, by its role and marks: a wish that holds for later, or not?"""
SUMMARIES = (ROLE_NUMBER["compaction"], ROLE_NUMBER["branch"])
SECOND_HAND = frozenset(SUMMARIES) | {number | QUOTE for number in range(len(ROLES))}
"""Roles and marks of what repeats others: summaries, and quotations of earlier recall output."""


class Candidate:
    """An entry that may win, as the index knows it.

    Attributes:
        role: its name.
        mid: file id << 24 | sequence number, see `indexer.schema`.
    """

    __slots__ = ("address", "mid", "role", "ts_ms", "twin")

    def __init__(self, mid: int, role: str, ts_ms: int, twin: int, address: DocAddress) -> None:
        self.mid = mid
        self.role = role
        self.ts_ms = ts_ms
        self.twin = twin
        self.address = address


class Matches:
    """What searches found, in columns: of hundreds a few win and become a `Candidate`.

    Attributes:
        places: where in the columns an entry stands, by its mid.
        scores: BM25 of the entry's own text; 0 when only its neighbours matched.
        roles: numbers of the roles, with their marks.
        twins: numbers that entries share which say the same.
    """

    __slots__ = ("_place", "_searcher", "addresses", "places", "roles", "scores", "twins")

    def __init__(self, searcher: Searcher, place: str) -> None:
        """Take an index, and where it is, to tell that it is damaged."""
        self._searcher = searcher
        self._place = place
        self.places: dict[int, int] = {}
        self.scores: list[float] = []
        self.roles: list[int] = []
        self.twins: list[int] = []
        self.addresses: list[DocAddress] = []

    def add(self, hits: list[tuple[float, DocAddress]]) -> list[int]:
        """Add what another search found; return all of it, by mid, best first.

        What is known already keeps its score.
        """
        addresses = [address for _, address in hits]
        mids = self._column("mid", addresses)
        at = len(self.addresses)
        for place, mid in enumerate(mids, at):
            self.places.setdefault(mid, place)
        self.scores += [score for score, _ in hits]
        self.roles += self._column("role", addresses)
        self.twins += self._column("twin", addresses)
        self.addresses += addresses
        return mids

    def times(self, mids: Iterable[int]) -> dict[int, int]:
        """Return when those of *mids* that are known were said, in Unix ms."""
        places = self.places
        known = [mid for mid in mids if mid in places]
        addresses = [self.addresses[places[mid]] for mid in known]
        return dict(zip(known, self._column("ts", addresses), strict=True))

    def candidates(self, mids: Iterable[int]) -> list[Candidate]:
        """Return those of *mids* that are known, in their order."""
        found = []
        for mid, ts_ms in self.times(mids).items():
            at = self.places[mid]
            number = self.roles[at] & ~MARKS
            if not 0 <= number < len(ROLES):
                raise broken(self._place, ValueError(f"an entry of role {number}"))
            found.append(Candidate(mid, ROLES[number], ts_ms, self.twins[at], self.addresses[at]))
        return found

    def twin(self, mid: int) -> int | None:
        """Return the number of what *mid* says, None when it is not known."""
        place = self.places.get(mid)
        return None if place is None else self.twins[place]

    def users(self) -> dict[int, bool]:
        """Return what a human said, and whether it is a wish that holds for later."""
        roles = self.roles
        return {mid: USERS[roles[at]] for mid, at in self.places.items() if roles[at] in USERS}

    def is_second_hand(self, mid: int) -> bool:
        return self.roles[self.places[mid]] in SECOND_HAND

    def _column(self, field: str, addresses: list[DocAddress]) -> list[int]:
        return column(self._searcher, field, addresses, self._place)


def is_second_hand(entry: Entry) -> bool:
    """Tell of an entry that is not indexed what its role and marks would say."""
    return role_number(entry) in SECOND_HAND


def column(searcher: Searcher, field: str, addresses: list[DocAddress], place: str) -> list[int]:
    """Read one number of each document without fetching documents.

    Raises:
        IndexBrokenError: the index at *place* is damaged.
    """
    with reading(place):
        values = searcher.fast_field_values(field, addresses)
    if None in values:  # every document has all of them
        raise broken(place, ValueError(f"an entry without {field}"))
    return values  # type: ignore[return-value]


def reading(place: str) -> translated:
    """Return a block that tells what the engine raises as an index that cannot be read."""
    return translated(place, broken)


def broken(place: str, error: BaseException) -> IndexBrokenError:
    if "Lockfile" in str(error):  # the engine makes a file there even to read
        return IndexBrokenError(
            f"{place}: the index cannot be read: no file can be made in its folders",
            hint="check their permissions, or use --index-dir",
        )
    return IndexBrokenError(
        f"{place}: the index cannot be read: {error}",
        hint="run `clawa-search reindex`, which builds a new one when needed",
    )
