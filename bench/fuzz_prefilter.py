"""Fuzz the pre-filter of Pi lines: what it passes over must hold no entry by a full parse either.

    python -m bench.fuzz_prefilter [LINES] [SEED]

Lines as Pi writes them and as an adversary would: other key orders, spaces, look-alikes inside
texts and tool calls, both kinds of escaping, torn lines, and torn lines with the next one glued on.
"""

from __future__ import annotations

import json
import random
import sys
from contextlib import nullcontext
from unittest.mock import patch

from indexer.entry import Line
from indexer.formats import pi
from indexer.formats.head import head_of, holds_no_text
from indexer.formats.parse import Malformed
from indexer.formats.pi import Reader

LINES = 1_000_000
BITS = (
    *(
        "hello",
        '"type":"text"',
        '{"role":"toolResult"}',
        '\\"',
        "\n",
        "日本",
        '"message":{"role":"user"',
    ),
    *(
        'x"y\\z',
        "\u2028",
        '"timestamp":"',
        "}}",
        "\x1b[0m",
        "\ud83d",
        '{"type":"message",',
        "é\x00",
    ),
)
SEPARATORS = ((",", ":"), (",", ":"), (",", ":"), (", ", ": "))
ROLES = ("user", "assistant", "assistant", "toolResult", "toolResult", "bashExecution", "custom")
TYPES = ("message",) * 8 + ("custom_message", "compaction", "branch_summary", "custom", "label")

Outcome = tuple[list[tuple[str, str, str]], str, bool] | None
"""(role, text, id) of the entries, the leaf, one branch only; None for a malformed line."""


class Adversary:
    """Makes lines from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        return "".join(self._random.choice(BITS) for _ in range(self._random.randrange(4)))

    def block(self) -> dict[str, object]:
        chance = self._random.random()
        if chance < 0.3:
            return {"type": "text", "text": self.text()}
        if chance < 0.5:
            return {"type": "thinking", "thinking": self.text(), "thinkingSignature": self.text()}
        if chance < 0.9:
            inner = {"content": [{"type": "text", "text": "SECRET"}], "message": {"role": "user"}}
            return {"type": "toolCall", "id": "t", "name": self.text(), "arguments": inner}
        return {"type": "image", "data": "QUJD", "mimeType": "image/png"}

    def content(self) -> object:
        if self._random.random() < 0.2:
            return self.text()
        return [self.block() for _ in range(self._random.randrange(4))]

    def value(self) -> dict[str, object]:
        choose, chance = self._random.choice, self._random.random
        kind = choose(TYPES)
        made: dict[str, object] = {"type": kind}
        if chance() < 0.8:
            made |= {"id": choose(("ab", "a b", "", self.text())), "parentId": choose((None, "cd"))}
        made["timestamp"] = "2026-01-01T00:00:00.000Z"
        if kind == "message":
            message: dict[str, object] = {"role": choose(ROLES), "content": self.content()}
            message["details"] = {"message": {"role": "user", "content": self.text()}}
            if chance() < 0.1:
                message["details"] = {"timestamp": "2026-01-01T00:00:00.000Z", "text": "x"}
            made["message"] = message | {"timestamp": 1_767_225_600_000}
        elif kind == "custom":
            made["data"] = {"message": {"role": "user", "content": "SECRET"}}
        else:
            made["content" if kind == "custom_message" else "summary"] = self.content()
        return made

    def line(self) -> bytes:
        value: object = self.value()
        if self._random.random() < 0.2:
            value = self._shuffled(value)
        text = json.dumps(
            value,
            ensure_ascii=self._random.random() < 0.5,
            separators=self._random.choice(SEPARATORS),
        )
        return text.encode("utf-8", "surrogatepass" if self._random.random() < 0.5 else "replace")

    def _shuffled(self, value: object) -> object:
        if isinstance(value, dict):
            items = list(value.items())
            self._random.shuffle(items)
            return {key: self._shuffled(item) for key, item in items}
        return [self._shuffled(item) for item in value] if isinstance(value, list) else value

    def damaged(self) -> bytes:
        """Return a line, most often whole, else torn, glued to another, or both."""
        line = self.line()
        chance = self._random.random()
        if chance < 0.7:
            return line
        torn = line[: self._random.randrange(len(line) + 1)]
        if chance < 0.8:
            return torn
        return torn + self.line() if chance < 0.95 else torn + self.line()[:-1] + b"}"


def outcome(raw: bytes, *, filtered: bool) -> Outcome:
    """Read a line with the pre-filter or without it."""
    reader = Reader()
    reader.session.is_session = True
    reader.session.last_id = "cd"
    off = nullcontext() if filtered else patch.object(pi, "holds_no_text", lambda *_: False)
    try:
        with off:
            entries = reader.read(Line(2, 100, raw, len(raw), probe=None, cut=False))
    except Malformed:
        return None
    said = [(entry.role, entry.text, entry.entry_id) for entry in entries]
    return said, reader.session.last_id, reader.session.linear


def difference(raw: bytes) -> str:
    """Say how the pre-filter differs on a line; empty when it does not.

    `uncounted`: a torn line without any entry that was not counted as one. That can happen
    only when it is cut right behind a closing brace.
    """
    with_filter, without = outcome(raw, filtered=True), outcome(raw, filtered=False)
    if with_filter == without:
        return ""
    if without is None and with_filter is not None and not with_filter[0]:
        return "uncounted"
    return "different"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    adversary = Adversary(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    told = {"": 0, "uncounted": 0, "different": 0}
    passed_over = 0
    for _ in range(count):
        raw = adversary.damaged()
        found = difference(raw)
        told[found] += 1
        passed_over += (head := head_of(raw)) is not None and holds_no_text(
            Line(2, 100, raw, len(raw), probe=None, cut=False), head
        )
        if found == "different":
            print(raw, outcome(raw, filtered=True), outcome(raw, filtered=False), sep="\n")
    print(
        f"{count:,} lines, {passed_over:,} passed over: {told['different']} different, "
        f"{told['uncounted']} torn ones not counted"
    )
    sys.exit(bool(told["different"]))


if __name__ == "__main__":
    main()
