"""`clawa-search demo`: the main verbs at work in a small home of our own."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from clawa_search.cli.streams import put, tell

COMMANDS = (
    'clawa-search remember "Mira reads the morning report at 7:30." --tag human',
    'clawa-search remember "The banana plant stands in the south corner." --tag plants',
    "clawa-search reindex",
    "clawa-search recall fan relay",
    'clawa-search recall -n 2 "when do we water the tomatoes"',
    "clawa-search show .pi/sessions/2026-05-19T18-30-00-000Z_watering.jsonl:6 -C 1",
    'clawa-search remember --id 1 "Mira reads the morning report at 6:45."',
    "clawa-search recall --source memory morning report",
    "clawa-search forget 2",
    "clawa-search doctor",
)
FOREIGN = ("CLAWA_", "PI_", "XDG_")
"""Beginnings of settings that would lead out of the temporary folder."""


def run_demo() -> int:
    """Print each command and what it really prints; leave nothing behind."""
    put("A small greenhouse and its Clawa, in a temporary folder:\n")
    with tempfile.TemporaryDirectory(prefix="clawa-demo-") as folder:
        home = lay_out(Path(folder))
        for line in COMMANDS:
            put(f"\n$ {line}\n")
            if not run_line(line, home):
                return 2
    put("\nThe temporary folder is gone; your own files were not touched.\n")
    return 0


def lay_out(folder: Path) -> Path:
    """Copy the demo's files to where an agent has them; return its home."""
    home = folder / "greenhouse"
    with as_file(files("clawa_search") / "demo_home") as packaged:
        shutil.copytree(packaged, home)
    (home / ".pi").mkdir()
    for name in ("sessions", "settings.json"):
        (home / name).rename(home / ".pi" / name)
    return home


def run_line(line: str, home: Path) -> bool:
    """Run a command line of ours in *home* with its output shown; tell whether it succeeded."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    env["HOME"] = str(home.parent)
    done = subprocess.run(  # noqa: S603  # ourselves, with words of ours
        [sys.executable, "-P", "-m", "clawa_search", *shlex.split(line)[1:]],
        cwd=home,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="replace",
    )
    put(done.stdout)
    if done.stderr:
        tell(done.stderr.strip().removeprefix("clawa-search: "))
    return done.returncode == 0
