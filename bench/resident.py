"""The same searches in one warm process, by class of question: sessions, then memories alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from bench.machine import latencies, load
from bench.memories import write_memories
from bench.product import open_recall
from bench.prose import Prose
from bench.questions import questions
from bench.words import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.corpus import Corpus
    from clawa_search.recall import Recall
    from clawa_search.search.question import Answer

MEMORY_COUNTS = (10_000, 100_000, 1_000_000)


def resident(corpus: Corpus, index_dir: Path, rounds: int = 3) -> dict[str, Any]:
    """Return p50, p95 and p99 of whole answers (ten hits with excerpts) over all sessions."""
    recall = open_recall(Path(corpus.home), index_dir, Path(corpus.agent) / "sessions")
    try:
        return {"load": load(), "classes": _by_class(recall, "session", rounds)}
    finally:
        recall.close()


def memories(most: int = 100_000, rounds: int = 1) -> list[dict[str, Any]]:
    """Return the same for homes of 10,000 memories and more, up to *most*, without sessions."""
    rows = []
    for count in (one for one in MEMORY_COUNTS if one <= most):
        with tempfile.TemporaryDirectory(prefix="clawa-bench-") as name:
            root = Path(name)
            (root / "sessions").mkdir()
            rng = Random(1)
            write_memories(root, count, rng, Prose(rng, Vocabulary()))
            recall = open_recall(root, root / "index", root / "sessions")
            try:
                first = latencies([_ask(recall, "banana", "memory")])
                classes = _by_class(recall, "memory", rounds)
            finally:
                recall.close()
            rows.append(
                {"memories": count, "load": load(), "first_us": first["p50_us"], "classes": classes}
            )
    return rows


def _by_class(recall: Recall, source: str, rounds: int) -> dict[str, dict[str, float]]:
    rows = {}
    for name, asked in questions().items():
        calls = [_ask(recall, question, source) for question in asked]
        hits = [len(call().hits) for call in calls]  # also the warm-up
        rows[name] = {**latencies(calls, rounds), "hits": round(sum(hits) / len(hits), 1)}
    return rows


def _ask(recall: Recall, text: str, source: str) -> Callable[[], Answer]:
    from clawa_search.search.question import Question

    question = Question(text, source=source, everything=True, now_ms=1_793_000_000_000)
    return lambda: recall.search(question)
