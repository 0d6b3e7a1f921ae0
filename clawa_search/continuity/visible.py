"""Know which entries of a session its model still sees, so that recall need not repeat them.

The rules are those by which Pi 1.6.0 builds a request (`buildSessionProjection`): the path from
the root to the leaf; after the latest compaction on it, its summary, the entries kept by it and
what follows. An entry that a `context_edit` in that stretch removed or replaced is not seen as it
stands in the file.
"""

from __future__ import annotations

import os
import re

from indexer.formats.parse import Malformed, fast_loads
from indexer.header import header_of
from indexer.tail import open_lines, read_lines

# Keys in the order in which Pi writes them; everything else gets a full parse.
_HEAD = re.compile(
    rb'\{"type":"(?!compaction|context_edit|session)[a-z_]+",'
    rb'"id":"([^"\\]*)","parentId":(?:null|"([^"\\]*)"),'
)
_PROBE_BYTES = 256
_MAX_ANCESTORS = 32


class SessionTree:
    """The tree of one session file, read as far as it is written and continued from there.

    Attributes:
        path: the file; it may not exist yet.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._loads = fast_loads()
        self._forget()

    def _forget(self) -> None:
        # id -> (parent id, kind, the id that a compaction or an edit refers to)
        self._nodes: dict[str, tuple[str, str, str]] = {}
        self._last = ""
        self._end = 0
        self._probe = b""
        self._stat: tuple[int, ...] = ()

    def visible(self, leaf_id: str | None) -> frozenset[str]:
        """Return the ids of the entries that the model sees with *leaf_id* as the newest one.

        An id that is not in the file yet stands for the last entry that is: Pi writes late. None
        means an empty conversation.
        """
        if leaf_id is None:
            return frozenset()
        self._read_on()
        after, kept = self._seen_from(leaf_id if leaf_id in self._nodes else self._last)
        seen = [*after, *kept]
        edited = {self._nodes[one][2] for one in seen if self._nodes[one][1] == "context_edit"}
        return frozenset(seen) - edited

    def _seen_from(self, leaf: str) -> tuple[list[str], list[str]]:
        """Return what follows the latest compaction, itself included, and what it kept.

        Stops there: a long session costs no more than the context that is left of it.
        """
        after: list[str] = []
        kept: list[str] = []
        first_kept: str | None = None
        walked: set[str] = set()
        while leaf in self._nodes and leaf not in walked:
            walked.add(leaf)
            parent, kind, refers = self._nodes[leaf]
            if first_kept is None:
                after.append(leaf)
                if kind == "compaction":
                    first_kept = refers
            elif kind != "compaction":  # an older summary is not sent again
                kept.append(leaf)
            if leaf == first_kept:
                return after, kept
            leaf = parent
        return after, []

    def _read_on(self) -> None:
        try:
            handle = open_lines(self.path)
        except OSError:
            self._forget()
            return
        try:
            self._continue(handle)
        except OSError:
            self._forget()
        finally:
            os.close(handle)

    def _continue(self, handle: int) -> None:
        about = os.fstat(handle)
        now = (
            about.st_dev,
            about.st_ino,
            about.st_size,
            about.st_mtime_ns,
            about.st_ctime_ns,
        )
        if now == self._stat:
            return
        if not self._continues(handle, now):
            self._forget()
        for line in read_lines(handle, self._end, 1, about.st_size):
            self._end = line.offset + line.size + 1
            self._take(line.raw, whole=not line.cut)
        self._probe = self._probed(handle)
        self._stat = now

    def _probed(self, handle: int) -> bytes:
        """Read the first and the last bytes of what was taken in: a rewrite changes them."""
        start = max(0, self._end - _PROBE_BYTES)
        head = os.pread(handle, min(_PROBE_BYTES, self._end), 0)
        return head + os.pread(handle, self._end - start, start)

    def _continues(self, handle: int, now: tuple[int, ...]) -> bool:
        """Tell whether the file only grew since it was read."""
        if self._stat[:2] != now[:2] or now[2] <= self._stat[2]:
            return False
        return self._probed(handle) == self._probe

    def _take(self, raw: bytes, *, whole: bool) -> None:
        head = _HEAD.match(raw)
        if head is not None and (raw.endswith(b"}") or not whole):
            # Bytes that are not UTF-8 become U+FFFD, as Node reads them.
            ids = [part.decode("utf-8", "replace") for part in head.groups(b"")]
            self._add(ids[0], ids[1], "", "")
            return
        if not whole:
            return
        try:
            entry = self._loads(raw)
        except Malformed:
            return
        if not isinstance(entry, dict):
            return
        one, parent, kind = entry.get("id"), entry.get("parentId"), entry.get("type")
        if not isinstance(one, str) or kind == "session":
            return
        if kind == "compaction":
            self._add(one, parent, kind, entry.get("firstKeptEntryId"))
        elif kind == "context_edit":
            self._add(one, parent, kind, entry.get("targetId"))
        else:
            self._add(one, parent, "", "")

    def _add(self, one: str, parent: object, kind: str, refers: object) -> None:
        self._nodes[one] = (
            parent if isinstance(parent, str) else "",
            kind,
            refers if isinstance(refers, str) else "",
        )
        self._last = one


def ancestors(path: str) -> list[str]:
    """Return the sessions that *path* was forked from, nearest first.

    A fork copies entries with their ids, so what is visible in it is the same entry there.
    """
    found: list[str] = []
    while len(found) < _MAX_ANCESTORS:
        parent = header_of(path).parent
        if not parent or parent in found:
            break
        found.append(parent)
        path = parent
    return found
