"""A scripted model behind an OpenAI-compatible address on the loopback, and what was asked of it.

What it answers is written into the last message of the human:

    !say TEXT          that text
    !call NAME {json}  a tool call; several lines are several calls
    !loop N            N turns with one `recall` each, then a text
    !usage N           report N prompt tokens
    !overflow          refuse: the context is too long

A memory pass is answered with `recall`, `remember` and a text; a request for a summary with a summary.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

HYDRATION = "CLAWA HYDRATION"
PASS = "CLAWA MEMORY PASS"
TOO_LONG = "This model's maximum context length is 20000 tokens. However, your messages resulted in 30000 tokens."


@dataclass
class Request:
    """One request to the model, as it came."""

    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body["messages"])

    @property
    def for_summary(self) -> bool:
        return any("<conversation>" in text_of(one) for one in self.messages)

    @property
    def hydrations(self) -> list[str]:
        """Texts of the messages that are a hydration."""
        texts = [text_of(one) for one in self.messages if one["role"] == "user"]
        return [text for text in texts if text.startswith(HYDRATION)]

    @property
    def images(self) -> int:
        parts = [
            part
            for one in self.messages
            if isinstance(one.get("content"), list)
            for part in one["content"]
        ]
        return sum(part.get("type") == "image_url" for part in parts)

    @property
    def human(self) -> str:
        """The last message of the human, or the memory pass."""
        texts = [text_of(one) for one in self.messages if one["role"] == "user"]
        return next((text for text in reversed(texts) if not text.startswith(HYDRATION)), "")

    @property
    def is_pass(self) -> bool:
        return self.human.startswith(PASS)

    @property
    def answers(self) -> list[str]:
        """Texts of the tool results since the last message of the human."""
        found: list[str] = []
        for one in reversed(self.messages):
            if one["role"] == "tool":
                found.append(text_of(one))
            elif one["role"] == "user" and not text_of(one).startswith(HYDRATION):
                break
        return found[::-1]

    @property
    def system(self) -> str:
        return "\n".join(
            text_of(one) for one in self.messages if one["role"] in ("system", "developer")
        )


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if part.get("type") == "text")


def plan(request: Request) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """Return the text and the tool calls to answer with."""
    human, done = request.human, len(request.answers)
    if request.for_summary:
        return "## Goal\nSTUB SUMMARY of earlier work", []
    if request.is_pass:
        steps: list[tuple[str, dict[str, Any]]] = [
            ("recall", {"source": "memory", "limit": 5}),
            ("remember", {"text": "new spark from the pass", "tags": ["spark"]}),
        ]
        return ("", [steps[done]]) if done < len(steps) else ("memory pass done", [])
    loop = re.search(r"!loop (\d+)", human)
    if loop and done < int(loop[1]):
        return "", [("recall", {"query": f"step {done}"})]
    if done:
        return "the tools said: " + " | ".join(request.answers)[:400], []
    calls = [
        (name, json.loads(args))
        for name, args in re.findall(r"^!call (\S+) (\{.*\})$", human, re.MULTILINE)
    ]
    if calls:
        return "", calls
    said = re.search(r"!say (.*)", human)
    return (said[1] if said else f"echo: {human[:80]}"), []


class StubModel:
    """The server, in a thread of this process."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        stub = self

        class Handler(_Handler):
            model = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def turns(self) -> list[Request]:
        """The requests that were not for a summary."""
        return [one for one in self.requests if not one.for_summary]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[StubModel]

    def log_message(self, *_args: object) -> None:
        pass

    def do_POST(self) -> None:
        request = Request(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.model.requests.append(request)
        if not request.for_summary and "!overflow" in request.human:
            error = {
                "message": TOO_LONG,
                "code": "context_length_exceeded",
                "type": "invalid_request_error",
            }
            self._send(400, "application/json", json.dumps({"error": error}).encode())
            return
        text, calls = plan(request)
        delta: dict[str, Any] = {"role": "assistant"}
        if text:
            delta["content"] = text
        if calls:
            number = len(self.model.requests)
            delta["tool_calls"] = [
                {
                    "index": at,
                    "id": f"call_{number}_{at}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(args)},
                }
                for at, (name, args) in enumerate(calls)
            ]
        usage = re.search(r"!usage (\d+)", request.human)
        tokens = 500 if request.for_summary else int(usage[1]) if usage else 1000
        self._stream(
            {"choices": [{"delta": delta, "index": 0, "finish_reason": None}]},
            {
                "choices": [
                    {"delta": {}, "index": 0, "finish_reason": "tool_calls" if calls else "stop"}
                ]
            },
            {
                "choices": [],
                "usage": {
                    "prompt_tokens": tokens,
                    "completion_tokens": 10,
                    "total_tokens": tokens + 10,
                },
            },
        )

    def _stream(self, *chunks: dict[str, Any]) -> None:
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
        lines = [json.dumps(base | chunk) for chunk in chunks] + ["[DONE]"]
        self._send(
            200, "text/event-stream", "".join(f"data: {line}\n\n" for line in lines).encode()
        )

    def _send(self, code: int, kind: str, body: bytes) -> None:
        try:
            self.send_response(code)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the agent was killed meanwhile
            self.close_connection = True
