"""One made-up Pi session: the lines of a version 3 file, in the mix that real files show.

The key order is Pi's own (`type, id, parentId, timestamp, message`), because readers of such
files take short cuts on it. Sizes follow two public sessions of 1 MB and 2.4 MB.
"""

from __future__ import annotations

import time
from math import exp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from bench.machinery import Machinery
    from bench.prose import Prose

_USAGE = (
    '"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-5","usage":'
    '{{"input":{0},"output":{1},"cacheRead":{2},"cacheWrite":{3},"totalTokens":{4},"cost":'
    '{{"input":{0}e-6,"output":{1}e-5,"cacheRead":{2}e-7,"cacheWrite":{3}e-6,"total":{4}e-6}}}}'
)


class Transcript:
    """The lines of one session, and what stands in them.

    Attributes:
        lines: finished lines without their line break, the header first.
        size: bytes of those lines with their line breaks.
        docs: entries that recall indexes; *chars* counts their escaped text.
        ms: Unix milliseconds of the newest entry.
    """

    __slots__ = (
        "_call",
        "_machinery",
        "_prose",
        "_rng",
        "chars",
        "docs",
        "last",
        "lines",
        "ms",
        "size",
    )

    def __init__(self, rng: Random, prose: Prose, machinery: Machinery, start_ms: int) -> None:
        self._rng, self._prose, self._machinery = rng, prose, machinery
        self.lines: list[bytes] = []
        self.size = self.docs = self.chars = 0
        self.ms = start_ms
        self.last: str | None = None
        self._call = ""

    def put(self, line: str) -> None:
        raw = line.encode()
        self.lines.append(raw)
        self.size += len(raw) + 1

    def entry(self, kind: str, rest: str, wait_s: float = 8.0) -> str:
        """Append an entry of *kind* after up to *wait_s* seconds; return its id."""
        rng = self._rng
        name = f"{rng.getrandbits(32):08x}"
        self.ms += 40 + int(1000 * wait_s * rng.random())
        parent = f'"{self.last}"' if self.last else "null"
        stamp = iso(self.ms)
        self.put(
            f'{{"type":"{kind}","id":"{name}","parentId":{parent},"timestamp":"{stamp}",{rest}}}'
        )
        self.last = name
        return name

    def say(self, text: str) -> str:
        """Return *text* (escaped) counted as searchable."""
        self.docs += 1
        self.chars += len(text)
        return text

    def opening(self, session_id: str, cwd: str, parent_file: str | None = None) -> None:
        fork = f',"parentSession":"{parent_file}"' if parent_file else ""
        stamp = iso(self.ms)
        self.put(
            f'{{"type":"session","version":3,"id":"{session_id}","timestamp":"{stamp}","cwd":"{cwd}"{fork}}}'
        )

    def preamble(self) -> None:
        """Append the settings and the system prompt that Pi stores first."""
        self.entry("model_change", '"provider":"anthropic","modelId":"claude-sonnet-5"', 0)
        self.entry("thinking_level_change", '"thinkingLevel":"medium"', 0)
        if self._rng.random() < 0.5:
            prompt = self._machinery.source.cut(3000)
            self.entry(
                "message", f'"message":{{"role":"system","sections":{{"base":"{prompt}"}}}}', 0
            )

    def user(self, text: str | None = None) -> str:
        said = self.say(text or self._prose.text(self._size(110, 1.0, 4000)))
        return self.entry(
            "message",
            f'"message":{{"role":"user","content":[{{"type":"text","text":"{said}"}}],"timestamp":{self.ms}}}',
            90,
        )

    def assistant(self, call: tuple[str, str] | None, text: str | None = None) -> str:
        """Append a model's message: perhaps a thought, a text, and *call* (tool, arguments)."""
        rng, prose, parts = self._rng, self._prose, []
        if rng.random() < 0.10:
            thought = prose.text(self._size(420, 1.0, 6000))
            sign = self._machinery.noise(200 + int(900 * rng.random()))
            parts.append(
                f'{{"type":"thinking","thinking":"{thought}","thinkingSignature":"{sign}"}}'
            )
        if text or call is None or rng.random() < 0.45:
            said = self.say(text or prose.text(self._size(90 if call else 260, 1.1, 16_000)))
            parts.append(f'{{"type":"text","text":"{said}"}}')
        if call:
            self._call = f"toolu_{rng.getrandbits(96):024x}"
            parts.append(
                f'{{"type":"toolCall","id":"{self._call}","name":"{call[0]}","arguments":{{{call[1]}}}}}'
            )
        spent = int(20_000 * rng.random())
        usage = _USAGE.format(spent % 90, spent % 1900, spent * 4, spent % 7000, spent * 5)
        stop = "toolUse" if call else "stop"
        return self.entry(
            "message",
            f'"message":{{"role":"assistant","content":[{",".join(parts)}],{usage},'
            f'"stopReason":"{stop}","timestamp":{self.ms}}}',
        )

    def tool(self) -> None:
        """Append one call of a tool and its result."""
        name, arguments, result, details = self._traffic()
        self.assistant((name, arguments))
        picture = ""
        if self._rng.random() < 0.01:
            data = self._machinery.noise(4 * int(5_000 + 25_000 * self._rng.random()))
            picture = f',{{"type":"image","data":"{data}","mimeType":"image/png"}}'
        self.entry(
            "message",
            f'"message":{{"role":"toolResult","toolCallId":"{self._call}","toolName":"{name}","content":'
            f'[{{"type":"text","text":"{result}"}}{picture}],"details":{{{details}}},"isError":false,'
            f'"timestamp":{self.ms}}}',
        )

    def aside(self) -> None:
        """Append one of the rarer entries."""
        rng, prose, chance = self._rng, self._prose, self._rng.random()
        if chance < 0.35:
            level = rng.choice(("low", "medium", "high"))
            self.entry("thinking_level_change", f'"thinkingLevel":"{level}"')
        elif chance < 0.55:
            data = self._machinery.output.cut(1500)
            self.entry("custom", f'"customType":"web-search-results","data":{{"answer":"{data}"}}')
        elif chance < 0.75:
            said = self.say(prose.text(300))
            self.entry("custom_message", f'"customType":"note","content":"{said}","display":true')
        elif chance < 0.85:
            output = self._machinery.output.cut(self._size(200, 1.5, 40_000))
            self.entry(
                "message",
                f'"message":{{"role":"bashExecution","command":"git status","output":"{output}","exitCode":0,'
                f'"cancelled":false,"truncated":false,"timestamp":{self.ms}}}',
            )
        elif chance < 0.95:
            said = self.say(prose.text(900))
            self.entry("branch_summary", f'"fromId":"{self.last}","summary":"{said}"')
        else:
            self.entry("session_info", f'"name":"{prose.sentence(4)}"')

    def compaction(self) -> None:
        said = self.say(self._prose.text(3600))
        self.entry(
            "compaction",
            f'"summary":"{said}","firstKeptEntryId":"{self.last}","tokensBefore":171000',
        )

    def _traffic(self) -> tuple[str, str, str, str]:
        """Return tool, arguments, result and details of one call, all escaped."""
        rng, prose, pools = self._rng, self._prose, self._machinery
        chance = rng.random()
        if chance < 0.47:
            command = pools.command(prose, self._size(110, 0.7, 3000))
            return (
                "bash",
                f'"command":"{command}"',
                pools.output.cut(self._size(220, 1.7, 50_000)),
                "",
            )
        path = f"/home/u/code/{prose.idiom()}"
        if chance < 0.66:
            text = pools.source.cut(self._size(2300, 1.4, 50_000))
            return "read", f'"path":"{path}","limit":200', text, ""
        if chance < 0.97:
            size = self._size(430, 1.15, 12_000)
            old, new = pools.source.cut(size), pools.source.cut(size)
            change = pools.diff.cut(self._size(800, 1.1, 24_000))
            arguments = f'"path":"{path}","oldText":"{old}","newText":"{new}"'
            return "edit", arguments, f"Edited {path}: one replacement.", f'"diff":"{change}"'
        text = pools.source.cut(self._size(4200, 1.2, 56_000))
        return "write", f'"path":"{path}","content":"{text}"', f"Wrote {path}.", ""

    def _size(self, median: float, spread: float, most: int) -> int:
        """Return a length with a long tail: lognormal, at most *most*."""
        return min(most, int(median * exp(spread * self._rng.gauss(0, 1))))


_DAYS: dict[int, str] = {}


def iso(ms: int) -> str:
    """Return Unix milliseconds as Pi writes them. One division a part: strftime costs 3 times more."""
    seconds, milli = divmod(ms, 1000)
    day, rest = divmod(seconds, 86_400)
    date = _DAYS.get(day)
    if date is None:
        date = _DAYS[day] = time.strftime("%Y-%m-%d", time.gmtime(day * 86_400))
    hours, rest = divmod(rest, 3600)
    minutes, second = divmod(rest, 60)
    return f"{date}T{hours:02d}:{minutes:02d}:{second:02d}.{milli:03d}Z"
