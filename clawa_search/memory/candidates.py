"""The memories that match a query best, from the mirror and from what it does not know yet."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from indexer.analysis import Word

from clawa_search.memory.plan import Plan
from clawa_search.memory.record import MEMORY, read
from clawa_search.memory.terms import Candidate, Term, Wanted

SCAN_ROWS = 4096
"""Memories analysed while a query waits, newest first: those that the mirror does not know."""

_STALE = """SELECT m.id, m.ts, m.text, m.tags
FROM memories_stale s JOIN memories m ON m.id = s.id ORDER BY s.id DESC LIMIT ?"""
_NEWEST = f"SELECT {MEMORY} FROM memories ORDER BY ts DESC, id DESC LIMIT ?"
_STATE = """SELECT rows, tokens, size, (SELECT max(id) FROM memories_index),
EXISTS (SELECT 1 FROM memories_stale) FROM memories_state"""
_SUMS = """SELECT rows - n, s.tokens - t, s.size - z FROM memories_state s,
(SELECT count(*) AS n, total(tokens) AS t, total(size) AS z
 FROM memories_index WHERE id IN (SELECT id FROM memories_stale))"""


class State:
    """What a mirror says of itself; the same until somebody writes.

    Attributes:
        rows, tokens, size: memories it knows, their text tokens, all their tokens.
        last: their highest id.
        stale: whether others wrote what it does not know yet.
        read: memories that were read already, by id; a process that stays open is asked for the
            same few again and again.
        df: how many memories hold a token in text and in code, as far as it was asked for.
    """

    __slots__ = ("df", "last", "read", "rows", "size", "stale", "tokens")

    def __init__(self, con: sqlite3.Connection) -> None:
        self.read: dict[int, Candidate] = {}
        self.df: dict[str, tuple[int, int]] = {}
        row = con.execute(_STATE).fetchone()
        self.rows, self.tokens, self.size, self.last, self.stale = (
            int(value or 0) for value in row
        )
        if self.stale:
            known = con.execute(_SUMS).fetchone()
            self.rows, self.tokens, self.size = (int(number) for number in known)


class Candidates:
    """The best matches, and the numbers that weigh their terms.

    Attributes:
        rows: best first.
        df: for each text token of the words and phrases, how many memories hold it in text or
            tags: exact below 4096, above it an estimate from where the first 4096 lie.
        code_df: the same for whole forms, in code or tags.
        total_rows, total_tokens: memories, and text tokens in them.
        notes: what could not be searched, or not ranked in full, and why.
        complete: whether every memory was searched.
    """

    __slots__ = ("code_df", "complete", "df", "notes", "rows", "total_rows", "total_tokens")

    def __init__(self) -> None:
        self.rows: list[Candidate] = []
        self.df: dict[str, int] = {}
        self.code_df: dict[str, int] = {}
        self.total_rows = 0
        self.total_tokens = 0
        self.notes: list[str] = []
        self.complete = True


def find(
    con: sqlite3.Connection, state: State, wanted: Wanted, words: Iterable[Word]
) -> Candidates:
    """Search the mirror and the stale memories beside it."""
    answer = Candidates()
    stale = []
    if state.stale:
        stale = _analysed(con.execute(_STALE, (SCAN_ROWS + 1,)).fetchall(), answer)
    _search(con, wanted, words, answer, stale, state)
    return answer


def scan(con: sqlite3.Connection, wanted: Wanted, words: Iterable[Word]) -> Candidates:
    """Search the newest SCAN_ROWS memories without a mirror."""
    answer = Candidates()
    memories = _analysed(con.execute(_NEWEST, (SCAN_ROWS + 1,)).fetchall(), answer)
    _search(con, wanted, words, answer, memories, None)
    return answer


def count(con: sqlite3.Connection, state: State | None, terms: Sequence[Term]) -> None:
    """Set how many memories hold each of *terms*, as `Candidates.df` does.

    Args:
        state: of the mirror; without one the newest SCAN_ROWS are looked at.
    """
    analysed = _fresh(con, state)
    rows = len(analysed) + (state.rows if state else 0)
    Plan(con, state, Wanted([], 1, 1), analysed, rows, 1.0).count(terms)


def fresh_tokens(con: sqlite3.Connection, state: State | None) -> set[str]:
    """Return the text tokens of memories that the mirror does not know; all of them without one."""
    return {token for one in _fresh(con, state) for token in (*one.text_tokens, *one.tag_tokens)}


def _fresh(con: sqlite3.Connection, state: State | None) -> list[Candidate]:
    if state is not None and not state.stale:
        return []
    sql = _NEWEST if state is None else _STALE
    return _analysed(con.execute(sql, (SCAN_ROWS,)).fetchall(), Candidates())


def _search(
    con: sqlite3.Connection,
    wanted: Wanted,
    words: Iterable[Word],
    answer: Candidates,
    analysed: list[Candidate],
    state: State | None,
) -> None:
    rows, tokens, size = (state.rows, state.tokens, state.size) if state else (0, 0, 0)
    answer.total_rows = rows + len(analysed)
    answer.total_tokens = tokens + sum(len(memory.text_tokens) for memory in analysed)
    if not answer.total_rows:
        return
    average = (size + sum(memory.size for memory in analysed)) / answer.total_rows
    plan = Plan(con, state, wanted, analysed, answer.total_rows, max(1.0, average))
    _count(plan, wanted, words, answer)
    plan.run()
    answer.notes += plan.notes
    best = sorted(plan.found.values(), key=lambda memory: (-memory.score, -memory.id))
    answer.rows = best[: wanted.limit]
    answer.rows += [memory for memory in best[wanted.limit :] if memory.id in plan.whole]


def _count(plan: Plan, wanted: Wanted, words: Iterable[Word], answer: Candidates) -> None:
    """Count the terms, and the single tokens that only occur inside phrases."""
    terms = wanted.terms + wanted.other_terms + wanted.must
    single = {(term.code, term.tokens): term for term in terms}
    tokens = [token for word in words for some, _ in word.written for token in some]
    tokens += [token for term in wanted.must if not term.code for token in term.tokens]
    for token in tokens:
        if (False, (token,)) not in single:
            single[False, (token,)] = extra = Term((token,))
            terms.append(extra)
    plan.count(terms)
    for (code, key), term in single.items():
        if code:
            answer.code_df[key[0]] = term.df
        elif len(key) == 1:
            answer.df[key[0]] = term.df


def _analysed(rows: list[Sequence[object]], answer: Candidates) -> list[Candidate]:
    """Return the memories of *rows* with their tokens; note when there are more than SCAN_ROWS."""
    if not rows:
        return []
    from clawa_search.memory.mirror import Analysed

    if len(rows) > SCAN_ROWS:
        answer.notes.append(
            f"only the newest {SCAN_ROWS} of the memories that are not indexed yet were searched;"
            " `clawa-search reindex` indexes them"
        )
        answer.complete = False
    found = []
    for row in rows[:SCAN_ROWS]:
        memory = read(row)
        tokens = Analysed(memory.text, memory.tags)
        one = Candidate(memory.id, tokens.text, tokens.code, tokens.words, tokens.size)
        one.take(memory)
        found.append(one)
    return found
