"""Winners -> hits: text read for the winners only, anchors checked, copies counted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawa_search.search.engine import Engine, Winner
    from clawa_search.search.sessions import Candidate
    from indexer.catalog import Catalog, File
    from indexer.tree import Tree

from clawa_search.search import anchors
from clawa_search.search.excerpt import excerpt
from clawa_search.search.question import Hit
from clawa_search.search.strength import Evidence, tier
from clawa_search.secrets import masked
from indexer.schema import SEQ_BITS, Stored

MAX_COPIES = 200
MAX_ALSO = 20
CONTEXT_CHARS = 300


class Place:
    """Where an entry stands, and what its file says of itself."""

    __slots__ = (
        "cwd",
        "edited",
        "entry_id",
        "line",
        "linear",
        "parent",
        "path",
        "session_id",
        "started_ms",
        "text",
    )

    def __init__(self, path: str, line: int, entry_id: str, text: str) -> None:
        self.path = path
        self.line = line
        self.entry_id = entry_id
        self.text = text
        self.linear = True
        self.edited = False
        self.session_id = ""
        self.cwd = ""
        self.parent = ""
        self.started_ms = 0

    @property
    def ref(self) -> str:
        return f"{self.path}:{self.line}"

    def age(self) -> tuple[bool, int, str, int]:
        """Order copies: the original before its forks, the oldest first."""
        return bool(self.parent), self.started_ms or 1 << 62, self.path, self.line


class Presenter:
    """Makes the hits of one answer; reads each file and row at most once."""

    def __init__(self, engine: Engine, catalog: Catalog | None) -> None:
        self._engine = engine
        self._catalog = catalog
        self._rows: dict[int, File | None] = {}
        self._trees: dict[str, Tree | None] = {}
        self.notes: list[str] = []
        self._evidence: Evidence | None = None
        if engine.statistics is not None:
            self._evidence = Evidence(engine.query, engine.statistics)

    def hits(self, winners: list[Winner], limit: int) -> list[Hit]:
        """Return up to *limit* hits; winners that are gone or already seen are left out."""
        made: list[Hit] = []
        start = 0
        while len(made) < limit and start < len(winners):
            # The reserve is looked at only when something of the first choice fell away.
            some = winners[start : start + limit - len(made)]
            start += len(some)
            copies = self._copies(some)
            for winner in some:
                hit = self._memory(winner) if winner.memory else self._entry(winner, copies)
                if hit is not None:
                    made.append(hit)
        return made

    def _memory(self, winner: Winner) -> Hit:
        memory = winner.memory
        assert memory is not None
        hit = Hit("memory", f"mem:{memory.id}", winner.score, memory.ts_ms)
        hit.id = memory.id
        self._weigh(hit, winner, memory.text, self._engine.weights.memory)
        hit.tags = memory.tags
        hit.excerpt, hit.truncated = excerpt(masked(memory.text), self._engine.query.shown)
        return hit

    def _entry(self, winner: Winner, copies: dict[int, list[Place]]) -> Hit | None:
        places = copies.get(winner.twin) or []
        if not places:
            place = self._place(winner)
            places = [place] if place else []
        if not places or self._is_visible(places):
            return None
        places.sort(key=Place.age)
        first = places[0]
        hit = Hit("session", first.ref, winner.score, winner.ts_ms)
        hit.path, hit.line, hit.entry_id = first.path, first.line, first.entry_id
        hit.session_id, hit.project, hit.role = first.session_id, first.cwd, winner.role
        hit.copies = len(places)
        hit.also = [place.ref for place in places[1 : MAX_ALSO + 1]]
        hit.edited = first.edited
        self._weigh(hit, winner, first.text, 1.0)
        hit.live = first.linear or self._is_live(first)
        hit.excerpt, hit.truncated = excerpt(masked(first.text), self._engine.query.shown)
        if self._engine.question.context:
            hit.context = self._context(first, self._engine.question.context)
        return hit

    def _weigh(self, hit: Hit, winner: Winner, text: str, factor: float) -> None:
        if self._engine.question.explain:
            hit.explain = winner.parts
        if self._evidence is not None:
            hit.strength = self._evidence.strength(winner.score / factor, text)
            hit.tier = tier(hit.strength)

    def _is_visible(self, places: Iterable[Place]) -> bool:
        visible = self._engine.question.visible
        return bool(visible) and any(
            place.entry_id in visible.get(place.path, ()) for place in places
        )

    def _copies(self, winners: list[Winner]) -> dict[int, list[Place]]:
        """Find every place in scope where a winner's text stands."""
        twins = [winner.twin for winner in winners if winner.memory is None]
        engine = self._engine
        found: dict[int, list[Place]] = {}
        if not twins:
            return found
        wanted = set(twins)
        for entry in engine.fresh_by_mid.values():
            if entry.twin in wanted:
                place = self._fresh_place(entry.mid)
                if place is not None:
                    found.setdefault(entry.twin, []).append(place)
        if engine.index is not None and engine.any_file():
            for candidate in engine.index.copies(twins, engine.scope.filter, MAX_COPIES):
                place = self._indexed_place(candidate)
                if place is not None:
                    found.setdefault(candidate.twin, []).append(place)
        return found

    def _place(self, winner: Winner) -> Place | None:
        if winner.fresh is not None:
            return self._fresh_place(winner.mid)
        return None

    def _fresh_place(self, mid: int) -> Place | None:
        fresh = self._engine.fresh_by_mid[mid]
        session = fresh.file.session
        place = Place(fresh.file.path, fresh.line.number, fresh.entry.entry_id, fresh.entry.text)
        place.linear = session.linear
        place.edited = fresh.entry.entry_id in session.edited
        place.session_id, place.cwd, place.parent = session.session_id, session.cwd, session.parent
        place.started_ms = session.started_ms
        return place

    def _indexed_place(self, candidate: Candidate) -> Place | None:
        assert self._engine.index is not None
        row = self._row(candidate.mid >> SEQ_BITS)
        # The index may hold more than the catalog says: a commit that was not recorded yet.
        if row is None or candidate.mid & ((1 << SEQ_BITS) - 1) >= row.next_seq:
            return None
        stored = self._engine.index.stored(candidate.address)
        line = self._checked_line(row, stored)
        if not line:
            return None
        place = Place(row.path, line, stored.entry_id, stored.text)
        place.linear, place.session_id, place.cwd = bool(row.linear), row.session_id, row.cwd
        place.parent, place.started_ms = row.parent, row.started_ms
        edited = set(row.edited.split())
        for file in self._engine.read.files:
            if file.known == row.id:  # its tail may have gone on, or edited what came before
                edited |= file.session.edited
                place.linear = place.linear and file.session.linear
        place.edited = stored.entry_id in edited
        return place

    def _checked_line(self, row: File, stored: Stored) -> int:
        if anchors.is_there(row.path, stored):
            return stored.line
        line = anchors.find_line(row.path, stored)
        if not line:
            self.notes.append(f"{row.path}:{stored.line}: gone: the file changed since it was read")
        return line

    def _row(self, file_id: int) -> File | None:
        if file_id not in self._rows:
            self._rows[file_id] = self._catalog.by_id(file_id) if self._catalog else None
        return self._rows[file_id]

    def _tree(self, path: str) -> Tree | None:
        if path not in self._trees:
            from indexer.tree import tree_of

            self._trees[path] = tree_of(path)
        return self._trees[path]

    def _is_live(self, place: Place) -> bool:
        tree = self._tree(place.path)
        return tree is None or place.line in tree.live_lines()

    def _context(self, place: Place, count: int) -> list[tuple[str, str, str]]:
        from clawa_search.search.show import neighbours

        tree = self._tree(place.path)
        if tree is None:
            return []
        return [
            (
                f"{place.path}:{shown.line}",
                shown.role,
                excerpt(masked(shown.text), (), CONTEXT_CHARS)[0],
            )
            for shown in neighbours(place.path, tree, place.line, count)
        ]
