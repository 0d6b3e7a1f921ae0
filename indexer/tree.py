"""The tree of one session file: which entry follows which, and what is on the live branch."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.entry import Line

from indexer.formats.head import head_of, is_one, known_ids
from indexer.formats.parse import Malformed, id_of, strict_loads
from indexer.formats.pi import BOM, NO_ENTRIES, unwrapped
from indexer.tail import open_lines, read_lines

FACT = ""
"""Stands for the parent of a fact of version 4, which follows what stands before it."""
OWN_ID = "line "
"""Begins the id, with the number of its line, of what has none."""


class Node:
    """One entry of the tree: where it stands and what it follows."""

    __slots__ = ("entry_id", "line", "offset", "parent", "size")

    def __init__(self, line: Line, entry_id: str, parent: str | None) -> None:
        self.line = line.number
        self.offset = line.offset
        self.size = line.size
        self.entry_id = entry_id
        self.parent = parent


class Tree:
    """The entries of a file in file order; parents always stand by id.

    Old files (v1) have no ids: there each entry follows the one before it, and the id is
    made of the line number. Cycles, orphans and repeated ids are tolerated.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self._by_id: dict[str, Node] = {}
        self._by_line: dict[int, Node] = {}
        for node in nodes:
            self._by_id[node.entry_id] = node
            self._by_line[node.line] = node
        self._live: set[int] | None = None

    def at(self, line: int) -> Node | None:
        return self._by_line.get(line)

    def find(self, entry_id: str) -> Node | None:
        return self._by_id.get(entry_id)

    def path_to(self, node: Node) -> list[Node]:
        """Return the branch from its root to *node*, cut at a cycle."""
        path = [node]
        seen = {id(node)}
        while node.parent is not None:
            above = self._by_id.get(node.parent)
            if above is None or id(above) in seen:
                break
            seen.add(id(above))
            path.append(above)
            node = above
        path.reverse()
        return path

    def live_lines(self) -> set[int]:
        """Return the lines on the branch of the last entry of the file (Pi's leaf)."""
        if self._live is None:
            last = self.nodes[-1] if self.nodes else None
            live = {node.line for node in self.path_to(last)} if last else set()
            for node in self.nodes:  # no entry follows a fact, which stays true
                above = self._by_id.get(node.parent or "")
                if node.entry_id.startswith(OWN_ID) and above and above.line in live:
                    live.add(node.line)
            self._live = live
        return self._live

    def dead_lines(self) -> list[tuple[int, int]]:
        """Return the entries that are not on the live branch, as ranges of lines."""
        live = self.live_lines()
        ranges: list[tuple[int, int]] = []
        before_is_dead = False
        for node in self.nodes:
            dead = node.line not in live
            if dead and before_is_dead:
                ranges[-1] = ranges[-1][0], node.line
            elif dead:
                ranges.append((node.line, node.line))
            before_is_dead = dead
        return ranges

    def around(self, node: Node, count: int) -> tuple[list[Node], list[Node]]:
        """Return up to *count* entries before and after *node* along its branch.

        After a fork of the branch the live child is followed, else the latest one.
        """
        before = self.path_to(node)[:-1][-count:] if count else []
        after: list[Node] = []
        children: dict[str, list[Node]] = {}
        for other in self.nodes:
            if other.parent is not None:
                children.setdefault(other.parent, []).append(other)
        live, seen = self.live_lines(), {node.line}
        while len(after) < count:
            below = [c for c in children.get(node.entry_id, []) if c.line not in seen]
            if not below:
                break
            node = next((c for c in below if c.line in live), below[-1])
            seen.add(node.line)
            after.append(node)
        return before, after


def read_tree(fd: int, stop: int | None = None) -> Tree:
    """Read the tree of an open session file, up to byte offset *stop* or to its end.

    Raises:
        OSError: the file cannot be read.
    """
    nodes: list[Node] = []
    last: str | None = None
    size = os.fstat(fd).st_size if stop is None else stop
    for line in read_lines(fd, 0, 1, stop, torn=True):
        ids = ids_of(line, torn=line.offset + line.size >= size)
        if ids is None:
            continue
        entry_id, parent = ids
        follows = bool(entry_id) or parent != FACT
        if not entry_id:
            entry_id, parent = f"{OWN_ID}{line.number}", last
        nodes.append(Node(line, entry_id, parent))
        if follows:
            last = entry_id
    return Tree(nodes)


def tree_of(path: str) -> Tree | None:
    """Return the tree of the file at *path*, None when it cannot be read."""
    try:
        fd = open_lines(path)
    except OSError:
        return None
    try:
        return read_tree(fd)
    except OSError:
        return None
    finally:
        os.close(fd)


def ids_of(line: Line, *, torn: bool = False) -> tuple[str, str | None] | None:
    """Return the ids of the entry of *line* and of its parent; None when it is no entry.

    A fact has neither; its parent is FACT.

    Args:
        torn: no LF ends the line, so that its head does not prove that it is whole.
    """
    head = head_of(line.raw) if not torn else None
    if head is not None and not line.cut and not is_one(line, head):
        head = None
    ids = known_ids(line, head) if head is not None else None
    if ids is not None:
        return ids[0], ids[1] or None
    if line.cut:
        return None
    try:
        value = strict_loads(line.raw.removeprefix(BOM) if line.number == 1 else line.raw)
    except Malformed:
        return None
    if not isinstance(value, dict):
        return None
    if value.get("kind") == "fact":  # a name or a label, which follows what stands before it
        return "", FACT
    if value.get("kind") in NO_ENTRIES:
        return None
    value = unwrapped(value)
    if value.get("type") in ("session", None):
        return None
    return id_of(value.get("id")), id_of(value.get("parentId")) or None
