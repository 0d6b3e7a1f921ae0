"""Which memories to score: few, however many match, and yet the best of all.

BM25 is a sum over terms, so a memory that holds only common terms cannot score more than their
weights allow. FTS5 ranks the memories that hold a rare term, the best of these are scored in full,
and commoner terms are added only while the bound says that a better memory may be missing. Where
even that is too much, the newest matches stand for all, and a note says so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from clawa_search.memory.candidates import State

    Gain = tuple[str, float]
    """What FTS5 finds memories by, and what these may score more for it."""

from clawa_search.memory.record import read
from clawa_search.memory.terms import TOP, Candidate, Term, Wanted, Weighing, idf, quoted, span

CAP = 4096
"""Matches of a phrase that are counted; a longer count is estimated. 0.05-0.1 us each."""
BUDGET = 16_384
"""Matches that FTS5 ranks in one query at most. 1-2.4 us each: 20 times a counted one."""
FIRST = 1024
"""Matches of the rarest terms that are always ranked first, because that is cheap."""
LEAP = 4
"""So many times as much must the next term make it, that ranking without it is tried first: if
nothing can be proven then, everything is ranked twice."""
WINDOW = 256
"""The newest matches that stand for all when terms are too common to rank."""
NARROW = 1024
"""A time range of so few memories is read whole."""
MAX_TOGETHER = 4
"""Common terms that are also looked for together."""
MAX_PAIRED = 2048
"""Memories expected to hold two of them, above which they are not all ranked."""
CHUNK = 64
MAX_SPELT = 192
"""Memories that are read, best bound first, where words have other spellings: of these nobody can
tell how they add up but by reading, and a proof takes thousands where all words are common."""
MAX_DF = 10_000
"""Tokens whose numbers are kept between two questions."""
MAX_READ, MAX_READ_TOKENS = 2048, 256
"""Memories of so many tokens that are kept between two questions: some MB, 40 at most."""

_NOT_STALE = " AND memories_fts.rowid NOT IN (SELECT id FROM memories_stale)"
_IN_TIME = """ AND EXISTS
(SELECT 1 FROM memories WHERE id = memories_fts.rowid AND ts >= ? AND ts <= ?)"""
_COUNT = """SELECT count(*), max(id) FROM
(SELECT rowid AS id FROM memories_fts WHERE memories_fts MATCH ?{} ORDER BY rowid LIMIT ?)"""
_HITS = "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?{}"
_NEWEST = f"{_HITS} ORDER BY rowid DESC LIMIT ?"
_RANK = """SELECT rowid, bm25(memories_fts, 1.0, 1.0, 1.0, 0.0) AS worth
FROM memories_fts WHERE memories_fts MATCH ?{}"""
_BEST = f"{_RANK} ORDER BY worth, rowid DESC LIMIT ?"
_LOAD = """SELECT i.text, i.code, i.tags, i.size, m.id, m.ts, m.text, m.tags
FROM memories_index i JOIN memories m ON m.id = i.id WHERE i.id IN ({})"""
_DF = "SELECT token, text, code FROM memories_df WHERE token IN ({})"
_OUTDATED = """SELECT id, text, code, tags, size FROM memories_index
WHERE id IN (SELECT id FROM memories_stale LIMIT 4096)"""
_RANGE = """SELECT id, ts FROM memories WHERE ts >= ? AND ts <= ?
AND id NOT IN (SELECT id FROM memories_stale) LIMIT ?"""


class Plan:
    """One search over the mirror and over memories that were analysed for it.

    Attributes:
        found: every memory that was scored and matches, by id.
        notes: what was not ranked in full.
        whole: ids of memories that hold all words at once, the newest of them.
    """

    def __init__(
        self,
        con: sqlite3.Connection,
        state: State | None,
        wanted: Wanted,
        analysed: list[Candidate],
        rows: int,
        average: float,
    ) -> None:
        """Prepare a search; without *state* there is no mirror, only what was *analysed*."""
        self._con = con if state else None
        self._wanted = wanted
        self._analysed = analysed
        self._rows = rows
        self._average = average
        self._now_stale = self._in_time = ""
        self._span: tuple[int, ...] = ()
        self._last = state.last if state else 0
        self._read = state.read if state else {}
        self._df = state.df if state else {}
        self._needed = 4 * wanted.exact
        self.found: dict[int, Candidate] = {}
        self.notes: list[str] = []
        self.whole: set[int] = set()
        self._weighing = Weighing((), average)
        self._more: list[Gain] = []
        if state and state.stale:
            self._now_stale = _NOT_STALE
        if wanted.timed:
            self._in_time, self._span = _IN_TIME, span(wanted.since, wanted.until)

    def count(self, terms: Sequence[Term]) -> None:
        """Set how many memories hold each of *terms*, whatever the filters."""
        known = self._df
        outdated: list[Candidate] = []
        if self._con:
            if len(known) > MAX_DF:
                known.clear()
            singles = dict.fromkeys(term.tokens[0] for term in terms if term.is_single)
            tokens = [token for token in singles if token not in known]
            for at in range(0, len(tokens), CHUNK):
                some = tokens[at : at + CHUNK]
                known |= dict.fromkeys(some, (0, 0))
                sql = _DF.format(",".join("?" * len(some)))
                known.update(
                    (token, (text, code)) for token, text, code in self._con.execute(sql, some)
                )
            if self._now_stale:
                outdated = [_candidate(*row) for row in self._con.execute(_OUTDATED)]
        for term in terms:
            if term.is_single:
                term.df = term.seen = known.get(term.tokens[0], (0, 0))[term.code]
                term.df -= sum(term.count_in(memory) > 0 for memory in outdated)
                term.seen = term.df
            elif self._con:
                term.seen, last = self._count(term.match)
                more = CAP * self._last // max(1, last)
                term.df = term.seen if term.seen < CAP else max(CAP, more)
            here = sum(term.count_in(memory) > 0 for memory in self._analysed)
            term.seen += here
            term.df = min(term.df + here, self._rows)

    def run(self) -> None:
        """Fill `found`; the terms must have been counted."""
        wanted = self._wanted
        weighted = [(term, idf(term.df, self._rows)) for term in wanted.terms + wanted.must]
        self._weighing = Weighing(weighted, self._average, wanted.others, self._rows)
        self._more = [(_any(terms), TOP * most) for terms, most in self._weighing.others]
        for memory in self._analysed:
            if wanted.accepts(memory):
                self._add(memory)
        if self._con is None or (wanted.timed and self._narrow(self._con)):
            return
        terms = sorted((term for term in wanted.terms if term.seen), key=lambda term: term.df)
        others = [term for term in wanted.other_terms if term.seen]
        base = [term.match for term in wanted.must]
        base += [f"exact : {quoted((tag,))}" for tag in wanted.tags]
        if not (base and self._few(base, terms, others)):
            if terms:
                self._grow(base, terms)
            if others:
                self._rank_others(base, others, terms)
            if wanted.must:
                self._newest(self._all(base), wanted.must)
        held = [[term for term in forms if term.seen] for forms in wanted.whole]
        if held and all(held):
            parts = [*base, *map(_any, held)]
            sql = _NEWEST.format(self._now_stale + self._in_time)
            found = self._con.execute(sql, (self._all(parts), *self._span, wanted.exact))
            self.whole = {row[0] for row in found}
            self._take(self.whole)

    def _few(self, base: list[str], terms: list[Term], others: list[Term]) -> bool:
        """Search through what phrases and tags leave, if that is little."""
        count, _ = self._count(self._all(base))
        if count >= CAP:
            return False
        every = terms + others
        if self._wanted.must:
            self._rank(self._all(base), self._gains(terms) + self._more)
        elif every and count <= WINDOW:
            self._newest(self._all([*base, _any(every)]))
        else:
            if terms:
                self._rank(self._all([*base, _any(terms)]), self._more)
            if others:
                self._rank(self._all([*base, _any(others)]), self._gains(terms))
        return True

    def _rank_others(self, base: list[str], others: list[Term], terms: list[Term]) -> None:
        """Rank what holds another way to write a word, apart: FTS5 sums up all ways of one word."""
        match = self._all([*base, _any(others)])
        if sum(term.df for term in others) <= BUDGET:
            self._rank(match, self._gains(terms))
        else:
            self._newest(match, others)

    def _gains(self, terms: Iterable[Term]) -> list[Gain]:
        """Return what a memory may gain by each of *terms*."""
        return [(term.match, TOP * idf(term.seen, self._rows)) for term in terms]

    def _grow(self, base: list[str], terms: list[Term]) -> None:
        """Rank by the rarest terms, adding commoner ones until nothing better can be missing."""
        taken, together = 0, False
        while True:
            reach = self._reach(terms, taken, together=together)
            rest = terms[reach:]
            if reach == taken:
                self._newest_of(base, rest)
                return
            taken = reach
            some = self._all([*base, _any(terms[:taken])])
            self._rank(some, self._gains(rest) + self._more)
            if not self._proven(rest, together=together):
                together = together or self._together(base, rest)
            if self._proven(rest, together=together):
                return

    def _reach(self, terms: list[Term], taken: int, *, together: bool) -> int:
        """Return how many of *terms* to rank by next: as many as are needed and affordable."""
        about = sum(term.df for term in terms[:taken])
        for at in range(taken, len(terms)):
            before = about
            about += terms[at].df
            # With terms left over, memories are asked for twice.
            if about > (BUDGET if at == len(terms) - 1 else BUDGET // 2):
                return at
            much_more = about > max(FIRST, LEAP * before)
            enough = much_more and before >= self._needed
            if at > taken and (self._proven(terms[at:], together=together) if taken else enough):
                return at
        return len(terms)

    def _rank(self, match: str, rest: list[Gain]) -> None:
        """Take the best of what matches, where *rest* counts as well.

        FTS5 sums up `match` alone, because bm25() counts every term of its expression again. Which
        of the memories hold something of *rest* is cheap to ask; only these can score more than
        their sum, and they are read as long as that could make them one of the best.
        """
        assert self._con
        filters = self._now_stale + self._in_time
        limit = self._wanted.limit
        if not rest:
            best = self._con.execute(_BEST.format(filters), (match, *self._span, limit))
            self._take([row[0] for row in best])
            return
        worth = dict(self._con.execute(_RANK.format(filters), (match, *self._span)).fetchall())
        most = {number: -value for number, value in worth.items()}
        sql = _HITS.format(filters)
        for held, more in rest:
            both = f"({match}) AND ({held})"
            for (number,) in self._con.execute(sql, (both, *self._span)):
                most[number] += more
        order = sorted([(value, number) for number, value in most.items()], reverse=True)
        for at in range(0, len(order), CHUNK):
            if at >= limit and order[at][0] <= self._worst():
                break
            if at >= MAX_SPELT and self._more:
                break
            self._take([number for _, number in order[at : at + CHUNK]])

    def _together(self, base: list[str], rest: list[Term]) -> bool:
        """Rank the memories that hold two of *rest*; tell whether that was affordable.

        No other memory can then gain more than one of these terms is worth.
        """
        pairs = [(one, two) for at, one in enumerate(rest) for two in rest[at + 1 :]]
        about = sum(one.df * two.df // self._rows for one, two in pairs)
        if not pairs or len(rest) > MAX_TOGETHER or about > MAX_PAIRED:
            return False
        for pair in pairs:
            others = [term for term in rest if term not in pair]
            some = self._all([*base, *(term.match for term in pair)])
            self._rank(some, self._gains(others) + self._more)
        return True

    def _newest_of(self, base: list[str], terms: list[Term]) -> None:
        """Take memories that hold several of the common *terms*, and the newest that hold any."""
        together = [term.match for term in terms[:MAX_TOGETHER]]
        if len(together) > 1:
            self._newest(self._all([*base, *together]))
        if len(together) > 2:
            most = [_all(together[:at] + together[at + 1 :]) for at in range(len(together))]
            self._newest(self._all([*base, " OR ".join(f"({one})" for one in most)]))
        self._newest(self._all([*base, _any(terms)]), terms)

    def _newest(self, match: str, terms: Sequence[Term] = ()) -> None:
        """Take the newest matches; if that is not all, say so for *terms*."""
        assert self._con
        sql = _NEWEST.format(self._now_stale + self._in_time)
        ids = [row[0] for row in self._con.execute(sql, (match, *self._span, WINDOW))]
        self._take(ids)
        if terms and len(ids) == WINDOW:
            words = ", ".join(" ".join(term.tokens) for term in terms)
            self.notes.append(f"too common to rank every memory: {words}; the newest were ranked")

    def _narrow(self, con: sqlite3.Connection) -> bool:
        """Read a short time range whole; tell whether it was short."""
        times = dict(con.execute(_RANGE, (*self._span, NARROW + 1)).fetchall())
        if len(times) > NARROW:
            return False
        for memory in self._load(list(times)):
            if self._wanted.accepts(memory):
                self._add(memory)
        return True

    def _take(self, ids: Iterable[int]) -> None:
        for memory in self._load([number for number in ids if number not in self.found]):
            self._add(memory)

    def _load(self, ids: list[int]) -> Iterable[Candidate]:
        assert self._con
        known = self._read
        if len(known) > MAX_READ:
            known.clear()
        yield from [known[number] for number in ids if number in known]
        missing = [number for number in ids if number not in known]
        for at in range(0, len(missing), CHUNK):
            some = missing[at : at + CHUNK]
            sql = _LOAD.format(",".join("?" * len(some)))
            for tokens, code, tags, size, *stored in self._con.execute(sql, some):
                memory = _candidate(stored[0], tokens, code, tags, size)
                memory.take(read(stored))
                if memory.size <= MAX_READ_TOKENS:
                    known[memory.id] = memory
                yield memory

    def _add(self, memory: Candidate) -> None:
        memory.score = self._weighing.score(memory)
        self.found[memory.id] = memory

    def _count(self, match: str) -> tuple[int, int]:
        assert self._con
        found = self._con.execute(_COUNT.format(self._now_stale), (match, CAP)).fetchone()
        return found[0], found[1] or 0

    def _proven(self, rest: list[Term], *, together: bool) -> bool:
        """Tell whether no memory that holds only terms of *rest* can be among the best.

        A term adds less than TOP times its weight; with *together*, only one of them can.
        """
        weights = [idf(term.seen, self._rows) for term in rest]
        most = max(weights, default=0.0) if together else sum(weights)
        return TOP * most <= self._worst()

    def _worst(self) -> float:
        """Return the score below which nothing is wanted; 0 while too few are found."""
        scores = sorted((memory.score for memory in self.found.values()), reverse=True)
        return scores[self._wanted.exact - 1] if len(scores) >= self._wanted.exact else 0.0

    def _all(self, parts: list[str]) -> str:
        """Return the expression for what matches all of *parts* and nothing that is excluded."""
        match = _all(parts)
        return f"({match}) NOT ({_any(self._wanted.excluded)})" if self._wanted.excluded else match


def _candidate(number: int, text: str, code: str, tags: str, size: int) -> Candidate:
    return Candidate(number, text.split(), code.split(), tags.split(), size)


def _all(parts: list[str]) -> str:
    return " AND ".join([f"({part})" for part in parts])


def _any(terms: Iterable[Term]) -> str:
    return " OR ".join([f"({term.match})" for term in terms])
