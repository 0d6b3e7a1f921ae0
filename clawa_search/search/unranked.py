"""What is found without ranking: the newest, and what holds a text that has no words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.record import Memory
    from clawa_search.search.engine import Engine
    from indexer.word import Word

from clawa_search.errors import StoreError
from clawa_search.memory.listing import SCAN_ROWS
from clawa_search.search import merge
from clawa_search.search.winner import Winner

LITERAL_ENTRIES = 500
"""How many of the newest entries are looked through for a text without any word."""
EXCLUDED = 500
"""Memories that are looked at beyond those wanted, for each word that must not occur."""


def newest(engine: Engine, limit: int) -> list[Winner]:
    """Return the newest entries in scope: no ranking, no full-text search."""
    found = _memories(engine, limit, literal=False)
    if engine.question.source != "memory":
        found += _entries(engine, limit)
    return merge.best(found, limit)


def literal(engine: Engine, limit: int) -> list[Winner]:
    """Return what holds the text of a query without any word: `%`, `_`, `->`.

    Looks through a bounded number of the newest memories and entries.
    """
    found = _memories(engine, limit, literal=True)
    if engine.question.source != "memory":
        entries = _entries(engine, LITERAL_ENTRIES)
        if len(entries) >= LITERAL_ENTRIES:
            _looked_at(engine, f"the newest {LITERAL_ENTRIES} entries")
        for winner in entries:
            if engine.query.literal in engine.text_of(winner):
                found.append(winner)
    for winner in found:
        winner.score = 1.0
        winner.parts = {"literal": 1.0} if engine.question.explain else {}
    return merge.best(found, limit)


def _looked_at(engine: Engine, part: str) -> None:
    engine.complete = False
    engine.notes.append(f"a text without a word was looked for in {part} only")


def _memories(engine: Engine, limit: int, *, literal: bool) -> list[Winner]:
    found = []
    excluded = engine.query.excluded
    if engine.question.source != "session":
        # Some of those are left out.
        for memory in _listed(engine, limit + len(excluded) * EXCLUDED, literal=literal):
            if excluded and _holds(memory, excluded):
                continue
            winner = Winner(0.0, memory.ts_ms, ~memory.id)
            winner.memory = memory
            found.append(winner)
    return found


def _holds(memory: Memory, words: list[Word]) -> bool:
    from clawa_search.memory.mirror import Analysed

    tokens = Analysed(memory.text, memory.tags)
    texts, codes = tokens.text + tokens.words, tokens.code + tokens.words
    return any(word.matches(texts, codes) for word in words)


def _listed(engine: Engine, limit: int, *, literal: bool) -> list[Memory]:
    """Return the newest memories, or the newest that hold the query's text."""
    memories, question = engine.memories, engine.question
    if memories is None:
        return []
    tags, since_ms, until_ms = question.tags, question.since_ms, question.until_ms
    try:
        if literal:
            text = engine.query.literal
            if memories.count() > SCAN_ROWS:
                _looked_at(engine, f"the newest {SCAN_ROWS:,} memories")
            return memories.literal(text, limit, tags=tags, since_ms=since_ms, until_ms=until_ms)
        return memories.newest(limit, tags=tags, since_ms=since_ms, until_ms=until_ms)
    except StoreError as error:
        engine.without_memories(error)
        return []


def _entries(engine: Engine, limit: int) -> list[Winner]:
    """Return the newest entries of each file that is read in memory, and of the index."""
    found = []
    scope = engine.scope.filter
    for file in engine.read.files:
        said: set[int] = set()
        for entry in reversed(file.entries):
            if len(said) == limit:
                break
            if entry.is_wanted(engine.query, scope):
                said.add(entry.twin)
                winner = Winner(0.0, entry.entry.ts_ms, entry.twin)
                winner.fresh, winner.role, winner.mid = entry, entry.entry.role, entry.mid
                found.append(winner)
    if engine.index is not None and engine.any_file():
        for candidate in engine.index.newest(engine.query, scope, limit):
            winner = Winner(0.0, candidate.ts_ms, candidate.twin)
            winner.candidate, winner.mid = candidate, candidate.mid
            winner.role = candidate.role
            found.append(winner)
    return found
