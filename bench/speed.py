"""How fast: indexing, cold processes, a warm process, memories. Ratios count, seconds vary."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import cold, indexing, resident, tables
from bench.corpus import Plan, make_corpus
from bench.install import install
from bench.machine import describe, load

PARTS = ("index", "cold", "resident", "memories")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a run of the speed benchmark shall do.

    Attributes:
        size_mb: history to make, in megabytes.
        files: number of session files, 0 for a natural number.
        memories: memories in the home of the cold recalls.
        most_memories: largest home of the memories part.
        parts: which of `PARTS` to run.
        rounds: rounds of the cold processes; indexing runs a fifth of it, at least 3.
        tools: folder of the clean installation, kept; None for a temporary one.
    """

    size_mb: float = 100.0
    files: int = 0
    memories: int = 10_000
    most_memories: int = 100_000
    parts: tuple[str, ...] = PARTS
    rounds: int = 15
    tools: Path | None = None


def run(wanted: Wanted) -> dict[str, Any]:
    """Return the report; everything made for it is gone afterwards."""
    report: dict[str, Any] = {"version": 1, "machine": describe()}
    with tempfile.TemporaryDirectory(prefix="clawa-bench-") as name:
        root = Path(name)
        if set(wanted.parts) - {"memories"}:
            _on_a_corpus(root, wanted, report)
        if "memories" in wanted.parts:
            report["memories"] = resident.memories(wanted.most_memories)
    report["load_after"] = load()
    return report


def _on_a_corpus(root: Path, wanted: Wanted, report: dict[str, Any]) -> None:
    plan = Plan(size_mb=wanted.size_mb, files=wanted.files, memories=wanted.memories)
    corpus = make_corpus(root / "corpus", plan)
    report["corpus"] = corpus.described()
    installed = install(wanted.tools or root / "tools")
    index_dir = root / "index"
    built = indexing.build(installed, corpus, index_dir, max(3, wanted.rounds // 5))
    if "index" in wanted.parts:
        report["build"] = built
    if "cold" in wanted.parts:
        report["cold"] = cold.cold(installed, corpus, index_dir, wanted.rounds)
    if "resident" in wanted.parts:
        report["resident"] = resident.resident(corpus, index_dir)
    if "index" in wanted.parts:
        # Last: it changes the history.
        report["updates"] = indexing.updates(installed, corpus, index_dir, wanted.rounds)


def show(report: dict[str, Any]) -> None:
    """Print *report* as tables."""
    if "corpus" in report:
        made = report["corpus"]
        print(
            f"History: {made['bytes'] / 1e6:,.0f} MB, {made['files']:,} files, {made['lines']:,} lines"
        )
    if "build" in report:
        _show_build(report["build"])
    if "updates" in report:
        _show_processes("Reindex after a change", report["updates"], report["updates"]["rows"])
    if "cold" in report:
        _show_processes("One question, one process", report["cold"], report["cold"]["commands"])
    if "resident" in report:
        _show_classes(f"Warm, sessions (load {report['resident']['load']})", report["resident"])
    for row in report.get("memories", ()):
        _show_classes(f"Warm, {row['memories']:,} memories (load {row['load']})", row)


def _show_build(built: dict[str, Any]) -> None:
    rows = [
        [
            name,
            row["wall_ms"] / 1000,
            row["cpu_ms"] / 1000,
            row["rss_mb"],
            f"{row['product_cpu_ratio']:.2f}",
        ]
        for name, row in built["rows"].items()
    ]
    columns = ["The whole history", "wall s", "CPU s", "RSS MB", "reindex CPU / this"]
    tables.show(f"Build (load {built['load']})", columns, rows)
    share = 100 * built["index_share"]
    print(f"{built['mb_per_s']:.0f} MB/s; the index takes {share:.1f} % of the history")
    alone = built["analyser"]["mb_per_s"]
    print(f"the analyser alone: {alone:.0f} MB of text a second, words never seen before included")


def _show_processes(title: str, part: dict[str, Any], found: dict[str, Any]) -> None:
    rows = [
        [
            name,
            row["wall_ms"],
            row["wall_min_ms"],
            row["cpu_ms"],
            f"{row['cpu_ratio']:.2f}x",
            row["rss_mb"],
        ]
        for name, row in found.items()
    ]
    columns = ["", "wall ms", "min", "CPU ms", "of pass", "RSS MB"]
    tables.show(f"{title} (load {part['load']})", columns, rows)


def _show_classes(title: str, part: dict[str, Any]) -> None:
    rows = [
        [name, row["p50_us"], row["p95_us"], row["p99_us"], row["hits"]]
        for name, row in part["classes"].items()
    ]
    tables.show(title, ["microseconds", "p50", "p95", "p99", "hits"], rows)
