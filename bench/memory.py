"""What growth costs: memory and CPU of each command, for histories of growing size."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import tables
from bench.cold import REFERENCE
from bench.corpus import Plan, make_corpus
from bench.install import install
from bench.machine import Run, describe, digest, interleave, load, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.corpus import Corpus
    from bench.install import Installation

SIZES_MB = (10.0, 20.0, 50.0, 100.0)
LONG_LINE_MB = 20.0
_ROUNDS = 9
_WORDS = ("banana", "ledger", "selection")


def measure(
    sizes_mb: Sequence[float] = SIZES_MB,
    memories: int = 10_000,
    *,
    long_line_mb: float = LONG_LINE_MB,
    tools: Path | None = None,
) -> dict[str, Any]:
    """Return one row a size, and one for a history of the first size with one very long line."""
    report: dict[str, Any] = {"version": 1, "machine": describe(), "rows": []}
    with tempfile.TemporaryDirectory(prefix="clawa-bench-") as name:
        root = Path(name)
        installed = install(tools or root / "tools")
        for size in sizes_mb:
            corpus = make_corpus(root / "corpus", Plan(size_mb=size, memories=memories))
            report["rows"].append(_row(f"{size:g} MB", root, installed, corpus))
        plan = Plan(size_mb=sizes_mb[0], memories=memories, long_line_mb=long_line_mb)
        corpus = make_corpus(root / "corpus", plan)
        label = f"{sizes_mb[0]:g} MB and one line of {long_line_mb:g} MB"
        report["rows"].append(_row(label, root, installed, corpus))
    return report


def _row(label: str, root: Path, installed: Installation, corpus: Corpus) -> dict[str, Any]:
    index_dir = root / f"index-{label.replace(' ', '-')}"
    sessions = f"{corpus.agent}/sessions"

    def once(*words: str) -> Run:
        done = run(installed.command(corpus.home, index_dir, sessions, *words))
        if done.status not in (0, 1):
            raise RuntimeError(f"clawa-search {' '.join(words)}: exit {done.status}")
        return done

    reindex = once("reindex")
    cases = {
        REFERENCE: lambda: run([installed.python, "-c", "pass"]),
        "reindex, no change": lambda: once("reindex"),
        "recall": lambda: once("recall", *_WORDS),
        "recall --all": lambda: once("recall", "--all", *_WORDS),
        "recall --all, common words": lambda: once("recall", "--all", "file", "error", "test"),
    }
    runs = interleave(cases, _ROUNDS)
    return {
        "history": label,
        "bytes": corpus.bytes,
        "files": corpus.files,
        "memories": corpus.memories,
        "load": load(),
        "reindex_rss_mb": round(reindex.rss_mb, 1),
        "reindex_s": round(reindex.wall_s, 2),
        "commands": {name: digest(done, runs[REFERENCE]) for name, done in runs.items()},
    }


def show(report: dict[str, Any]) -> None:
    """Print *report* as two tables."""
    rows = report["rows"]
    names = list(rows[0]["commands"])
    tables.show(
        "Largest resident set, MB",
        ["history", "files", "reindex", *names],
        [
            [row["history"], row["files"], row["reindex_rss_mb"]]
            + [row["commands"][name]["rss_mb"] for name in names]
            for row in rows
        ],
    )
    tables.show(
        f"CPU against {REFERENCE}: median of {_ROUNDS} pairs",
        ["history", "load", *names[1:]],
        [
            [row["history"], row["load"]]
            + [f"{row['commands'][name]['cpu_ratio']:.2f}" for name in names[1:]]
            for row in rows
        ],
    )
