"""The one place that knows the session files of Pi: v1 to v4, and what forks of it add.

Facts about the format are from the source and the documentation of Pi 0.30 to 1.6.0.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

from indexer.entry import Entry, Line, Session
from indexer.formats.head import head_of, holds_no_text, known_ids
from indexer.formats.parse import Malformed, clean, id_of, strict_loads, text_of, time_ms

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
HEADER_BYTES = 1 << 20
"""A file whose first readable line does not come this early is no session (as in Pi)."""
MAX_BRANCHES = 8
"""Of more, only one more is told."""

NO_ENTRIES = ("record", "lane")
"""Kinds of lines of version 4 that tell of a run: nothing follows them, and they follow nothing."""
BOM = b"\xef\xbb\xbf"
"""Some editors put it before the first line."""


class Branch:
    """An entry that does not follow the one before it: where it stands, and what it follows."""

    __slots__ = ("line", "offset", "parent")

    def __init__(self, line: Line, parent: str) -> None:
        self.line = line.number
        self.offset = line.offset
        self.parent = parent


class Reader:
    """Reads one session file line by line and remembers what the file says of itself.

    `read(line)` returns the entries of the line: none for tool calls, tool results, shell
    output, thinking, prompts, images, settings; several for a compaction that carries copies
    of messages.

    Attributes:
        branches: entries that did not follow the one before them, in order.
    """

    def __init__(
        self, session: Session | None = None, loads: Callable[[bytes], object] = strict_loads
    ) -> None:
        self.session = session or Session()
        self.branches: list[Branch] = []
        self._loads = loads

    def read(self, line: Line) -> list[Entry]:
        """Return the entries of *line*.

        Raises:
            Malformed: the line is not an entry; nothing was changed.
        """
        raw = line.raw
        if self.session.is_session:
            head = head_of(raw)
            if head is not None and holds_no_text(line, head):
                ids = known_ids(line, head)
                if ids is not None:
                    self._follow(line, *ids)
                    return []
        elif self.session.is_session is None and line.offset > HEADER_BYTES:
            self.session.is_session = False
        if self.session.is_session is False:
            return []
        if line.cut:
            raise Malformed(f"line of {line.size:,} bytes is too long to be read")
        if not raw or raw.isspace():
            return []
        if line.number == 1:
            raw = raw.removeprefix(BOM)
        value = self._loads(raw)
        if self.session.is_session is None:
            if not value and not isinstance(value, list):  # Pi drops null, 0 and false in silence
                return []
            self.session.is_session = isinstance(value, dict) and self._begins_session(value)
            if not self.session.is_session:
                return []
        return self._entries(line, value) if isinstance(value, dict) else []

    def _follow(self, line: Line, entry_id: str, parent: str) -> None:
        if not entry_id:
            return
        session = self.session
        if session.last_id and parent != session.last_id:
            session.linear = False
            if len(self.branches) <= MAX_BRANCHES:
                self.branches.append(Branch(line, parent))
        session.last_id = entry_id

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

    def _entries(self, line: Line, value: dict[str, object]) -> list[Entry]:
        kind = value.get("kind")
        if kind == "fact":  # v4: the session's name, or a label
            return self._named(value)
        if kind in NO_ENTRIES:
            return []
        value = unwrapped(value)
        what = value.get("type")
        if what == "session" or kind == "header":
            self._header(value)
            return []
        self._follow(line, id_of(value.get("id")), id_of(value.get("parentId")))
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
            target = id_of(value.get("targetId"))
            if target:
                self.session.edited.add(f"{target}@{line.number}")
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
        ts_ms = time_ms(at) or time_ms(entry.get("timestamp"))
        return [Entry(role, text, ts_ms, id_of(entry.get("id")))]


def unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the entry that a line of version 4 wraps; any other value as it is."""
    inner = value.get("entry")
    return inner if value.get("kind") == "entry" and isinstance(inner, dict) else value


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
