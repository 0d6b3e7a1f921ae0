"""Open an anchor: the entry in full, found again when its file moved or was rewritten."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.tree import Node, Tree

from indexer.formats.parse import strict_loads, time_ms
from indexer.formats.pi import BOM, Reader, unwrapped
from indexer.tail import open_lines, read_lines
from indexer.tree import tree_of

MAX_AROUND = 1000
"""Entries that are looked at on either side: between two that speak there may be many tool calls."""


class Shown:
    """One entry as a person or an agent reads it.

    Attributes:
        role: who speaks, or the type of what is no speech (`toolResult`, `label`).
        text: everything that was said; tools are named, never dumped.
        tools: names of the tools that were called.
    """

    __slots__ = ("entry_id", "line", "live", "path", "role", "text", "tools", "ts_ms")

    def __init__(self, path: str, line: int) -> None:
        self.path = path
        self.line = line
        self.entry_id = ""
        self.role = ""
        self.text = ""
        self.tools: list[str] = []
        self.ts_ms = 0
        self.live = True

    @property
    def ref(self) -> str:
        return f"{self.path}:{self.line}"


def read_entry(path: str, line_number: int, offset: int, size: int) -> Shown | None:
    """Read the entry on a line whose place is known; None when it is not an entry."""
    try:
        fd = open_lines(path)
    except OSError:
        return None
    try:
        lines = list(read_lines(fd, offset, line_number, offset + size + 1, torn=True))[:1]
    except OSError:
        return None
    finally:
        os.close(fd)
    return shown_line(path, line_number, lines[0].raw) if lines and not lines[0].cut else None


def shown_line(path: str, number: int, raw: bytes) -> Shown | None:
    """Describe the entry that the bytes *raw* of a line hold."""
    from indexer.entry import Line
    from indexer.formats.parse import Malformed

    line = Line(number, 0, raw, len(raw), probe=None, cut=False)
    try:
        value = strict_loads(raw.removeprefix(BOM))
    except Malformed:
        return None
    if not isinstance(value, dict):
        return None
    value = unwrapped(value)
    reader = Reader()
    reader.session.is_session = True
    shown = Shown(path, number)
    entry_id = value.get("id")
    shown.entry_id = entry_id if isinstance(entry_id, str) else ""
    message = value.get("message")
    inner = message if isinstance(message, dict) else value
    shown.ts_ms = time_ms(inner.get("timestamp")) or time_ms(value.get("timestamp"))
    shown.role = str(inner.get("role") or value.get("type") or value.get("kind") or "unknown")
    content = inner.get("content")
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "toolCall":
            shown.tools.append(str(block.get("name")))
    if shown.role == "toolResult":
        shown.tools.append(str(inner.get("toolName")))
    entries = reader.read(line)
    if entries:
        shown.role = entries[0].role
        shown.text = entries[0].text
        # A compaction may carry copies of messages; a hit may be one that stands nowhere else.
        shown.text += "".join(f"\n\n[{entry.role}] {entry.text}" for entry in entries[1:])
    return shown


def neighbours(path: str, tree: Tree, line: int, count: int) -> list[Shown]:
    """Return what was said around *line* along its branch: *count* before, *count* after.

    Entries that hold no speech (tool results, settings) are passed over.
    """
    node = tree.at(line)
    if node is None:
        return []
    before, after = tree.around(node, MAX_AROUND)
    said = [*reversed(_said(path, before[::-1], count)), *_said(path, after, count)]
    live = tree.live_lines()
    for shown in said:
        shown.live = shown.line in live
    return said


def _said(path: str, nodes: list[Node], count: int) -> list[Shown]:
    found: list[Shown] = []
    for node in nodes:
        if len(found) == count:
            break
        shown = read_entry(path, node.line, node.offset, node.size)
        if shown is not None and shown.text:
            found.append(shown)
    return found


def open_line(path: str, line: int) -> tuple[Shown | None, Tree | None]:
    """Open the entry at *line* of the file at *path*, and the tree it stands in."""
    tree = tree_of(path)
    if tree is None:
        return None, None
    node = tree.at(line)
    if node is None:
        return None, tree
    shown = read_entry(path, line, node.offset, node.size)
    if shown is not None:
        shown.live = line in tree.live_lines()
    return shown, tree
