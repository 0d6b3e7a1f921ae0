"""Run a benchmark: `python -m bench COMMAND --help` explains each."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RESULTS = Path(__file__).parent / "results"
_EXTRAS = ("tokens", "merge", "forks", "empties")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that *arguments* name; return the exit status."""
    parsed = _parser().parse_args(arguments)
    # Relative dates and local days must not depend on where the machine stands.
    os.environ["TZ"] = "UTC"
    time.tzset()
    # Ended from outside, a benchmark still removes its folders and stops what it started.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        report, show = parsed.run(parsed)
    except (FileExistsError, FileNotFoundError) as error:
        print(f"bench {parsed.command}: {error}", file=sys.stderr)
        return 2
    if parsed.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        show(report)
    if parsed.save:
        _save(parsed.command, report, Path(parsed.save))
    return 0


def _save(command: str, report: dict[str, Any], folder: Path) -> None:
    from bench.plots import draw

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{command}.json"
    path.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for written in (path, *draw(command, report, folder)):
        print(f"wrote {written}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _corpus_command(commands)
    _quality_command(commands)
    _speed_command(commands)
    _memory_command(commands)
    _compare_command(commands)
    return parser


Commands = Any  # argparse does not name the type of its own return value


def _add(
    commands: Commands, name: str, summary: str, run: Callable[[argparse.Namespace], Any]
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    command.set_defaults(run=run)
    command.add_argument("--json", action="store_true", help="print one JSON object, no tables")
    command.add_argument(
        "--save",
        nargs="?",
        const=str(RESULTS / time.strftime("%Y-%m-%d")),
        metavar="DIR",
        help="also write JSON and pictures (default: bench/results/DATE)",
    )
    return command


def _corpus_command(commands: Commands) -> None:
    command = _add(commands, "corpus", "Make a Pi history with memories from a seed.", _run_corpus)
    command.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")
    command.add_argument(
        "--size", type=float, default=100, metavar="MB", help="of session files (100)"
    )
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--files", type=int, default=0, help="this many files of one size")
    command.add_argument("--memories", type=int, default=0)
    command.add_argument(
        "--needles", type=int, default=40, help="messages with a known answer (40)"
    )
    command.add_argument(
        "--long-line", type=float, default=0, metavar="MB", help="add one long line"
    )


def _quality_command(commands: Commands) -> None:
    summary = "Ask public question sets through the product's own indexer and search."
    command = _add(commands, "quality", summary, _run_quality)
    command.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="one folder a set, see datasets.py"
    )
    command.add_argument("--sets", default="", metavar="A,B", help="only these sets")
    command.add_argument("--no-pooled", action="store_true", help="skip the one-index runs")
    command.add_argument("--quick", action="store_true", help="the product alone, no ablations")
    for extra in _EXTRAS:
        command.add_argument(f"--{extra}", action="store_true", help=_extra_help(extra))
    command.add_argument("--only", action="store_true", help="only the harder looks chosen above")


def _extra_help(extra: str) -> str:
    return {
        "tokens": "identifiers, paths, versions and scripts",
        "merge": "part of the sessions held as memories only",
        "forks": "30 %% of the sessions forked twice",
        "empties": "questions that have no answer",
    }[extra]


def _speed_command(commands: Commands) -> None:
    summary = "Time indexing, cold processes, a warm process and memories."
    command = _add(commands, "speed", summary, _run_speed)
    command.add_argument("--size", type=float, default=100, metavar="MB", help="of history (100)")
    command.add_argument("--files", type=int, default=0, help="this many files of one size")
    command.add_argument("--memories", type=int, default=10_000, help="in the home (10000)")
    command.add_argument(
        "--most-memories", type=int, default=100_000, help="largest home of the memories part"
    )
    command.add_argument("--rounds", type=int, default=15, help="interleaved rounds (15)")
    command.add_argument(
        "--parts", default="", metavar="A,B", help="of index,cold,resident,memories"
    )
    _tools_option(command)


def _memory_command(commands: Commands) -> None:
    summary = "Measure memory and CPU of cold processes for histories of growing size."
    command = _add(commands, "memory", summary, _run_memory)
    command.add_argument("--sizes", default="10,20,50,100", metavar="MB,MB", help="(10,20,50,100)")
    command.add_argument(
        "--memories", type=int, default=10_000, help="in each of the homes (10000)"
    )
    command.add_argument(
        "--long-line", type=float, default=20, metavar="MB", help="of the last history (20)"
    )
    _tools_option(command)


def _compare_command(commands: Commands) -> None:
    summary = "Ask the same questions of other tools: ripgrep, a linear scan, FTS5, and rivals."
    command = _add(commands, "compare", summary, _run_compare)
    command.add_argument("--size", type=float, default=100, metavar="MB", help="of history (100)")
    command.add_argument("--rounds", type=int, default=3, help="interleaved rounds (3)")
    command.add_argument(
        "--needles", type=int, default=10, help="questions with a known answer (10)"
    )
    _tools_option(command)


def _tools_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tools",
        type=Path,
        metavar="DIR",
        help="keep installed tools here and use them again (default: a temporary folder)",
    )


def _run_corpus(parsed: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], None]]:
    from bench.corpus import Plan, make_corpus

    plan = Plan(
        size_mb=parsed.size,
        seed=parsed.seed,
        files=parsed.files,
        memories=parsed.memories,
        needles=parsed.needles,
        long_line_mb=parsed.long_line,
    )
    made = make_corpus(parsed.folder.absolute(), plan).as_dict()
    return made, lambda report: print(json.dumps(report, indent=1))


def _run_quality(parsed: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], None]]:
    from bench import quality
    from bench.datasets import available

    sets = tuple(available(parsed.data)) if not parsed.sets else tuple(parsed.sets.split(","))
    wanted = quality.Wanted(
        data=parsed.data,
        sets=sets,
        pooled=not parsed.no_pooled,
        baselines=not parsed.quick,
        ablate=not parsed.quick,
        extras=tuple(extra for extra in _EXTRAS if getattr(parsed, extra)),
        main=not parsed.only,
    )
    return quality.run(wanted), quality.show


def _run_speed(parsed: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], None]]:
    from bench import speed

    wanted = speed.Wanted(
        size_mb=parsed.size,
        files=parsed.files,
        memories=parsed.memories,
        most_memories=parsed.most_memories,
        parts=tuple(parsed.parts.split(",")) if parsed.parts else speed.PARTS,
        rounds=parsed.rounds,
        tools=parsed.tools,
    )
    return speed.run(wanted), speed.show


def _run_memory(parsed: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], None]]:
    from bench import memory

    sizes = [float(size) for size in parsed.sizes.split(",")]
    made = memory.measure(sizes, parsed.memories, long_line_mb=parsed.long_line, tools=parsed.tools)
    return made, memory.show


def _run_compare(parsed: argparse.Namespace) -> tuple[dict[str, Any], Callable[[Any], None]]:
    from bench import compare

    report = compare.compare(parsed.size, parsed.rounds, parsed.needles, parsed.tools)
    return report, compare.show


if __name__ == "__main__":
    sys.exit(main())
