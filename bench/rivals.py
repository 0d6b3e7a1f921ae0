"""Other ways to find something in Pi sessions, each installed by its own package and left as it is.

A tool is asked the way its own help tells agents to ask it. Where it names no file but a
session, the session's id counts as the file; lines are compared only where a tool gives one.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.install import install_package
from bench.machine import tool_version

if TYPE_CHECKING:
    from collections.abc import Callable

_SCAN = Path(__file__).parent / "linear_scan.mjs"


@dataclass(frozen=True, slots=True)
class Found:
    """One answer: the file or session that it names, and the line, 0 where it gives none."""

    where: str
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """How to drive one tool.

    Attributes:
        name: what it is called.
        requirements: what pip installs; empty for a tool of the system.
        index: arguments that build its index, empty when it has none.
        ask: arguments for one question; `{query}`, `{sessions}` and `{pattern}` are filled in.
        read: its output -> answers, best first.
        stop: arguments that stop what it left running.
        answers: what one answer names, in words.
    """

    name: str
    program: str
    ask: tuple[str, ...]
    read: Callable[[bytes], list[Found]]
    answers: str
    requirements: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()

    def install(self, tools: Path) -> str | None:
        """Return the path of the program, None when it cannot be had here."""
        if not self.requirements:
            return shutil.which(self.program)
        folder = tools / self.name
        if not install_package(folder, *self.requirements):
            return None
        program = folder / "bin" / self.program
        return str(program) if program.exists() else None

    def command(self, program: str, query: str, sessions: str) -> list[str]:
        values = {"query": query, "sessions": sessions, "pattern": _any_word(query)}
        words = query.split()
        filled: list[str] = []
        for part in self.ask:
            filled += words if part == "{words}" else [part.format(**values)]
        return [program, *filled]


def lay_home(root: Path, sessions: str) -> Path:
    """Return a new home below *root* whose Pi sessions are hard links to *sessions*."""
    home = root / "home"
    target = home / ".pi" / "agent" / "sessions"
    for path in Path(sessions).rglob("*.jsonl"):
        link = target / path.relative_to(sessions)
        link.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, link)
    return home


def environment(home: Path) -> dict[str, str]:
    """Return an environment in which a tool sees *home* and nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
    # Tools that report home ask for this before they do.
    return {**kept, "HOME": str(home), "DO_NOT_TRACK": "1", "NO_COLOR": "1"}


def version_of(program: str, package: str = "") -> str:
    """Return the version of a package in the environment of *program*, else what it prints."""
    if package:
        places = Path(program).parent.parent.glob("lib/python*/site-packages/*.dist-info")
        names = [path.name.removesuffix(".dist-info").rpartition("-") for path in places]
        wanted = package.replace("-", "_")
        return next((version for name, _, version in names if name.lower() == wanted), "?")
    words = (tool_version(program) or "").split()
    return next((word for word in words if word[0].isdigit()), "")


def _any_word(query: str) -> str:
    return "|".join(word.replace(".", r"\.") for word in query.split())


def _documents(output: bytes) -> list[Any]:
    """Return the JSON values on the lines of *output*, or the one it is as a whole."""
    try:
        return [json.loads(output)]
    except ValueError:
        pass
    values = []
    for line in output.splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            continue
    return values


def _recall(output: bytes) -> list[Found]:
    hits = [hit for part in _documents(output) for hit in part.get("hits", ())]
    return [Found(hit["path"], hit["line"]) for hit in hits if hit["kind"] == "session"]


def _scanned(output: bytes) -> list[Found]:
    return [Found(hit["path"], hit["line"]) for hit in _documents(output)]


def _ripgrep(output: bytes) -> list[Found]:
    found = []
    for line in output.decode(errors="replace").splitlines():
        path, _, rest = line.partition(":")
        number = rest.partition(":")[0]
        if number.isdigit():
            found.append(Found(path, int(number)))
    return found


def _fast_resume(output: bytes) -> list[Found]:
    return [Found(one["id"]) for part in _documents(output) for one in part.get("sessions", ())]


def _navcom(output: bytes) -> list[Found]:
    return [
        Found(one["key"])
        for part in _documents(output)
        for one in part.get("sessions", ())
        for _ in one.get("hits", ())
    ]


def _agentsview(output: bytes) -> list[Found]:
    return [
        Found(one["session_id"].rpartition(":")[2])
        for part in _documents(output)
        for one in part.get("matches") or ()
    ]


def _session_ls(output: bytes) -> list[Found]:
    return [Found(one["file"]) for one in _documents(output)]


def _agent_session_reader(output: bytes) -> list[Found]:
    return [Found(one["uuid"]) for part in _documents(output) for one in part]


RIPGREP = Rival(
    name="ripgrep",
    program="rg",
    ask=("-n", "-i", "--no-heading", "--max-columns", "1", "{pattern}", "{sessions}"),
    read=_ripgrep,
    answers="file and line, unranked",
)
SCAN = Rival(
    name="linear scan (pi-clawa)",
    program="node",
    ask=(str(_SCAN), "{sessions}", "1000000", "{words}"),
    read=_scanned,
    answers="file and line",
)
OTHERS = (
    Rival(
        name="fast-resume",
        requirements=("fast-resume",),
        program="fr",
        index=("--json", "--limit", "1", "--rebuild", "zzzz"),
        ask=("--json", "--limit", "10", "{query}"),
        read=_fast_resume,
        answers="session",
    ),
    Rival(
        name="agentsview",
        requirements=("agentsview",),
        program="agentsview",
        index=("sync",),
        ask=("session", "search", "--fts", "--json", "--limit", "10", "{query}"),
        read=_agentsview,
        stop=("daemon", "stop"),
        answers="session and message number; a daemon does the work",
    ),
    Rival(
        name="navcom",
        requirements=("navcom",),
        program="navcom",
        index=("--maintain",),
        ask=("--query", "{query}", "--json", "-n", "10"),
        read=_navcom,
        answers="file and message number",
    ),
    Rival(
        name="session-ls",
        requirements=("session-ls",),
        program="session-ls",
        ask=("-f", "--json", "-n", "10", "{query}"),
        read=_session_ls,
        answers="file; no index",
    ),
    Rival(
        name="agent-session-reader",
        requirements=("agent-session-reader", "mcp<2"),
        program="ai-r",
        ask=("search", "--scope", "body", "--json", "--limit", "10", "{query}"),
        read=_agent_session_reader,
        answers="session; no index",
    ),
)
read_recall = _recall
