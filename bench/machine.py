"""Measure processes on a machine that is doing other things as well.

Compared commands run in turn, round by round, so that a busy minute falls on all of them. For a
process below 100 ms trust CPU time: wall time mostly measures the neighbours.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.metrics import percentile

_LAUNCH = str(Path(__file__).parent / "launch.py")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process.

    Attributes:
        cpu_s: user and system seconds of the process and the children that it waited for.
        rss_mb: its largest resident set in megabytes (2^20).
        status: exit status; negative for a signal.
        output: what it wrote to stdout, empty unless asked for.
    """

    wall_s: float
    cpu_s: float
    rss_mb: float
    status: int
    output: bytes = b""


def run(
    argv: Sequence[str], *, env: Mapping[str, str] | None = None, keep_output: bool = False
) -> Run:
    """Run *argv* to its end with stdin and stderr on the null device.

    Raises:
        FileNotFoundError: there is no such program.
    """
    reader, writer = os.pipe()
    launcher = [sys.executable, "-I", "-S", _LAUNCH, str(writer), *argv]
    try:
        done = subprocess.run(
            launcher,
            env=env,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if keep_output else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[writer],
        )
        os.close(writer)
        report = os.read(reader, 200).split()
    finally:
        os.close(reader)
    if done.returncode or len(report) != 4:
        raise FileNotFoundError(f"{argv[0]}: cannot be started")
    wall_s, cpu_s, rss_kb, status = map(float, report)
    return Run(wall_s, cpu_s, rss_kb / 1024, int(status), done.stdout or b"")


def interleave(cases: Mapping[str, Callable[[], Run]], rounds: int) -> dict[str, list[Run]]:
    """Run every case once a round after one round that is thrown away; *rounds* from 1."""
    runs: dict[str, list[Run]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            done = case()
            if number:
                runs[name].append(done)
    return runs


def digest(runs: Sequence[Run], reference: Sequence[Run] | None = None) -> dict[str, Any]:
    """Return medians and spread in milliseconds, and the CPU ratio to *reference*."""
    wall, cpu = [1000 * one.wall_s for one in runs], [1000 * one.cpu_s for one in runs]
    row: dict[str, Any] = {
        "runs": len(runs),
        "wall_ms": round(statistics.median(wall), 2),
        "wall_min_ms": round(min(wall), 2),
        "wall_p95_ms": round(percentile(wall, 0.95), 2),
        "cpu_ms": round(statistics.median(cpu), 2),
        "cpu_min_ms": round(min(cpu), 2),
        "rss_mb": round(max(one.rss_mb for one in runs), 1),
        "failed": sum(one.status not in (0, 1) for one in runs),
    }
    if reference:
        # Round by round, then the median: a slow round is slow for both.
        pairs = zip(runs, reference, strict=True)
        ratios = [one.cpu_s / other.cpu_s for one, other in pairs if other.cpu_s]
        row["cpu_ratio"] = round(statistics.median(ratios), 3) if ratios else None
    return row


def latencies(calls: Sequence[Callable[[], object]], rounds: int = 1) -> dict[str, float]:
    """Return p50, p95 and p99 of the *calls* in microseconds, each made *rounds* times."""
    took = []
    for _ in range(rounds):
        for call in calls:
            began = time.perf_counter_ns()
            call()
            took.append((time.perf_counter_ns() - began) / 1000)
    return {
        "calls": len(took),
        "p50_us": round(percentile(took, 0.5), 1),
        "p95_us": round(percentile(took, 0.95), 1),
        "p99_us": round(percentile(took, 0.99), 1),
    }


def load() -> float:
    """Return the load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def describe() -> dict[str, Any]:
    """Return what a reader must know about the machine to judge a number."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "tantivy": version("tantivy"),
        "sqlite": sqlite3.sqlite_version,
        "node": tool_version("node"),
        "ripgrep": tool_version("rg"),
        "load": load(),
    }


def tool_version(program: str) -> str | None:
    """Return the first line of `PROGRAM --version`, None when there is no such program."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=60
        )
    except FileNotFoundError:
        return None
    return (done.stdout or done.stderr).strip().split("\n")[0]


def python_pass() -> list[str]:
    """Return the command that every cold process is compared with."""
    return [sys.executable, "-c", "pass"]


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "")
