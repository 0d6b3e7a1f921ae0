"""Serve the Pi extension: one resident process, one JSON object a line, answers in order.

    {"id": 1, "method": "hydrate", "params": {"cwd": "/home/me", "sessionFile": …}}
    {"id": 1, "ok": true, "result": {…}}
    {"id": 1, "ok": false, "error": {"code": "…", "message": "…", "hint": "…"}}

Lines end with LF bytes only and answers are pure ASCII: U+2028 ends a line for some readers of
JavaScript. Every request says where it stands, so a new process can take over at any time. A
request that cannot be served is an answer too; only the end of the input ends the process.
"""

from __future__ import annotations

import json
import os
import sys
from binascii import b2a_base64
from typing import TYPE_CHECKING, BinaryIO

from clawa_search import __version__
from clawa_search.continuity import hydration, memory_pass
from clawa_search.errors import InvalidInputError, RecallError
from clawa_search.pi import assets, tools
from clawa_search.pi.catch_up import CatchUp
from clawa_search.pi.where import Where
from indexer.errors import may_be_told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clawa_search.continuity.visible import SessionTree
    from clawa_search.places import Places

PROTOCOL = 1
MAX_REQUEST_BYTES = 16 * 1024 * 1024

_MAX_HOMES = 4
_LAST_SYNC_SECONDS = 30.0


class ProtocolError(InvalidInputError):
    """A line that is no request, or a request that this version does not know."""

    code = "protocol"


class Server:
    """Answers requests; keeps what is expensive to open."""

    def __init__(
        self, open_recall: Callable[[Places], tools.Recaller], catch_up: CatchUp | None = None
    ) -> None:
        self._open_recall = open_recall
        self._catch_up = catch_up or CatchUp()
        self._open: dict[Where, tools.Recaller] = {}
        self._trees: dict[str, SessionTree] = {}
        self._methods: dict[str, Callable[[Mapping[str, object]], object]] = {
            "hello": self._hello,
            "hydrate": self._hydrate,
            "call": self._call,
            "memory_pass": self._memory_pass,
            "settled": self._settled,
        }

    def answer(self, line: bytes) -> dict[str, object]:
        """Return the answer to one request line; never fails."""
        number: object = None
        try:
            request = _object(line)
            number = _id(request)
            return {"id": number, "ok": True, "result": self._result(request)}
        except RecallError as error:
            return _failure(number, error.code, str(error), error.hint)
        except BaseException as error:  # a broken request must not end the process
            if not may_be_told(error):
                raise
            import traceback

            traceback.print_exc()
            return _failure(number, "internal", f"{type(error).__name__}: {error}", "")

    def _result(self, request: Mapping[str, object]) -> object:
        method = self._methods.get(str(request.get("method")))
        params = request.get("params", {})
        if method is None:
            raise ProtocolError(f"method: must be one of {', '.join(self._methods)}")
        if not isinstance(params, dict):
            raise ProtocolError("params: must be an object")
        return method(params)

    def close(self) -> None:
        """Finish what runs in the background and close what is open."""
        self._catch_up.close(_LAST_SYNC_SECONDS)
        for recall in self._open.values():
            recall.close()
        self._open.clear()

    def _hello(self, params: Mapping[str, object]) -> object:
        if params.get("protocol", PROTOCOL) != PROTOCOL:
            raise ProtocolError(
                f"the extension speaks protocol {params['protocol']!r}, not {PROTOCOL}",
                hint="run `clawa-search setup pi`, then /reload in Pi",
            )
        ours, theirs = assets.stamp(), params.get("stamp", "")
        stale = isinstance(theirs, str) and theirs not in ("", ours)
        return {
            "protocol": PROTOCOL,
            "version": __version__,
            "pid": os.getpid(),
            "tools": assets.tools(),
            "customTypes": {
                "hydration": hydration.CUSTOM_TYPE,
                "memoryPass": memory_pass.CUSTOM_TYPE,
            },
            "thresholds": {
                "sharePercent": memory_pass.SHARE_PERCENT,
                "defaultReserve": memory_pass.DEFAULT_RESERVE,
            },
            "warning": "clawa-search: the Pi extension is of another version than the command; run "
            "`clawa-search setup pi`, then /reload"
            if stale
            else "",
        }

    def _hydrate(self, params: Mapping[str, object]) -> object:
        made = hydration.hydrate(Where.of(params).places().home)
        image = made.image
        return {
            "text": made.text,
            "sha": made.sha,
            "image": image
            and {
                "data": b2a_base64(image.data, newline=False).decode(),
                "mimeType": image.mime_type,
            },
            "warnings": made.warnings,
        }

    def _call(self, params: Mapping[str, object]) -> object:
        where = Where.of(params)
        args = params.get("args", {})
        if not isinstance(args, dict):
            raise ProtocolError("args: must be an object")
        match params.get("tool"):
            case "remember":
                return tools.remember(self._recall(where), args)
            case "recall":
                recall = self._recall(where)
                return tools.recall(
                    recall, args, where.cwd, lambda: tools.visible_to(where, self._trees)
                )
            case _:
                raise ProtocolError("tool: must be remember or recall")

    def _memory_pass(self, params: Mapping[str, object]) -> object:
        now = memory_pass.Situation(
            tokens=_count(params, "tokens"),
            window=_count(params, "window") or 0,
            reserve=_count(params, "reserve"),
            cycle=_count(params, "cycle") or 0,
            done=_counts(params, "done"),
            stop_reason=str(params.get("stopReason", "stop")),
            has_ui=params.get("hasUI") is True,
        )
        decision = memory_pass.decide(now)
        return {
            "due": decision.due,
            "threshold": decision.threshold,
            "cycle": decision.cycle,
            "prompt": memory_pass.PROMPT if decision.due else "",
        }

    def _settled(self, params: Mapping[str, object]) -> object:
        where = Where.of(params)
        return {"queued": self._catch_up.request(where.session_dir, where.places().index_dir)}

    def _recall(self, where: Where) -> tools.Recaller:
        key = Where(where.cwd, where.session_file, where.session_dir)
        if key not in self._open:
            while len(self._open) >= _MAX_HOMES:
                self._open.pop(next(iter(self._open))).close()
            self._open[key] = self._open_recall(key.places())
        return self._open[key]


def serve(
    stdin: BinaryIO,
    stdout: BinaryIO,
    *,
    open_recall: Callable[[Places], tools.Recaller] | None = None,
    catch_up: CatchUp | None = None,
    on_end: Callable[[], None] = lambda: None,
) -> None:
    """Answer the requests of *stdin* on *stdout* until the input ends or nobody reads any more.

    Args:
        on_end: called when that is so, before the last indexing is waited for.
    """
    server = Server(open_recall or open_facade, catch_up)
    try:
        while line := stdin.readline(MAX_REQUEST_BYTES + 1):
            if line.isspace():
                continue
            whole = len(line) <= MAX_REQUEST_BYTES
            reply = server.answer(line) if whole else _too_long(stdin, line)
            stdout.write(json.dumps(reply).encode("ascii") + b"\n")
            stdout.flush()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        on_end()
        server.close()


def open_facade(places: Places) -> tools.Recaller:
    """Open memories and index for as long as the process lives."""
    from clawa_search.recall import Recall

    return Recall(places)


def _too_long(stdin: BinaryIO, part: bytes) -> dict[str, object]:
    while part and not part.endswith(b"\n"):
        part = stdin.readline(1 << 20)
    return _failure(None, "protocol", f"a request may have {MAX_REQUEST_BYTES:,} bytes", "")


def _object(line: bytes) -> dict[str, object]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"not a line of JSON: {error}") from None
    if not isinstance(request, dict):
        raise ProtocolError("a request must be an object")
    return request


def _id(request: Mapping[str, object]) -> int | str:
    number = request.get("id")
    if isinstance(number, bool) or not isinstance(number, int | str):
        raise ProtocolError("id: must be a number or text")
    return number


def _failure(number: object, code: str, message: str, hint: str) -> dict[str, object]:
    return {"id": number, "ok": False, "error": {"code": code, "message": message, "hint": hint}}


def _count(params: Mapping[str, object], name: str) -> int | None:
    value = params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise InvalidInputError(f"{name}: must be a number from 0 on, or null")
    return int(value)


def _counts(params: Mapping[str, object], name: str) -> list[int]:
    value = params.get(name, [])
    if not isinstance(value, list):
        raise InvalidInputError(f"{name}: must be a list of numbers")
    return [one for one in value if isinstance(one, int)]


def main() -> int:
    """Run `python -P -m clawa_search bridge`."""
    from clawa_search.pi.lifetime import end_with_parent, private_stdout

    noticed = end_with_parent()
    with private_stdout() as out:
        serve(sys.stdin.buffer, out, on_end=noticed.set)
    return 0
