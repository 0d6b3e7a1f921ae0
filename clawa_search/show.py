"""Open what a reference names: a memory, `path:line`, or an entry id."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.record import Memory
    from clawa_search.recall import Recall
    from clawa_search.search.show import Shown
    from indexer.catalog import Catalog, File
    from indexer.schema import Stored

from clawa_search.errors import InvalidInputError, NotFoundError

OK, RELOCATED, GONE = "ok", "relocated", "gone"
MAX_CONTEXT = 50


class Opened:
    """What a reference leads to.

    Attributes:
        status: `ok`, `relocated` (it stands elsewhere now: see `entry`) or `gone`.
        memory, entry: one of them, unless it is gone.
        context: entries before and after along the branch, in order.
    """

    __slots__ = ("context", "entry", "memory", "ref", "status")

    def __init__(self, ref: str, status: str) -> None:
        self.ref = ref
        self.status = status
        self.memory: Memory | None = None
        self.entry: Shown | None = None
        self.context: list[Shown] = []


def open_ref(recall: Recall, ref: str, context: int) -> Opened:
    """Open *ref*; see `Recall.show`."""
    ref = ref.strip()
    if not 0 <= context <= MAX_CONTEXT:
        raise InvalidInputError(f"--context: not a number from 0 to {MAX_CONTEXT}: {context}")
    number = ref.removeprefix("mem:").removeprefix("#")
    if number.isascii() and number.isdigit():
        return _open_memory(recall, ref, int(number))
    path, colon, line = ref.rpartition(":")
    if colon and line.isascii() and line.isdigit() and path:
        return _open_line(recall, ref, recall.places.absolute(path), int(line), context)
    if ref and all(character.isalnum() or character in "_-" for character in ref):
        return _open_entry(recall, ref, context)
    raise InvalidInputError(
        f"{ref!r}: not a reference", hint="give a memory id (12), PATH:LINE, or an entry id"
    )


def _open_memory(recall: Recall, ref: str, number: int) -> Opened:
    memory = recall.memory(number) if number < 1 << 63 else None
    if memory is None:
        raise NotFoundError(f"no memory #{number}")
    opened = Opened(ref, OK)
    opened.memory = memory
    return opened


def _open_line(recall: Recall, ref: str, path: str, line: int, context: int) -> Opened:
    catalog = recall.open_catalog()
    row = catalog.by_path(path) if catalog else None
    place, status = (path, line), OK
    if row is not None and (row.path != path or not _is_unchanged(row)):
        place, status = _relocate(recall, catalog, row, path, line)
    elif not os.path.exists(path):
        status = GONE
    if status == GONE:
        return Opened(ref, GONE)
    return _opened(ref, status, place[0], place[1], context)


def _is_unchanged(row: File) -> bool:
    try:
        stat = os.stat(row.path)
    except OSError:
        return False
    return (row.size, row.mtime_ns, row.ino) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def _relocate(
    recall: Recall, catalog: Catalog | None, row: File, path: str, line: int
) -> tuple[tuple[str, int], str]:
    """Find the entry that stood at *line* when its file was indexed."""
    from clawa_search.search import anchors

    index = recall.open_index()
    stored: Stored | None = index.entry_at(row.id, line, row.next_seq) if index else None
    if stored is None:
        here = os.path.exists(path)
        return (path if here else row.path, line), OK if here else GONE
    if row.path == path and anchors.is_there(path, stored):
        return (path, line), OK
    for candidate in _files_of(catalog, row, recall):
        found = anchors.find_line(candidate, stored)
        if found:
            return (candidate, found), OK if (candidate, found) == (path, line) else RELOCATED
    return (path, line), GONE


def _files_of(catalog: Catalog | None, row: File, recall: Recall) -> list[str]:
    """Return where the session of *row* may be now: its path, its forks, a file of its name."""
    paths = [row.path]
    if catalog is not None and row.session_id:
        paths += [other.path for other in catalog.of_session(row.session_id)]
    if not any(os.path.exists(path) for path in paths):
        name = os.path.basename(row.path)
        files = recall.everything().files
        paths += [file.path for file in files if os.path.basename(file.path) == name]
        paths += [file.path for file in files if file.stat.st_ino == row.ino]
    return list(dict.fromkeys(paths))


def _opened(ref: str, status: str, path: str, line: int, context: int) -> Opened:
    from clawa_search.search.show import neighbours, open_line

    shown, tree = open_line(path, line)
    if shown is None or tree is None:
        return Opened(ref, GONE)
    opened = Opened(ref, status)
    opened.entry = shown
    if context:
        opened.context = neighbours(path, tree, line, context)
    return opened


def _open_entry(recall: Recall, entry_id: str, context: int) -> Opened:
    """Look an entry id up: in the current sessions first, then everywhere, newest file first."""
    from indexer.discover import newest

    needle = f'"id":"{entry_id}"'.encode()
    seen: set[str] = set()
    for listing in (recall.places.current_sessions(), recall.everything()):
        for found in newest(listing.files, len(listing.files)):
            if found.path in seen:
                continue
            seen.add(found.path)
            line = _line_of(found.path, needle)
            if line:
                opened = _opened(entry_id, OK, found.path, line, context)
                if opened.entry is not None and opened.entry.entry_id == entry_id:
                    return opened
    raise NotFoundError(f"no entry {entry_id!r} in any known session")


def _line_of(path: str, needle: bytes) -> int:
    """Return the number of the first line of the file that holds *needle* in its head, else 0."""
    from indexer.tail import read_lines

    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        for line in read_lines(fd, 0, 1, torn=True):
            if needle in line.raw[:400]:
                return line.number
            if needle in line.raw and not line.raw.startswith(b'{"type":"message"'):
                return line.number
    except OSError:
        return 0
    finally:
        os.close(fd)
    return 0
