"""Make a Pi agent directory of any size from a seed, with memories beside it.

Nothing is copied from real histories: words, tools and sizes are made up, in the proportions
measured on public sessions (about 4 % of the bytes are searchable). The same plan in the same
directory gives the same bytes.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import UUID

from bench.machinery import Machinery
from bench.memories import write_memories
from bench.needles import Needle, plant
from bench.prose import Prose
from bench.transcript import Transcript, iso
from bench.words import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator

_START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
_SPAN_MS = 300 * 86_400_000
_MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to make.

    Attributes:
        size_mb: megabytes (10^6) of session files.
        seed: any integer.
        files: number of session files, all of about one size (10 kB at least, whatever
            *size_mb* says) and without forks; 0 for sessions of 1.4 MB on average.
        projects: number of working directories; the first is the home itself.
        forks: share of sessions that are copied and continued in a second file.
        memories: number of memories in the home.
        needles: number of messages with a known answer planted, at most one in a session.
        long_line_mb: megabytes of one tool result appended to the last session, on one line.
    """

    size_mb: float = 100.0
    seed: int = 1
    files: int = 0
    projects: int = 20
    forks: float = 0.03
    memories: int = 0
    needles: int = 40
    long_line_mb: float = 0.0


@dataclass(slots=True)
class Corpus:
    """What was made, and where.

    Attributes:
        agent: the agent directory (`PI_CODING_AGENT_DIR`); sessions lie under `sessions/`.
        home: the home with the memory database.
        searchable_bytes: bytes of text that recall may find, JSON escapes counted as written.
    """

    agent: str
    home: str
    bytes: int = 0
    files: int = 0
    lines: int = 0
    searchable_docs: int = 0
    searchable_bytes: int = 0
    memories: int = 0
    took_s: float = 0.0
    needles: list[Needle] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        return asdict(self)

    def described(self) -> dict[str, object]:
        """Return what a kept report says of it: not where it lay, nor every needle."""
        left_out = ("agent", "home", "needles")
        told = {key: value for key, value in asdict(self).items() if key not in left_out}
        return {**told, "needles": len(self.needles)}


def make_corpus(root: Path, plan: Plan) -> Corpus:
    """Fill the new directory *root* after *plan*; a directory made here before is replaced.

    Raises:
        FileExistsError: *root* holds something that this function did not make.
    """
    _clear(root)
    began = time.perf_counter()
    corpus = Corpus(agent=str(root / "agent"), home=str(root / "home"))
    (root / "home" / ".pi").mkdir(parents=True)
    rng = Random(plan.seed)
    prose = Prose(rng, Vocabulary())
    # A small corpus does with small pools: making them takes longer than writing 10 MB.
    machinery = Machinery(rng, prose, lines=min(12_000, 400 + int(200 * plan.size_mb)))
    corpus.needles = needles = plant(rng, plan.needles)
    for session, path in _sessions(rng, prose, machinery, plan, corpus, needles):
        _save(session, path, corpus)
    if plan.memories:
        corpus.memories = write_memories(Path(corpus.home), plan.memories, rng, prose)
    corpus.took_s = round(time.perf_counter() - began, 2)
    return corpus


def _clear(root: Path) -> None:
    if root.exists() and any(root.iterdir()) and not (root / "agent" / "made-by-bench").exists():
        raise FileExistsError(f"{root}: not empty and not made by bench; choose a new directory")
    shutil.rmtree(root, ignore_errors=True)
    (root / "agent").mkdir(parents=True)
    (root / "agent" / "made-by-bench").touch()


def _sessions(
    rng: Random,
    prose: Prose,
    machinery: Machinery,
    plan: Plan,
    corpus: Corpus,
    needles: list[Needle],
) -> Iterator[tuple[Transcript, Path]]:
    """Yield transcripts with their paths until the planned bytes are made."""
    total = int(plan.size_mb * _MB)
    mean = total / plan.files if plan.files else 1.4 * _MB
    every = max(1, int(total / mean) // max(1, len(needles)))
    number = 0
    while corpus.files < plan.files if plan.files else corpus.bytes < total:
        wanted = mean
        if not plan.files:
            wanted = min(total - corpus.bytes, mean * min(12.0, rng.lognormvariate(-0.5, 1.0)))
        folder, cwd = _project(Path(corpus.agent), corpus.home, rng.randrange(plan.projects))
        session = Transcript(rng, prose, machinery, _START_MS + int(_SPAN_MS * rng.random()))
        path = folder / _name(rng, session.ms)
        session.opening(_id_of(path), cwd)
        needle = needles[number // every] if _due(number, every, len(needles)) else None
        _talk(rng, session, wanted, (needle, path))
        number += 1
        yield session, path
        if rng.random() < plan.forks and not plan.files:
            yield _fork(rng, prose, machinery, session, path, cwd)
    if plan.long_line_mb:
        yield _one_long_line(rng, prose, machinery, plan, corpus)


def _due(number: int, every: int, count: int) -> bool:
    return number % every == 0 and number // every < count


def _talk(
    rng: Random,
    session: Transcript,
    wanted: float,
    planted: tuple[Needle | None, Path] | None = None,
) -> None:
    """Let the two talk until the file has *wanted* bytes."""
    needle, path = planted or (None, Path())
    session.preamble()
    turn = 0
    while session.size < wanted or turn == 0:
        turn += 1
        session.user()
        if needle and session.size > wanted * needle.depth:
            needle.entry_id = session.assistant(None, session.say(needle.text))
            needle.path, needle.line = str(path), len(session.lines)
            needle = None
        for _ in range(1 + int(rng.expovariate(0.17))):
            if session.size >= wanted:
                break
            session.tool()
            if rng.random() < 0.05:
                session.aside()
        session.assistant(None)
        if rng.random() < 0.02:
            session.compaction()
    if needle:
        needle.entry_id = session.assistant(None, needle.text)
        needle.path, needle.line = str(path), len(session.lines)


def _fork(
    rng: Random, prose: Prose, machinery: Machinery, parent: Transcript, path: Path, cwd: str
) -> tuple[Transcript, Path]:
    """Return a copy of *parent* up to some entry, continued, as Pi's `/fork` writes it."""
    fork = Transcript(rng, prose, machinery, parent.ms + 60_000)
    fork_path = path.with_name(_name(rng, fork.ms))
    fork.opening(_id_of(fork_path), cwd, str(path))
    keep = max(2, int(len(parent.lines) * rng.uniform(0.3, 1.0)))
    share = keep / len(parent.lines)
    for line in parent.lines[1:keep]:
        fork.lines.append(line)
        fork.size += len(line) + 1
    fork.docs, fork.chars = int(parent.docs * share), int(parent.chars * share)
    _talk(rng, fork, fork.size * 1.2)
    return fork, fork_path


def _one_long_line(
    rng: Random, prose: Prose, machinery: Machinery, plan: Plan, corpus: Corpus
) -> tuple[Transcript, Path]:
    folder, cwd = _project(Path(corpus.agent), corpus.home, 0)
    session = Transcript(rng, prose, machinery, _START_MS + _SPAN_MS)
    path = folder / _name(rng, session.ms)
    session.opening(_id_of(path), cwd)
    session.user()
    pool = machinery.output.text
    text = pool * max(1, int(plan.long_line_mb * _MB / len(pool)))
    session.entry(
        "message",
        f'"message":{{"role":"toolResult","toolCallId":"t","toolName":"read","content":'
        f'[{{"type":"text","text":"{text}"}}],"isError":false,"timestamp":{session.ms}}}',
    )
    session.assistant(None)
    return session, path


def _project(agent: Path, home: str, number: int) -> tuple[Path, str]:
    """Return the session directory and the working directory of project *number*."""
    cwd = home if number == 0 else f"/home/u/code/proj{number:02d}"
    return agent / "sessions" / f"-{cwd.replace('/', '-')}--", cwd


def _name(rng: Random, ms: int) -> str:
    stamp = iso(ms).replace(":", "-").replace(".", "-")
    return f"{stamp}_{UUID(int=rng.getrandbits(128), version=4)}.jsonl"


def _id_of(path: Path) -> str:
    return path.stem.partition("_")[2]


def _save(session: Transcript, path: Path, corpus: Corpus) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    session.lines.append(b"")
    path.write_bytes(b"\n".join(session.lines))
    os.utime(path, (session.ms / 1000, session.ms / 1000))
    corpus.bytes += session.size
    corpus.files += 1
    corpus.lines += len(session.lines) - 1
    corpus.searchable_docs += session.docs
    corpus.searchable_bytes += session.chars
