"""Winners -> hits: text read for the winners only, anchors checked, copies counted."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawa_search.search.engine import Engine
    from clawa_search.search.fresh import FreshEntry
    from clawa_search.search.matches import Candidate
    from clawa_search.search.sessions import SessionIndex
    from clawa_search.search.winner import Winner
    from indexer.catalog import Catalog, File
    from indexer.tree import Tree

from clawa_search.search import anchors
from clawa_search.search.excerpt import Needles, excerpt
from clawa_search.search.question import Hit
from clawa_search.search.strength import Evidence, tier
from clawa_search.secrets import masked
from indexer.schema import SEQ_BITS, Stored, is_reminder

MAX_COPIES = 1000
"""Copies that are counted: of all hits together at first, of each when they are more."""
MEMORY_FIT = 1.5
"""How much more a memory's bare score says of its fit: it has neither neighbours nor a session, by
which the scale of strength was fitted."""
MAX_ALSO = 20
CONTEXT_CHARS = 300
UNKNOWN = 1 << 62  # when a session began


class Place:
    """Where an entry stands, and what its file says of itself.

    Attributes:
        live: on the live branch; None when only the whole file can tell.
        is_fork: its session began as a copy of another.
    """

    __slots__ = (
        "cwd",
        "edited",
        "entry_id",
        "is_fork",
        "line",
        "live",
        "path",
        "session_id",
        "text",
    )

    def __init__(self, path: str, line: int, entry_id: str, text: str) -> None:
        self.path = path
        self.line = line
        self.entry_id = entry_id
        self.text = text
        self.live: bool | None = None
        self.edited = False
        self.is_fork = False
        self.session_id = ""
        self.cwd = ""

    @property
    def ref(self) -> str:
        return f"{self.path}:{self.line}"


class Copy:
    """Where a winner's text stands, in numbers: nothing of it was read or checked yet.

    Attributes:
        fresh, candidate: one of them.
        order: what the asker excluded comes last, the original before its forks, the oldest
            first; but the newest before all others when the newest were asked for.
    """

    __slots__ = ("candidate", "fresh", "mid", "order", "ts_ms")

    def __init__(
        self, order: tuple[bool, int, bool, int, str, int], mid: int, ts_ms: int, *,
        fresh: FreshEntry | None = None, candidate: Candidate | None = None,
    ) -> None:  # fmt: skip
        self.order = order
        self.mid = mid
        self.ts_ms = ts_ms
        self.fresh = fresh
        self.candidate = candidate


class Presenter:
    """Makes the hits of one answer; reads each file and row at most once.

    Attributes:
        notes: what was found and is no longer there.
        unreadable: why, by the path of a file that holds hits nobody could check.
    """

    def __init__(self, engine: Engine, catalog: Catalog | None) -> None:
        self._engine = engine
        self._catalog = catalog
        self._rows: dict[int, File | None] = {}
        self._trees: dict[str, Tree | None] = {}
        self.notes: list[str] = []
        self.unreadable: dict[str, str] = {}
        self._needles = Needles(engine.query.shown)
        self._seen = frozenset[str]().union(*engine.question.visible.values())
        self._newest = engine.query.newest
        self._evidence: Evidence | None = None
        if engine.statistics is not None:
            needles = Needles(engine.query.words) if engine.query.phrases else self._needles
            self._evidence = Evidence(engine.query, engine.statistics, needles)

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
        self._weigh(hit, winner, memory.text, self._engine.weights.memory / MEMORY_FIT)
        hit.tags = memory.tags
        hit.excerpt, hit.truncated = excerpt(masked(memory.text), self._needles)
        return hit

    def _entry(self, winner: Winner, copies: dict[int, list[Copy]]) -> Hit | None:
        found = sorted(copies.get(winner.twin, ()), key=lambda copy: copy.order)
        if winner.role == "custom" and is_reminder("custom", self._engine.text_of(winner)):
            # Its twins may say other numbers; this one has those that were asked for.
            found.sort(key=lambda copy: copy.mid != winner.mid)
        # The asker may see any of them, so then all are looked at.
        wanted = len(found) if self._engine.question.visible else MAX_ALSO + 1
        places: list[Place] = []
        gone = ts_ms = 0
        for copy in found:
            if len(places) == wanted:
                break
            place = self._place(copy)
            if place is None:
                gone += 1
                continue
            ts_ms = ts_ms if places else copy.ts_ms
            places.append(place)
        if not places or self._is_visible(places):
            return None
        first = places[0]
        hit = Hit("session", first.ref, winner.score, ts_ms)
        hit.path, hit.line, hit.entry_id = first.path, first.line, first.entry_id
        hit.session_id, hit.project, hit.role = first.session_id, first.cwd, winner.role
        hit.copies = len(found) - gone
        hit.also = [place.ref for place in places[1 : MAX_ALSO + 1]]
        hit.edited = first.edited
        self._weigh(hit, winner, first.text, 1.0)
        hit.live = self._is_live(first) if first.live is None else first.live
        hit.excerpt, hit.truncated = excerpt(masked(first.text), self._needles)
        if self._engine.question.context:
            hit.context = self._context(first, self._engine.question.context)
        return hit

    def _weigh(self, hit: Hit, winner: Winner, text: str, factor: float) -> None:
        if self._engine.question.explain:
            hit.explain = winner.parts
        if self._evidence is not None:
            score = winner.score - winner.speaker
            by_itself = winner.own > 0.0 or bool(self._engine.query.phrases)
            hit.strength = self._evidence.strength(score / factor, text, by_itself=by_itself)
            hit.tier = tier(hit.strength)

    def _is_visible(self, places: Iterable[Place]) -> bool:
        """Does the asker see one of them? A fork copies entries with their ids."""
        visible = self._engine.question.visible
        return bool(visible) and any(
            place.entry_id in visible.get(place.path, self._seen if place.is_fork else ())
            for place in places
        )

    def _copies(self, winners: list[Winner]) -> dict[int, list[Copy]]:
        """Find every place in scope where a winner's text stands."""
        engine, index = self._engine, self._engine.index
        entries = [winner for winner in winners if winner.memory is None]
        twins = {winner.twin for winner in entries}
        found: dict[int, list[Copy]] = {}
        for entry in engine.fresh_by_mid.values() if twins else ():
            if entry.twin in twins:
                found.setdefault(entry.twin, []).append(self._fresh_copy(entry))
        if index is not None and engine.any_file():
            # Most texts stand once in the index: then the winner is what a search would find.
            alone, others = [], []
            for one in entries:
                copies = index.df("twin", one.twin)
                if copies == 1 and one.candidate is not None:
                    alone.append(one.candidate)
                elif copies:
                    others.append(one.twin)
            if others:
                alone += self._candidates(index, others)
                known = {candidate.mid for candidate in alone}
                found_by = (one.candidate for one in entries if one.mid not in known)
                alone += filter(None, found_by)  # of very many copies only some are looked up
            for candidate in alone:
                copy = self._indexed_copy(candidate)
                if copy is not None:
                    found.setdefault(candidate.twin, []).append(copy)
        return found

    def _candidates(self, index: SessionIndex, twins: list[int]) -> list[Candidate]:
        scope = self._engine.scope.filter
        found = index.copies(twins, scope, MAX_COPIES)
        if len(found) < MAX_COPIES:
            return found
        # What is said again and again must not use up the places of the other hits.
        return [copy for twin in twins for copy in index.copies([twin], scope, MAX_COPIES)]

    def _when(self, ts_ms: int) -> tuple[bool, int]:
        """Return what the time of a copy means for its order."""
        question = self._engine.question
        since, until = question.since_ms, question.until_ms
        outside = (since is not None and ts_ms < since) or (until is not None and ts_ms > until)
        return outside, -ts_ms if self._newest else 0

    def _fresh_copy(self, entry: FreshEntry) -> Copy:
        session, ts_ms = entry.file.session, entry.entry.ts_ms
        started = session.started_ms or UNKNOWN
        order = (
            *self._when(ts_ms),
            bool(session.parent),
            started,
            entry.file.path,
            entry.line.number,
        )
        return Copy(order, entry.mid, ts_ms, fresh=entry)

    def _indexed_copy(self, candidate: Candidate) -> Copy | None:
        row = self._row(candidate.mid >> SEQ_BITS)
        seq = candidate.mid & ((1 << SEQ_BITS) - 1)
        # The index may hold more than the catalog says: a commit that was not recorded yet.
        if row is None or seq >= row.next_seq:
            return None
        when = self._when(candidate.ts_ms)
        order = (*when, bool(row.parent), row.started_ms or UNKNOWN, row.path, seq)
        return Copy(order, candidate.mid, candidate.ts_ms, candidate=candidate)

    def _place(self, copy: Copy) -> Place | None:
        """Read what a copy says of itself; None when it no longer stands there."""
        if copy.fresh is not None:
            return self._fresh_place(copy.fresh)
        assert copy.candidate is not None
        return self._indexed_place(copy.candidate)

    def _fresh_place(self, fresh: FreshEntry) -> Place:
        session = fresh.file.session
        place = Place(fresh.file.path, fresh.line.number, fresh.entry.entry_id, fresh.entry.text)
        place.live = session.linear or None
        place.edited = self._is_edited(place, session.edited)
        place.session_id, place.cwd = session.session_id, session.cwd
        place.is_fork = bool(session.parent)
        return place

    def _indexed_place(self, candidate: Candidate) -> Place | None:
        index, row = self._engine.index, self._row(candidate.mid >> SEQ_BITS)
        assert index is not None
        assert row is not None
        stored = index.stored(candidate.address)
        line = self._checked_line(row, stored)
        if not line:
            return None
        place = Place(row.path, line, stored.entry_id, stored.text)
        place.session_id, place.cwd = row.session_id, row.cwd
        place.is_fork = bool(row.parent)
        linear = line == stored.line
        edits = set(row.edited.split())
        for file in self._engine.read.files:
            if file.known == row.id:  # its tail may have gone on, or edited what came before
                edits |= file.session.edited
                linear = linear and file.session.linear
        if linear:
            place.live = not row.is_dead(line)
        place.edited = self._is_edited(place, edits)
        return place

    def _is_edited(self, place: Place, edits: set[str]) -> bool:
        """Tell whether one of *edits* took the entry out of the model's context on the live branch."""
        lines = [
            int(line)
            for entry_id, _, line in (edit.rpartition("@") for edit in edits)
            if entry_id == place.entry_id
        ]
        if not lines:
            return False
        tree = self._tree(place.path)
        return tree is None or not tree.live_lines().isdisjoint(lines)

    def _checked_line(self, row: File, stored: Stored) -> int:
        try:
            if anchors.is_there(row.path, stored):
                return stored.line
            line = anchors.find_line(row.path, stored)
        except OSError as error:
            self.unreadable[row.path] = f"cannot be read: {error.strerror or error}"
            return 0
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
                excerpt(masked(shown.text), limit=CONTEXT_CHARS)[0],
            )
            for shown in neighbours(place.path, tree, place.line, count)
        ]
