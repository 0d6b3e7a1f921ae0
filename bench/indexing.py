"""Bringing the index up to date: from nothing, with nothing to do, after a line, after a rewrite."""

from __future__ import annotations

import gc
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cold import REFERENCE, SCAN
from bench.machine import Run, digest, interleave, load, run
from bench.transcript import iso
from indexer import bulk
from indexer.formats.pi import Reader
from indexer.tail import read_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.corpus import Corpus
    from bench.install import Installation

# What reading and parsing every line costs, and nothing else.
_PARSE_ALL = (
    "import sys, orjson\n"
    "from pathlib import Path\n"
    "for path in Path(sys.argv[1]).rglob('*.jsonl'):\n"
    "    with path.open('rb') as lines:\n"
    "        for line in lines:\n"
    "            orjson.loads(line)\n"
)


def build(
    installed: Installation, corpus: Corpus, index_dir: Path, rounds: int = 3
) -> dict[str, Any]:
    """Index everything from nothing, *rounds* times, beside two other ways to spend the CPU."""
    sessions = f"{corpus.agent}/sessions"
    reindex = installed.command(corpus.home, index_dir, sessions, "reindex", "--json")

    def from_nothing() -> Run:
        shutil.rmtree(index_dir, ignore_errors=True)
        return run(reindex, keep_output=True)

    cases: dict[str, Callable[[], Run]] = {
        "orjson.loads on every line": lambda: run([installed.python, "-c", _PARSE_ALL, sessions]),
    }
    if shutil.which("node"):
        scan = ["node", str(SCAN), sessions, "1000000", "banana", "ledger"]
        cases["one linear scan in Node"] = lambda: run(scan)
    cases["reindex from nothing"] = from_nothing  # last: the index stays
    runs = interleave(cases, rounds)
    rows = {name: digest(done) for name, done in runs.items()}
    whole = rows["reindex from nothing"]
    for row in rows.values():
        row["product_cpu_ratio"] = round(whole["cpu_ms"] / row["cpu_ms"], 3)
    size = folder_bytes(index_dir)
    return {
        "load": load(),
        "rows": rows,
        "mb_per_s": round(corpus.bytes / whole["wall_ms"] / 1000, 1),
        "index_bytes": size,
        "index_share": round(size / corpus.bytes, 4),
        "analyser": analyser(Path(sessions)),
        "report": last_json(runs["reindex from nothing"][-1]),
    }


def analyser(sessions: Path, most_bytes: int = 8_000_000) -> dict[str, float]:
    """Time the analyser alone on the first texts of a history, none of which it has seen before."""
    texts: list[str] = []
    size = 0
    for path in sorted(sessions.rglob("*.jsonl")):
        reader = Reader()
        with path.open("rb") as file:
            for line in read_lines(file.fileno(), 0, 1):
                said = [entry.text for entry in reader.read(line)] if not line.cut else []
                texts += said
                size += sum(len(text.encode()) for text in said)
        if size > most_bytes:
            break
    gc.disable()  # as the indexer does for much work
    began = time.process_time()
    for text in texts:
        bulk.analyse(text)
    seconds = time.process_time() - began
    gc.enable()
    return {"bytes": size, "cpu_s": round(seconds, 3), "mb_per_s": round(size / seconds / 1e6, 1)}


def updates(
    installed: Installation, corpus: Corpus, index_dir: Path, rounds: int = 15
) -> dict[str, Any]:
    """Time a reindex after nothing, after one line, and after a rewrite; the index is built."""
    sessions = f"{corpus.agent}/sessions"
    reindex = installed.command(corpus.home, index_dir, sessions, "reindex")
    files = sorted(Path(sessions).rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    small, large = files[0], files[-1]
    middle = min(files, key=lambda path: abs(path.stat().st_size - 1_000_000))

    def after(change: Callable[[], None]) -> Callable[[], Run]:
        def case() -> Run:
            change()
            return run(reindex)

        return case

    cases = {
        REFERENCE: lambda: run([installed.python, "-c", "pass"]),
        f"nothing changed, {len(files)} files": lambda: run(reindex),
        f"one line more, file of {_mb(small)}": after(lambda: append_line(small)),
        f"one line more, file of {_mb(large)}": after(lambda: append_line(large)),
        f"rewritten, file of {_mb(middle)}": after(lambda: drop_line(middle)),
    }
    runs = interleave(cases, rounds)
    return {
        "load": load(),
        "rows": {name: digest(done, runs[REFERENCE]) for name, done in runs.items()},
    }


def append_line(path: Path) -> None:
    """Append one user message to a session file, as Pi does."""
    stat = path.stat()
    entry = {
        "type": "message",
        "id": os.urandom(4).hex(),
        "parentId": None,
        "timestamp": iso(int(stat.st_mtime * 1000) + 1),
        "message": {
            "role": "user",
            "content": [{"type": "text", "text": "One line more, please."}],
        },
    }
    with path.open("ab") as file:
        file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")


def drop_line(path: Path) -> None:
    """Rewrite a session file in place without its third line."""
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join(lines[:2] + lines[3:]))


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files below *folder*."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def last_json(done: Run) -> Any:  # noqa: ANN401 - whatever the program printed
    """Return the JSON object that a process printed, None when it printed something else."""
    try:
        return json.loads(done.output)
    except ValueError:
        return None


def _mb(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size > 100_000 else f"{size / 1e3:.0f} kB"
