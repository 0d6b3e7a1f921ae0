"""Open what a reference names: a memory, `path:line`, or an entry id."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clawa_search.memory.record import Memory
    from clawa_search.recall import Recall
    from clawa_search.search.show import Shown
    from indexer.catalog import Catalog, File
    from indexer.schema import Stored

from clawa_search.errors import IndexBrokenError, InvalidInputError, NotFoundError
from indexer.status import tells_gone

OK, RELOCATED, GONE = "ok", "relocated", "gone"
MAX_CONTEXT = 50
MAX_ID = 1 << 63
MAX_LINE = 1 << 40
ID_SIGNS = "_-."
BLOCK_BYTES = 4 << 20
HEAD_BYTES = 4096


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
    if "\0" in ref:
        raise InvalidInputError("a reference holds no NUL")
    if not 0 <= context <= MAX_CONTEXT:
        raise InvalidInputError(f"context: not a number from 0 to {MAX_CONTEXT}: {context}")
    number = ref.removeprefix("mem:").removeprefix("#")
    digits = number.removeprefix("-") if number != ref else number  # other programs give any id
    if digits.isascii() and digits.isdigit():
        return _open_number(recall, ref, number, context)
    path, _, line = ref.rpartition(":")
    if path and line.isascii() and line.isdigit() and len(line) < len(str(MAX_LINE)):
        return _open_line(recall, ref, recall.places.absolute(path), int(line), context)
    if _is_entry_id(ref):
        opened = _open_entry(recall, ref, context)
        if opened is None:
            raise NotFoundError(f"there is no entry {ref} in any known session")
        return opened
    raise InvalidInputError(
        f"{ref!r}: not a reference", hint="give a memory id (12), PATH:LINE, or an entry id"
    )


def _is_entry_id(ref: str) -> bool:
    return bool(ref) and ref.isascii() and all(sign.isalnum() or sign in ID_SIGNS for sign in ref)


def _open_number(recall: Recall, ref: str, number: str, context: int) -> Opened:
    """Open a memory; eight bare digits may also be the id of an entry, as 1 in 43 is."""
    memory = recall.memory(int(number)) if len(number) <= 20 and int(number) < MAX_ID else None
    if memory is not None:
        opened = Opened(ref, OK)
        opened.memory = memory
        return opened
    found = _open_entry(recall, ref, context) if ref == number and len(ref) >= 8 else None
    if found is not None:
        return found
    from clawa_search.memory.writing import unknown

    raise unknown(number)


def _open_line(recall: Recall, ref: str, path: str, line: int, context: int) -> Opened:
    place, status = (path, line), GONE if _is_missing(path) else OK
    try:
        catalog = recall.open_catalog()
        row = catalog.by_path(path) if catalog else None
        # Where a moved file was, another one may stand by now: then that is meant.
        if row is not None and row.path != path and status == OK:
            row = None
        if catalog is not None and row is not None and not _is_unchanged(row, path):
            place, status = _find(recall, catalog, row, path, line)
    except IndexBrokenError:  # the file can be read all the same
        recall.close_index()
    except OSError as error:
        raise _unreadable(error.filename or path) from error
    opened = Opened(ref, status)
    return opened if status == GONE else _filled(opened, *place, context)


def _is_missing(path: str) -> bool:
    try:
        os.stat(path)
    except OSError as error:
        return tells_gone(error)
    return False


def _is_unchanged(row: File, path: str) -> bool:
    try:
        return row.path == path and row.is_unchanged(os.stat(path))
    except OSError:
        return False


def _find(
    recall: Recall, catalog: Catalog, row: File, path: str, line: int
) -> tuple[tuple[str, int], str]:
    """Find what stood at *line* when its file was indexed, wherever it stands now."""
    from clawa_search.search import anchors

    index = recall.open_index()
    stored: Stored | None = index.entry_at(row.id, line, row.next_seq) if index else None
    if stored is None:  # nothing that was said stood there: it can only be taken as it is now
        return (path, line), GONE if _is_missing(path) else OK
    if anchors.is_there(path, stored):
        return (path, line), OK
    for candidate in _places(recall, catalog, row):
        found = anchors.find_line(candidate, stored)
        if found:
            return (candidate, found), OK if (candidate, found) == (path, line) else RELOCATED
    return (path, line), GONE


def _places(recall: Recall, catalog: Catalog, row: File) -> Iterator[str]:
    """Yield where the session of *row* may be now: its path, its copies, files not indexed yet."""
    paths = [row.path]
    if row.session_id:
        paths += [other.path for other in catalog.of_session(row.session_id)]
    yield from dict.fromkeys(paths)
    name = os.path.basename(row.path)
    known = catalog.statuses()
    for file in recall.everything().files:
        if file.path not in known and (
            os.path.basename(file.path) == name or _head_holds(file.path, row.session_id)
        ):
            yield file.path


def _head_holds(path: str, session_id: str) -> bool:
    try:
        with open(path, "rb") as file:
            return f'"{session_id}"'.encode() in file.read(HEAD_BYTES)
    except OSError:
        return False


def _filled(opened: Opened, path: str, line: int, context: int) -> Opened:
    """Read the entry at *line*, and *context* entries around it.

    Raises:
        NotFoundError: there is no entry.
    """
    from clawa_search.search.show import neighbours, open_line

    shown, tree = open_line(path, line)
    if shown is None or tree is None:
        if not os.access(path, os.R_OK):
            raise _unreadable(path)
        why = "no entry stands there" if os.path.isfile(path) else "is no session file"
        raise NotFoundError(f"{path}:{line}: {why}")
    opened.entry = shown
    if context:
        opened.context = neighbours(path, tree, line, context)
    return opened


def _unreadable(path: str) -> NotFoundError:
    return NotFoundError(f"{path}: cannot be read", hint="set its permissions, and its folder's")


def _open_entry(recall: Recall, entry_id: str, context: int) -> Opened | None:
    """Look an entry id up: in the current sessions first, then everywhere, newest file first."""
    for path in _newest_paths(recall):
        line = _line_of(path, entry_id)
        if line:
            return _filled(Opened(entry_id, OK), path, line, context)
    return None


def _newest_paths(recall: Recall) -> Iterable[str]:
    from indexer.discover import newest

    seen: set[str] = set()
    for make in (recall.places.current_sessions, recall.everything):
        files = make().files
        for found in newest(files, len(files)):
            if found.path not in seen:
                seen.add(found.path)
                yield found.path


def _line_of(path: str, entry_id: str) -> int:
    """Return the number of the line whose entry has this id, 0 when the file has none."""
    from clawa_search.search.show import shown_line
    from indexer.tail import open_lines, read_lines

    quoted = f'"{entry_id}"'.encode()
    try:
        fd = open_lines(path)
    except OSError:
        return 0
    try:
        if not _holds(fd, quoted):
            return 0
        for line in read_lines(fd, 0, 1, torn=True):
            # Its children name it, too: only reading the line tells.
            if quoted in line.raw and not line.cut:
                shown = shown_line(path, line.number, line.raw)
                if shown is not None and shown.entry_id == entry_id:
                    return line.number
    except OSError:
        return 0
    finally:
        os.close(fd)
    return 0


def _holds(fd: int, needle: bytes) -> bool:
    """Tell whether the file holds *needle*: much faster than reading it line by line."""
    position = 0
    while block := os.pread(fd, BLOCK_BYTES, position):
        if needle in block:
            return True
        if len(block) < BLOCK_BYTES:
            return False
        position += len(block) - len(needle)
    return False
