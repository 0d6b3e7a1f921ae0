"""A home with the demo's sessions, and the command line in this very process."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from clawa_search import main
from tests.builders import REPOSITORY, Home, Ran

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEMO = REPOSITORY / "clawa_search/demo_home"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    shutil.copytree(DEMO / "sessions", made.sessions)
    yield made
    made.close()


class Shell:
    """Runs the command line in this process, in the home's project."""

    def __init__(self, home: Home, capture: pytest.CaptureFixture[bytes]) -> None:
        self.home = home
        self._capture = capture

    def __call__(self, *argv: str) -> Ran:
        self._capture.readouterr()
        code = main.run([*argv])
        out, err = self._capture.readouterr()
        return Ran(code, out.decode(), err.decode())

    def ok(self, *argv: str) -> str:
        """Run what must succeed without a word on stderr; return its stdout."""
        ran = self(*argv)
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    def json(self, verb: str, *argv: str) -> dict[str, Any]:
        """Run with --json; return the object."""
        return self(verb, "--json", *argv).json


@pytest.fixture
def cli(
    home: Home, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    for name, value in home.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))  # for what it starts
    monkeypatch.chdir(home.project)
    return Shell(home, capfdbinary)


@pytest.fixture
def stdin(tmp_path: Path) -> Iterator[object]:
    """Let the test say what stdin holds."""
    kept = os.dup(0)

    def say(raw: bytes) -> None:
        path = tmp_path / "stdin"
        path.write_bytes(raw)
        fd = os.open(path, os.O_RDONLY)
        os.dup2(fd, 0)
        os.close(fd)

    yield say
    os.dup2(kept, 0)
    os.close(kept)
