"""One question, one process: the console script against an empty Python, an empty Node and ripgrep."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.machine import Run, digest, interleave, load, run
from clawa_search.places import folder_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bench.corpus import Corpus
    from bench.install import Installation

SCAN = Path(__file__).parent / "linear_scan.mjs"
REFERENCE = "python -c pass"


def cold(
    installed: Installation, corpus: Corpus, index_dir: Path, rounds: int = 21
) -> dict[str, Any]:
    """Return one row a command; the corpus is indexed, and everything is in the page cache."""
    commands = _commands(installed, corpus, index_dir)
    runs = interleave({name: _case(argv) for name, argv in commands.items()}, rounds)
    slow = _slow_commands(corpus)
    runs_slow = interleave({name: _case(argv) for name, argv in slow.items()}, 3)
    rows = {name: digest(done, runs[REFERENCE]) for name, done in runs.items()}
    rows |= {name: digest(done) for name, done in runs_slow.items()}
    for row in rows.values():
        row["cpu_ratio"] = round(row["cpu_ms"] / rows[REFERENCE]["cpu_ms"], 3)
    return {"load": load(), "rounds": rounds, "commands": rows}


def _commands(installed: Installation, corpus: Corpus, index_dir: Path) -> Mapping[str, list[str]]:
    sessions = f"{corpus.agent}/sessions"
    words = ["banana", "ledger", "selection"]

    def recall(*more: str) -> list[str]:
        return installed.command(corpus.home, index_dir, sessions, "recall", *more)

    commands = {
        REFERENCE: [installed.python, "-c", "pass"],
        "import tantivy, _sqlite3": [installed.python, "-c", "import tantivy, _sqlite3"],
        "recall --all, 3 words": recall("--all", *words),
        "recall --all, 3 words, --json": recall("--all", "--json", *words),
        "recall --all, very common words": recall("--all", "file", "error", "test"),
        "recall --all, sessions only": recall("--all", "--source", "session", *words),
        "recall, memories only": recall("--source", "memory", *words),
        "recall, five newest of all folders": recall(*words),
        "recall, five newest of the home's": installed.command(
            corpus.home, index_dir, f"{sessions}/{folder_name(corpus.home)}", "recall", *words
        ),
        "recall, no words": recall(),
        "recall --all --max-tokens 800": recall("--all", "--max-tokens", "800", *words),
        "clawa-search --version": [installed.script, "--version"],
    }
    if shutil.which("node"):
        commands["node -e 0"] = ["node", "-e", "0"]
    if shutil.which("rg"):
        commands["rg -c, the whole history"] = ["rg", "-c", "-i", "|".join(words), sessions]
    return commands


def _slow_commands(corpus: Corpus) -> Mapping[str, list[str]]:
    if not shutil.which("node"):
        return {}
    scan = ["node", str(SCAN), f"{corpus.agent}/sessions"]
    return {
        "linear scan in Node, 20 newest files": [*scan, "20", "banana", "ledger", "selection"],
        "linear scan in Node, all files": [*scan, "1000000", "banana", "ledger", "selection"],
    }


def _case(argv: list[str]) -> Callable[[], Run]:
    return lambda: run(argv)
