"""How much memory: the largest resident set of each command, for histories of growing size."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import tables
from bench.corpus import Plan, make_corpus
from bench.install import install
from bench.machine import describe, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.corpus import Corpus
    from bench.install import Installation

SIZES_MB = (10.0, 20.0, 50.0, 100.0)
_LONG_LINE_MB = 20.0


def measure(
    sizes_mb: Sequence[float] = SIZES_MB, memories: int = 10_000, tools: Path | None = None
) -> dict[str, Any]:
    """Return one row a size, and one for a history with a line of 20 MB."""
    report: dict[str, Any] = {"version": 1, "machine": describe(), "rows": []}
    with tempfile.TemporaryDirectory(prefix="clawa-bench-") as name:
        root = Path(name)
        installed = install(tools or root / "tools")
        for size in sizes_mb:
            corpus = make_corpus(root / "corpus", Plan(size_mb=size, memories=memories))
            report["rows"].append(_row(f"{size:g} MB", root, installed, corpus))
        plan = Plan(size_mb=sizes_mb[0], memories=memories, long_line_mb=_LONG_LINE_MB)
        corpus = make_corpus(root / "corpus", plan)
        label = f"{sizes_mb[0]:g} MB and one line of {_LONG_LINE_MB:g} MB"
        report["rows"].append(_row(label, root, installed, corpus))
    return report


def _row(label: str, root: Path, installed: Installation, corpus: Corpus) -> dict[str, Any]:
    index_dir = root / f"index-{label.replace(' ', '-')}"
    sessions = f"{corpus.agent}/sessions"

    def peak(*words: str) -> float:
        done = run(installed.command(corpus.home, index_dir, sessions, *words))
        if done.status not in (0, 1):
            raise RuntimeError(f"clawa-search {' '.join(words)}: exit {done.status}")
        return round(done.rss_mb, 1)

    return {
        "history": label,
        "bytes": corpus.bytes,
        "files": corpus.files,
        "python -c pass": round(run([installed.python, "-c", "pass"]).rss_mb, 1),
        "reindex": peak("reindex"),
        "reindex, no change": peak("reindex"),
        "recall --all": peak("recall", "--all", "banana", "ledger", "selection"),
        "recall --all, common words": peak("recall", "--all", "file", "error", "test"),
    }


def show(report: dict[str, Any]) -> None:
    """Print *report* as a table."""
    columns = [name for name in report["rows"][0] if name not in ("bytes", "history")]
    rows = [[row["history"], *(row[name] for name in columns)] for row in report["rows"]]
    tables.show("Largest resident set, MB", ["history", *columns], rows)
