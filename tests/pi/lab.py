"""Run the real Pi in a world of its own: its home, its agent folder, a project, a stub model."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from clawa_search.pi import install

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.pi.stub import StubModel

REPOSITORY = Path(__file__).parents[2]
NODE = REPOSITORY / "tests/node/node_modules/.bin/node"
CURRENT = REPOSITORY / "tests/node/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js"
FLOOR = REPOSITORY / "tests/node/floor/node_modules/@earendil-works/pi-coding-agent/dist/cli.js"
WAIT_SECONDS = 40

MODELS = {
    "m20k": (20_000, ["text", "image"]),
    "m128k": (128_000, ["text", "image"]),
    "m200k": (200_000, ["text", "image"]),
    "m1m": (1_000_000, ["text", "image"]),
    "blind": (20_000, ["text"]),
}


def need(*files: Path) -> None:
    """Skip without what `tests/node/install` installs; in CI that is a failure."""
    missing = [file for file in files if not file.exists()]
    if missing:
        why = f"{missing[0]} is missing: run `bash tests/node/install`"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)


def processes_with(word: bytes, *, parent: int = 0) -> list[int]:
    """Return the processes that carry *word* in their command or environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            above = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            told = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:  # it ended meanwhile
            continue
        if word in told and parent in (0, above):
            found.append(int(folder.name))
    return found


def assert_gone(*processes: int) -> None:
    """Wait for the end of processes that are none of our own children."""
    for one in processes:
        try:
            handle = os.pidfd_open(one)
        except ProcessLookupError:
            continue
        try:
            ended, _, _ = select.select([handle], [], [], 20)
            assert ended, f"{one} is still there"
        finally:
            os.close(handle)


class Lab:
    """One isolated world.

    Attributes:
        project: the cwd of Pi, and the home of the Clawa.
        env: the environment of Pi; change it before it starts.
    """

    def __init__(self, root: Path, model: StubModel, script: Path = CURRENT) -> None:
        need(NODE, script)
        self.model = model
        self.script = script
        self.agent = root / "agent"
        self.project = root / "project"
        self.user = root / "user"
        for folder in (self.agent, self.project, self.user):
            folder.mkdir()
        (self.project / ".git").mkdir()
        self.env = {
            "PATH": f"{NODE.parent}:/usr/bin:/bin",
            "HOME": str(self.user),
            "PI_CODING_AGENT_DIR": str(self.agent),
            "PI_OFFLINE": "1",
            "PI_TELEMETRY": "0",
            "PI_SKIP_VERSION_CHECK": "1",
            "CLAWA_INDEX_DIR": str(root / "index"),
            "PYTHONPATH": str(REPOSITORY),
        }
        models = [
            {"id": name, "contextWindow": window, "maxTokens": 1024, "input": takes}
            for name, (window, takes) in MODELS.items()
        ]
        provider = {
            "baseUrl": model.url,
            "api": "openai-completions",
            "apiKey": "stub-key",
            "models": models,
        }
        (self.agent / "models.json").write_text(json.dumps({"providers": {"stub": provider}}))
        self.settings(reserveTokens=1_000, keepRecentTokens=1_200)
        install.install(str(self.agent))

    def settings(self, **compaction: object) -> None:
        (self.agent / "settings.json").write_text(
            json.dumps({"compaction": compaction} if compaction else {})
        )

    def use_fake_bridge(self) -> None:
        """Run the misbehaving child instead of the product's."""
        self.env["CLAWA_SEARCH_CMD"] = json.dumps([sys.executable, "-P", "-m", "tests.pi.fake"])

    def live(self, **files: str) -> None:
        """Write living files: `live(CLAW="…")`."""
        for name, text in files.items():
            (self.project / f"{name}.md").write_text(text)

    def command(self, *args: str, model: str = "m20k") -> list[str]:
        return [str(NODE), str(self.script), "--provider", "stub", "--model", model, *args]

    def run(self, *args: str, model: str = "m20k") -> str:
        """Run Pi once without a human (`-p` or `--mode json`) and return its output."""
        done = subprocess.run(
            self.command(*args, model=model),
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rpc(self, *args: str, model: str = "m20k") -> Rpc:
        return Rpc(self.command("--mode", "rpc", *args, model=model), self.project, self.env)

    def sessions(self) -> list[Path]:
        return sorted(self.agent.glob("sessions/*/*.jsonl"))

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries of the newest session file."""
        lines = self.sessions()[-1].read_text().split("\n")  # U+2028 ends no line here
        return [json.loads(line) for line in lines if line]

    def hydration_text(self) -> str:
        from clawa_search.continuity.hydration import hydrate

        return hydrate(self.project).text


class Rpc:
    """A `pi --mode rpc` process; every wait is bounded."""

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str]) -> None:
        self._errors: list[str] = []
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.log: list[dict[str, Any]] = []
        self._seen = 0
        self._number = 0
        self._arrived: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._complain, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._arrived.put(json.loads(line))
        self._arrived.put(None)

    def _complain(self) -> None:
        assert self.process.stderr
        self._errors.extend(self.process.stderr)

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next event that fits; events before it are passed over."""
        while True:
            while self._seen < len(self.log):
                self._seen += 1
                if wanted(self.log[self._seen - 1]):
                    return self.log[self._seen - 1]
            try:
                event = self._arrived.get(timeout=WAIT_SECONDS)
            except queue.Empty:
                raise AssertionError(f"nothing came; last: {self.log[-3:]}") from None
            assert event is not None, f"Pi ended: {''.join(self._errors)[-2000:]}"
            self.log.append(event)

    def send(self, what: str, **more: object) -> str:
        self._number += 1
        number = f"n{self._number}"
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"id": number, "type": what, **more}) + "\n")
        return number

    def ask(self, what: str, **more: object) -> dict[str, Any]:
        """Send a command and return its response."""
        number = self.send(what, **more)
        start = self._seen
        found = self.until(
            lambda event: event.get("type") == "response" and event.get("id") == number
        )
        assert found["success"], found
        self._seen = start  # events that came before the response count for later waits
        return found

    def prompt(self, text: str) -> None:
        """Send a message and wait until the agent has settled."""
        self._seen = len(self.log)
        self.ask("prompt", message=text)
        self.until(lambda event: event["type"] == "agent_settled")

    def notices(self) -> list[str]:
        asked = [event for event in self.log if event["type"] == "extension_ui_request"]
        return [event["message"] for event in asked if event.get("method") == "notify"]

    def results(self) -> list[tuple[str, bool, str]]:
        """Return tool, whether it failed, and text of every tool result so far."""
        ends = [event for event in self.log if event["type"] == "tool_execution_end"]
        return [
            (
                end["toolName"],
                end["isError"],
                "".join(part.get("text", "") for part in end["result"]["content"]),
            )
            for end in ends
        ]

    def close(self) -> int:
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            code = self.process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        for reader in self._readers:
            reader.join(WAIT_SECONDS)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        return code
