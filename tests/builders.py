"""Session files, homes and runs of the command line, built in a test's own folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from clawa_search import Places, Question, Recall
from indexer import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawa_search import Answer, Hit, SyncReport
    from indexer.layout import Generation

    Line = dict[str, Any] | bytes

REPOSITORY = Path(__file__).parents[1]
START = "2026-01-02T03:04:05.000Z"
START_MS = 1_767_323_045_000
RUN_SECONDS = 100


def message(role: str, content: object, /, **more: object) -> dict[str, Any]:
    """Return a message entry; a key that `chain` would add may be given by *more*."""
    return {"type": "message", "message": {"role": role, "content": content}, **more}


def user(content: object, **more: object) -> dict[str, Any]:
    return message("user", content, **more)


def assistant(*content: object, **more: object) -> dict[str, Any]:
    """Return what the model answered: texts, or blocks as `thinking` and `call` make them."""
    return message("assistant", [text(c) if isinstance(c, str) else c for c in content], **more)


def tool(output: object, name: str = "bash", **more: object) -> dict[str, Any]:
    content = [text(output)] if isinstance(output, str) else output
    return {
        "type": "message",
        "message": {
            "role": "toolResult", "toolCallId": "c1", "toolName": name, "content": content,
            "isError": False,
        },
        **more,
    }  # fmt: skip


def shell(command: str, output: str) -> dict[str, Any]:
    said = {"role": "bashExecution", "command": command, "output": output, "exitCode": 0}
    return {"type": "message", "message": said}


def text(said: str, **more: object) -> dict[str, Any]:
    return {"type": "text", "text": said, **more}


def thinking(thought: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thought, "thinkingSignature": thought}


def call(name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "toolCall", "id": "c1", "name": name, "arguments": arguments}


def image(data: str) -> dict[str, Any]:
    return {"type": "image", "data": data, "mimeType": "image/png"}


def entry(kind: str, /, **fields: object) -> dict[str, Any]:
    return {"type": kind, **fields}


def header(cwd: str = "/srv/demo", session_id: str = "s1", **more: object) -> dict[str, Any]:
    return {
        "type": "session",
        "version": 3,
        "id": session_id,
        "timestamp": START,
        "cwd": cwd,
        **more,
    }


def chain(*lines: Line, first: int = 1, prefix: str = "a", parent: str | None = None) -> list[Line]:
    """Give every entry that lacks them an id, the entry before as its parent, and a time."""
    made: list[Line] = []
    for number, line in enumerate(lines, first):
        if isinstance(line, bytes):
            made.append(line)
            continue
        time = f"2026-01-02T03:{4 + number // 60 % 56:02}:{number % 60:02}.000Z"
        head = {"type": line["type"], "id": f"{prefix}{number:07x}", "parentId": parent}
        made.append({**head, "timestamp": time, **line})
        told = made[-1]
        assert isinstance(told, dict)
        parent = str(told["id"])
    return made


def line(value: Line) -> bytes:
    """Write as JSON.stringify does: short, UTF-8 raw, lone surrogates as escapes."""
    if isinstance(value, bytes):
        return value
    raw = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return (
        raw.encode("utf-16-le", "surrogatepass")
        .decode("utf-16-le", "surrogatepass")
        .encode("utf-8", "backslashreplace")
    )


def lines(*values: Line) -> bytes:
    return b"".join(line(value) + b"\n" for value in values)


def swap(path: Path, raw: bytes | bytearray) -> None:
    """Give a file of an index other content, in a new file that takes its place.

    An index that was opened before keeps the old file mapped; cutting that one would end the
    process with SIGBUS.
    """
    fresh = path.with_name(f"{path.name}.fresh")
    fresh.write_bytes(raw)
    fresh.replace(path)


def write_session(path: Path, *said: Line, head: Line | None = None) -> Path:
    """Write a session of one branch; *head* replaces its header."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(header() if head is None else head, *chain(*said)))
    return path


class Ran(NamedTuple):
    """What a run of the command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one line of JSON, read by a strict parser."""
        assert self.out.count("\n") == 1
        assert self.out.endswith("\n")
        return strict(self.out)


def strict(told: str) -> dict[str, Any]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    found = json.loads(told, parse_constant=refuse)
    assert isinstance(found, dict)
    json.dumps(found, ensure_ascii=False).encode()
    return found


class Home:
    """A user's home with one project, and the clawa-search that runs in it.

    Attributes:
        user: HOME. project: the Clawa's home and the cwd. agent: Pi's own folder.
        sessions: where Pi keeps the sessions of the project.
        indexed: `ready` indexes everything; else recall finds it all unindexed.
    """

    def __init__(self, root: Path, *, indexed: bool = False) -> None:
        self.indexed = indexed
        self.user = root / "user"
        self.project = root / "project"
        self.agent = root / "agent"
        self.index = root / "index"
        for folder in (self.user, self.project / ".git", self.agent):
            folder.mkdir(parents=True)
        self.sessions = self.agent / "sessions" / f"--{str(self.project)[1:].replace('/', '-')}--"
        self.env = {"HOME": str(self.user), "PI_CODING_AGENT_DIR": str(self.agent)}
        self.env |= {"CLAWA_INDEX_DIR": str(self.index), "TZ": "UTC"}
        self._recall: Recall | None = None

    def write(self, name: str, *said: Line, head: Line | None = None) -> Path:
        """Write a session file of the project."""
        return write_session(self.sessions / name, *said, head=head)

    @property
    def generation(self) -> Generation:
        """The index of the home, which must be there."""
        found = layout.current(str(self.index))
        assert found is not None
        return found

    @property
    def recall(self) -> Recall:
        if self._recall is None:
            self._recall = Recall(Places(cwd=str(self.project), env=self.env))
        return self._recall

    def close(self) -> None:
        if self._recall is not None:
            self._recall.close()

    def reindex(self, *paths: Path) -> SyncReport:
        return self.recall.reindex(map(str, paths))

    def ready(self) -> None:
        """Index everything, if this home is to be indexed."""
        if self.indexed:
            self.reindex()

    def ask(self, query: str, **more: Any) -> Answer:
        return self.recall.search(Question(query, **{"sessions": None, **more}))

    def hits(self, query: str, **more: Any) -> list[Hit]:
        return self.ask(query, **more).hits

    def found(self, query: str, **more: Any) -> list[Hit]:
        """Return the hits that hold *query*: neighbours of what matches are hits as well."""
        return [hit for hit in self.hits(query, **more) if query.lower() in hit.excerpt.lower()]

    def run(self, *argv: str | bytes, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
        """Run the command line as a user would."""
        return self.finish(self.start(*argv, env=env), stdin)

    def start(
        self,
        *argv: str | bytes,
        env: dict[str, str] | None = None,
        program: tuple[str, ...] = ("-m", "clawa_search"),
    ) -> subprocess.Popen[bytes]:
        known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), **self.env}
        return subprocess.Popen(
            [sys.executable, *program, *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env=known | (env or {}),
        )

    def finish(self, process: subprocess.Popen[bytes], stdin: bytes = b"") -> Ran:
        with process:
            out, err = process.communicate(stdin, timeout=RUN_SECONDS)
        return Ran(process.returncode, out.decode(), err.decode())


def home_of(texts: Iterable[str], root: Path, where: str) -> Home:
    """Return a home that holds *texts*, a session or a memory each.

    Args:
        where: `memories`, or sessions that are `fresh` or `indexed`.
    """
    home = Home(root, indexed=where == "indexed")
    for number, text in enumerate(texts):
        if where == "memories":
            home.recall.remember(text)
        else:
            home.write(f"{number:03}.jsonl", user(text))
    home.ready()
    return home
