"""The same questions to clawa-search and to everything else at hand, on one history.

Each tool has a home of its own with hard links to the same files. A needle is a message planted
in the history: the right answer is known, down to the line.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import plain_fts, tables
from bench.corpus import Plan, make_corpus
from bench.indexing import folder_bytes
from bench.install import install
from bench.machine import Run, describe, digest, interleave, load, run
from bench.rivals import (
    OTHERS,
    RIPGREP,
    SCAN,
    Found,
    Rival,
    environment,
    lay_home,
    read_recall,
    version_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.corpus import Corpus
    from bench.needles import Needle

PRODUCT = "clawa-search"
_SHOWN = 10


@dataclass(slots=True)
class Contestant:
    """A tool ready to be asked.

    Attributes:
        row: what is known about it so far, for the report.
        command: the question -> the process to start.
        env: its environment, None for ours.
        sessions: the folder of sessions as it sees it.
        stop: the command that ends what it left running, or empty.
    """

    name: str
    command: Callable[[str], list[str]]
    read: Callable[[bytes], list[Found]]
    sessions: str
    row: dict[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] | None = None
    stop: list[str] = field(default_factory=list)


def compare(
    size_mb: float = 100.0, rounds: int = 3, needles: int = 10, tools: Path | None = None
) -> dict[str, Any]:
    """Return the report: one row a tool, and for each kind of needle who found it."""
    report: dict[str, Any] = {"version": 1, "machine": describe(), "rows": []}
    # Hard links need one file system: tools' homes lie beside the history.
    with tempfile.TemporaryDirectory(prefix="clawa-bench-") as name:
        root = Path(name)
        corpus = make_corpus(root / "corpus", Plan(size_mb=size_mb, needles=needles))
        report["corpus"] = corpus.described()
        contestants, missing = _contestants(root, corpus, tools or root / "tools")
        report["missing"] = missing
        try:
            timed = _time(contestants, corpus, rounds)
            for contestant in contestants:
                row = {"name": contestant.name, **contestant.row, **timed[contestant.name]}
                report["rows"].append({**row, **_judge(contestant, corpus)})
        finally:
            for contestant in contestants:
                if contestant.stop:
                    run(contestant.stop, env=contestant.env)
    report["load_after"] = load()
    return report


def _contestants(root: Path, corpus: Corpus, tools: Path) -> tuple[list[Contestant], list[str]]:
    sessions = f"{corpus.agent}/sessions"
    ready = [_product(root, corpus, tools), _plain_fts(root, sessions)]
    missing = []
    for rival in (RIPGREP, SCAN, *OTHERS):
        program = rival.install(tools)
        if program is None:
            missing.append(rival.name)
        else:
            ready.append(_rival(root / f"of-{rival.name.split(' ')[0]}", rival, program, sessions))
    return ready, missing


def _product(root: Path, corpus: Corpus, tools: Path) -> Contestant:
    installed, index_dir = install(tools), root / "index"
    sessions = f"{corpus.agent}/sessions"

    def command(query: str) -> list[str]:
        words = ("recall", "--all", "--json", "--source", "session", "--", query)
        return installed.command(corpus.home, index_dir, sessions, *words)

    indexed = run(installed.command(corpus.home, index_dir, sessions, "reindex"))
    version = version_of(installed.script, PRODUCT)
    row = _index_row(version, "file, line and entry", indexed, folder_bytes(index_dir))
    return Contestant(PRODUCT, command, read_recall, sessions, row)


def _plain_fts(root: Path, sessions: str) -> Contestant:
    program, database = plain_fts.__file__, root / "plain.sqlite"

    def command(query: str) -> list[str]:
        return [sys.executable, program, "ask", str(database), query]

    indexed = run([sys.executable, program, "index", str(database), sessions])
    row = _index_row("", "file and line", indexed, database.stat().st_size)
    read = SCAN.read
    return Contestant("plain SQLite FTS5", command, read, sessions, row)


def _rival(root: Path, rival: Rival, program: str, sessions: str) -> Contestant:
    home = lay_home(root, sessions)
    env = environment(home)
    own = str(home / ".pi" / "agent" / "sessions")
    linked = folder_bytes(home)
    indexed = run([program, *rival.index], env=env) if rival.index else None
    version = version_of(program, rival.requirements[0]) if rival.requirements else ""
    row = _index_row(version, rival.answers, indexed, folder_bytes(home) - linked)
    stop = [program, *rival.stop] if rival.stop else []

    def command(query: str) -> list[str]:
        return rival.command(program, query, own)

    return Contestant(rival.name, command, rival.read, own, row, env, stop)


def _index_row(version: str, answers: str, indexed: Run | None, size: int) -> dict[str, Any]:
    return {
        "version": version,
        "answers": answers,
        "index_s": round(indexed.wall_s, 2) if indexed else None,
        "index_cpu_s": round(indexed.cpu_s, 2) if indexed else None,
        "index_rss_mb": round(indexed.rss_mb, 1) if indexed else None,
        "index_bytes": size if indexed else 0,
    }


def _time(contestants: list[Contestant], corpus: Corpus, rounds: int) -> dict[str, dict[str, Any]]:
    """Return wall and CPU of a cold question, medians over *rounds* of the same questions in turn."""
    asked = [needle.query for needle in corpus.needles[:4]] or ["banana ledger"]

    def case(contestant: Contestant) -> Callable[[], Run]:
        numbers = iter(range(1 << 30))

        def ask() -> Run:
            query = asked[next(numbers) % len(asked)]
            return run(contestant.command(query), env=contestant.env)

        return ask

    runs = interleave({one.name: case(one) for one in contestants}, rounds)
    return {name: digest(done, runs[PRODUCT]) for name, done in runs.items()}


def _judge(contestant: Contestant, corpus: Corpus) -> dict[str, Any]:
    """Return the share of needles whose file, and whose line, is among the ten answers shown."""
    files, lines, first, counts = [], [], [], []
    kinds: dict[str, list[bool]] = {}
    for needle in (one for one in corpus.needles if one.path):
        done = run(contestant.command(needle.query), env=contestant.env, keep_output=True)
        found = contestant.read(done.output)
        shown = found[:_SHOWN]
        right = [_names_file(one, needle, corpus) for one in shown]
        counts.append(len(found))
        files.append(any(right))
        first.append(bool(right and right[0]))
        lines.append(
            any(ok and one.line == needle.line for ok, one in zip(right, shown, strict=True))
        )
        kinds.setdefault(needle.kind, []).append(files[-1])
    return {
        "needles": len(files),
        "right_file": _percent(files),
        "right_file_first": _percent(first),
        "right_line": _percent(lines),
        "hits": round(sum(counts) / max(1, len(counts)), 1),
        "by_kind": {kind: _percent(found) for kind, found in kinds.items()},
    }


def _names_file(found: Found, needle: Needle, corpus: Corpus) -> bool:
    """Return whether *found* names the needle's file, or a fork that repeats the needle's line."""
    name = Path(needle.path).stem
    if found.where == name.partition("_")[2] or Path(found.where).stem == name:
        return True
    copy = next(Path(corpus.agent).glob(f"sessions/*/{Path(found.where).name}"), None)
    if copy is None or not needle.entry_id:
        return False
    lines = copy.read_bytes().split(b"\n")
    place = found.line - 1
    return 0 <= place < len(lines) and needle.entry_id.encode() in lines[place][:80]


def _percent(flags: list[bool]) -> float:
    return round(100 * sum(flags) / max(1, len(flags)), 1)


def show(report: dict[str, Any]) -> None:
    """Print *report* as a table."""
    made = report["corpus"]
    print(
        f"History: {made['bytes'] / 1e6:,.0f} MB, {made['files']:,} files; load {report['load_after']}"
    )
    columns = [
        "",
        "version",
        "index s",
        "MB",
        "ask ms",
        "CPU ms",
        "file %",
        "first %",
        "line %",
        "hits",
    ]
    rows = [
        [
            row["name"],
            row["version"],
            row["index_s"],
            row["index_bytes"] / 1e6,
            row["wall_ms"],
            row["cpu_ms"],
            row["right_file"],
            row["right_file_first"],
            row["right_line"],
            row["hits"],
        ]
        for row in report["rows"]
    ]
    tables.show("The same questions to every tool", columns, rows)
    if report["missing"]:
        print("Not to be had here:", ", ".join(report["missing"]))
