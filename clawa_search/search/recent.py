"""The newest memories, straight from the database: no query, no engine, no session files."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.record import Memory
    from clawa_search.memory.store import MemoryStore
    from clawa_search.search.question import Question

from clawa_search.search.excerpt import excerpt
from clawa_search.search.question import NO_TIME, Answer, Hit
from clawa_search.secrets import all_masked


def serves(question: Question) -> bool:
    """Is *question* without a query, and about memories alone?"""
    return question.source == "memory" and not question.query.strip()


def answer(memories: MemoryStore, question: Question) -> Answer:
    """Answer a *question* without a query about memories alone, newest first.

    Raises:
        StoreError: the memories cannot be read.
    """
    began = time.perf_counter()
    made = Answer(question.query)
    found = memories.newest(question.limit, question.tags, question.since_ms, question.until_ms)
    texts = all_masked([memory.text for memory in found])
    made.hits = [_hit(memory, text) for memory, text in zip(found, texts, strict=True)]
    if question.ends_before_it_begins:
        made.notes.append(NO_TIME)
    made.took_ms = (time.perf_counter() - began) * 1000
    return made


def _hit(memory: Memory, text: str) -> Hit:
    hit = Hit("memory", f"mem:{memory.id}", 0.0, memory.ts_ms)
    hit.id, hit.tags = memory.id, memory.tags
    hit.excerpt, hit.truncated = excerpt(text)
    return hit
