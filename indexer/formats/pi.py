"""The one place that knows the session files of Pi: v1 to v4, and what forks of it add.

Facts about the format are from the source and the documentation of Pi 0.30 to 1.6.0.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

from indexer.entry import Entry, Line, Session

OWN_CUSTOM_TYPES = frozenset({"clawa-hydration", "clawa-memory-pass"})
"""Our own messages to the model: found again, they would answer every question."""

KNOWN_TYPES = frozenset(
    "message custom_message custom compaction branch_summary label session_info model_change "
    "thinking_level_change context_edit usage active_tools_change leaf title mode_change".split()
)
MESSAGE_ROLES = {
    "user": "user",
    "assistant": "assistant",
    "custom": "custom",
    "hookMessage": "custom",
    "branchSummary": "branch",
    "compactionSummary": "compaction",
}
MAX_TS_MS = 253_402_300_799_999  # the end of the year 9999

# Anchored at byte 0, keys in the order in which Pi writes them. A JSON string holds no bare
# quote, so a match proves type and role; anything written otherwise gets a full parse.
HEAD = re.compile(
    rb'\{"type":"message",(?:"id":"([^"\\]*)","parentId":(?:null|"([^"\\]*)"),)?'
    rb'"timestamp":"[^"\\]*","message":\{"role":"(?:(toolResult|bashExecution)"|assistant","content":\[)'
)


class Malformed(ValueError):
    """A line that is not JSON, or too long to be read whole."""


def strict_loads(raw: bytes) -> object:
    """Parse like Node: bad UTF-8 and lone surrogates become U+FFFD.

    Raises:
        Malformed: not JSON, or beyond what Python's parser takes (nesting, digits).
    """
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise Malformed(str(error)[:120]) from None


def fast_loads() -> Callable[[bytes], object]:
    """Return a parser for bulk work: orjson, and `strict_loads` for what it refuses.

    orjson takes 20 ms to import and is 4x faster; it rejects lone surrogates (which Node
    writes when it cuts an emoji in two), 1e999 and deep nesting.
    """
    import orjson

    loads = orjson.loads

    def parse(raw: bytes) -> object:
        try:
            return loads(raw)
        except orjson.JSONDecodeError:
            return strict_loads(raw)

    return parse


class Reader:
    """Reads one session file line by line and remembers what the file says of itself.

    `read(line)` returns the entries of the line: none for tool calls, tool results, shell
    output, thinking, prompts, images, settings; several for a compaction that carries copies
    of messages.
    """

    def __init__(
        self, session: Session | None = None, loads: Callable[[bytes], object] = strict_loads
    ) -> None:
        self.session = session or Session()
        self._loads = loads

    def read(self, line: Line) -> list[Entry]:
        """Return the entries of *line*.

        Raises:
            Malformed: the line is not an entry; nothing was changed.
        """
        raw = line.raw
        head = HEAD.match(raw)
        if head is not None and self.session.is_session:
            tool = head.group(3) is not None
            # A torn line glued to the next one would be skipped in silence: it must end well.
            whole = line.cut or raw.endswith(b"}")
            if whole and (tool or (not line.cut and raw.find(b'"text"', head.end()) < 0)):
                self._follow(head.group(1), head.group(2))
                return []
        if line.cut:
            raise Malformed(f"line of {line.size:,} bytes is too long to be read")
        if not raw or raw.isspace():
            return []
        if line.number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
        value = self._loads(raw)
        if not isinstance(value, dict):
            if not value:  # Pi drops null, 0 and false in silence
                return []
            if self.session.is_session is None:
                self.session.is_session = False
            return []
        if self.session.is_session is None:
            self.session.is_session = self._begins_session(value)
            if not self.session.is_session:
                return []
        return self._entries(value)

    def _follow(self, entry_id: bytes | None, parent: bytes | None) -> None:
        if entry_id is None:
            return
        session = self.session
        if session.linear and session.last_id and (parent or b"").decode() != session.last_id:
            session.linear = False
        session.last_id = entry_id.decode("utf-8", "replace")

    def _begins_session(self, value: dict[str, object]) -> bool:
        """Decide by the first object of a file whether it is a session, and read its header.

        A file that lost its header but begins with a complete entry still is one.
        """
        session = self.session
        if value.get("type") == "session" or value.get("kind") == "header":
            if not isinstance(value.get("id"), str):
                return False
            self._header(value)
            return True
        return (
            value.get("type") in KNOWN_TYPES
            and isinstance(value.get("id"), str)
            and isinstance(value.get("timestamp"), str)
            and session.session_id == ""
        )

    def _header(self, value: dict[str, object]) -> None:
        session = self.session
        if session.session_id:  # old forks wrote two headers; the first one names the file
            return
        session.session_id = text_of(value.get("id"))
        session.cwd = text_of(value.get("cwd"))
        parent = value.get("parentSession") or value.get("branchedFrom")
        session.parent = text_of(
            parent or value.get("legacyParentSessionPath") or value.get("parentSessionId")
        )
        session.started_ms = time_ms(value.get("timestamp") or value.get("createdAt"))

    def _entries(self, value: dict[str, object]) -> list[Entry]:
        kind = value.get("kind")
        if kind == "fact":  # v4: the session's name, or a label
            return self._named(value)
        if kind in ("record", "lane"):
            return []
        if kind == "entry" and isinstance(value.get("entry"), dict):
            inner = value["entry"]
            assert isinstance(inner, dict)
            value = inner
        what = value.get("type")
        if what == "session" or kind == "header":
            self._header(value)
            return []
        entry_id = value.get("id")
        if isinstance(entry_id, str):
            parent = value.get("parentId")
            self._follow(
                entry_id.encode("utf-8", "replace"),
                parent.encode("utf-8", "replace") if isinstance(parent, str) else None,
            )
        if what == "message":
            return self._message(value, value.get("message"))
        if what == "custom_message":
            return self._custom(value)
        if what == "compaction":
            return [*self._said("compaction", value, value.get("summary")), *self._tail(value)]
        if what == "branch_summary":
            return self._said("branch", value, value.get("summary"))
        if what in ("session_info", "label"):
            return self._named(value)
        if what == "context_edit":
            target = value.get("targetId")
            if isinstance(target, str):
                self.session.edited.add(target)
        return []

    def _message(self, entry: dict[str, object], message: object) -> list[Entry]:
        if not isinstance(message, dict):
            return []
        said_by = message.get("role")
        role = MESSAGE_ROLES.get(said_by) if isinstance(said_by, str) else None
        if role is None:
            return []
        if said_by in ("custom", "hookMessage"):
            return self._custom({**entry, **message, "id": entry.get("id")})
        content = message.get("content")
        if content is None:
            content = message.get("summary")
        return self._said(role, entry, content, message.get("timestamp"))

    def _custom(self, entry: dict[str, object]) -> list[Entry]:
        label = entry.get("customType")
        if label in OWN_CUSTOM_TYPES:
            return []
        text = block_text(entry.get("content"))
        if not text:
            return []
        prefix = f"[{label}] " if isinstance(label, str) and label else ""
        return self._said("custom", entry, prefix + text)

    def _named(self, value: dict[str, object]) -> list[Entry]:
        name = value.get("name")
        if isinstance(name, str):
            self.session.name = clean(name).strip()
        return self._said("custom", value, name if isinstance(name, str) else value.get("label"))

    def _tail(self, compaction: dict[str, object]) -> list[Entry]:
        """Return the messages that a compaction carries along as copies."""
        kept = compaction.get("retainedTail")
        found: list[Entry] = []
        for item in kept if isinstance(kept, list) else []:
            if isinstance(item, dict):
                entry = item if isinstance(item.get("message"), dict) else {"id": item.get("id")}
                found += self._message(entry, item.get("message", item))
        return found

    def _said(
        self, role: str, entry: dict[str, object], content: object, at: object = None
    ) -> list[Entry]:
        text = block_text(content)
        if not text:
            return []
        entry_id = entry.get("id")
        ts_ms = time_ms(at) or time_ms(entry.get("timestamp"))
        return [Entry(role, text, ts_ms, entry_id if isinstance(entry_id, str) else "")]


def block_text(content: object) -> str:
    """Return the text of a string or of the `text` blocks of a list, one a line, stripped."""
    if isinstance(content, str):
        return clean(content).strip()
    if not isinstance(content, list):
        return ""
    parts = []
    for block in content:
        if isinstance(block, dict) and block.get("type") == "text":
            text = block.get("text")
            if isinstance(text, str) and (text := clean(text).strip()):
                parts.append(text)
    return "\n".join(parts)


def clean(text: str) -> str:
    """Return *text* with lone surrogates as U+FFFD: neither SQLite nor Tantivy takes them."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def text_of(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def time_ms(value: object) -> int:
    """Return Unix ms of an ISO string or of a number of ms; 0 for anything else."""
    if isinstance(value, str):
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            return 0
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        try:
            value = int(when.timestamp() * 1000)
        except (OverflowError, ValueError):
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value <= MAX_TS_MS else 0
