"""Lines that the index does not hold yet, read in memory.

An entry can be recalled the instant it is written, without the writer's lock.
"""

from __future__ import annotations

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from clawa_search.search.clauses import Filter
    from clawa_search.search.query import Query
    from indexer.catalog import Catalog, File
    from indexer.discover import Found
    from indexer.entry import Entry, Line, Session
    from indexer.status import Status

from clawa_search.search.scope import Fresh
from indexer import analysis
from indexer.schema import SEQ_BITS, twin
from indexer.status import SESSION

MAX_BYTES = 32 << 20
"""What one recall reads of files that are not indexed; the rest is named in a note."""
PREFILTER_BYTES = 1 << 20
"""From here on entries are first tested for a piece of any word, before they are analysed."""
TORN_S = 60
"""A file that nobody wrote to for so long ends as it is: a torn last line is an unreadable one."""
VANISHED = "moved or deleted while it was asked for: ask again"
NEW_FILE_IDS = 1 << 38
MIN_NEEDLE = 2
"""Characters: a shorter one stands in nearly every text."""
SHORT_STEMS = frozenset({"die", "lie", "tie"})
"""Stems that share less than their first letters with their words (dying)."""


class FreshEntry:
    """An entry read in memory, with what scoring and showing it need."""

    __slots__ = ("codes", "entry", "file", "line", "mid", "tokens", "twin")

    def __init__(self, mid: int, entry: Entry, line: Line, file: FreshFile) -> None:
        self.mid = mid
        self.entry = entry
        self.line = line
        self.file = file
        self.twin = twin(entry.role, entry.text)
        self.tokens: list[str] | None = None
        self.codes: frozenset[str] = frozenset()

    def analyse(self) -> list[str]:
        if self.tokens is None:
            expanded, codes = analysis.analyse(self.entry.text)
            self.tokens = analysis.analyzer().analyze(expanded)
            self.codes = frozenset(codes.split())
        return self.tokens

    def is_wanted(self, query: Query, scope: Filter) -> bool:
        """Do the filters let it through? Words are not looked at."""
        said = self.entry
        if scope.roles and said.role not in scope.roles:
            return False
        if scope.since_ms is not None and said.ts_ms < scope.since_ms:
            return False
        if scope.until_ms is not None and not 0 <= said.ts_ms <= scope.until_ms:
            return False
        if query.phrases or query.excluded:
            tokens = self.analyse()
            if not all(word.matches(tokens, self.codes) for word in query.phrases):
                return False
            return not any(word.matches(tokens, self.codes) for word in query.excluded)
        return True


class FreshFile:
    """A file, or its tail, as read in memory.

    Attributes:
        known: file id of the entries that the index holds and that still count, or 0.
        session: what the file says of itself.
        skipped, skipped_line: unreadable lines of this part.
    """

    __slots__ = ("entries", "known", "path", "session", "skipped", "skipped_line")

    def __init__(self, path: str, session: Session, known: int) -> None:
        self.path = path
        self.session = session
        self.known = known
        self.entries: list[FreshEntry] = []
        self.skipped = 0
        self.skipped_line = 0


def pending_bytes(fresh: Sequence[tuple[Found, Status | None]], book: Catalog | None) -> int:
    """Return how much there is to read: tails of known files, whole new ones."""
    total = 0
    for found, status in fresh:
        row = book.by_id(status[6]) if status is not None and book is not None else None
        if row is not None and row.may_continue(found.stat):
            # What is no session does not become one by growing: its first line decides.
            total += found.stat.st_size - row.end if row.kind == SESSION else 0
        else:
            total += found.stat.st_size
    return total


def read_fresh(
    fresh: Sequence[tuple[Found, Status | None]],
    book: Catalog | None,
    projects: tuple[str, ...] = (),
) -> Fresh:
    """Read what the index lacks, newest files first, up to MAX_BYTES."""
    result = Fresh()
    budget = MAX_BYTES
    for number, (found, status) in enumerate(
        sorted(fresh, key=lambda item: -item[0].stat.st_mtime_ns)
    ):
        row = book.by_id(status[6]) if status is not None and book is not None else None
        try:
            fd = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                result.unread.append((found.path, f"cannot be read: {error.strerror}"))
                continue
            result.unread.append((found.path, VANISHED))
            if row is not None:
                result.stale_ids.append(row.id)
            continue
        try:
            budget -= _read_file(result, fd, found, row, NEW_FILE_IDS + number, budget, projects)
        except OSError as error:
            result.unread.append((found.path, f"cannot be read: {error.strerror}"))
        finally:
            os.close(fd)
    return result


def _read_file(
    result: Fresh,
    fd: int,
    found: Found,
    row: File | None,
    new_id: int,
    budget: int,
    projects: tuple[str, ...],
) -> int:
    now = os.fstat(fd)
    size = now.st_size if stat.S_ISREG(now.st_mode) else 0
    if row is not None and row.kind != SESSION:
        row = None
    if row is not None and not (row.is_unchanged(now) or row.continues(fd, now)):
        result.stale_ids.append(row.id)
        result.rewritten = True
        row = None
    begin = row.end if row is not None else 0
    if size - begin > budget:
        result.left_bytes += size - begin
        result.left_files += 1
        return 0
    is_left = time.time() - now.st_mtime > TORN_S
    read = _read_lines(fd, found.path, row, new_id, size, is_left=is_left)
    if read is None:
        result.others.append(found.path)
    elif is_in(read.session.cwd, projects):
        result.files.append(read)
        if read.skipped:
            from indexer.report import skipped_note

            result.unread.append((read.path, skipped_note(read.skipped, read.skipped_line)))
    return size - begin


def is_in(cwd: str, projects: tuple[str, ...]) -> bool:
    return not projects or any(
        cwd == project or cwd.startswith(project.rstrip("/") + "/") for project in projects
    )


def _read_lines(
    fd: int, path: str, row: File | None, new_id: int, size: int, *, is_left: bool
) -> FreshFile | None:
    """Read what the index lacks of a file; None when it is no session.

    Args:
        is_left: nobody is writing any more, so that a torn last line stays what it is.
    """
    from indexer.formats.parse import Malformed, fast_loads, strict_loads
    from indexer.formats.pi import Reader
    from indexer.tail import read_lines

    begin, number, seq, file_id = (
        (row.end, row.next_line, row.next_seq, row.id) if row is not None else (0, 1, 0, new_id)
    )
    loads = fast_loads() if size - begin > 4 << 20 else strict_loads
    reader = Reader(row.session() if row is not None else None, loads)
    file = FreshFile(path, reader.session, row.id if row is not None else 0)
    for line in read_lines(fd, begin, number, size, torn=True):
        try:
            entries = reader.read(line)
        except Malformed:
            if is_left or line.offset + line.size < size:  # else it is still being written
                file.skipped += 1
                file.skipped_line = file.skipped_line or line.number
            continue
        if reader.session.is_session is False:
            return None
        for entry in entries:
            line.forget_bytes()
            file.entries.append(FreshEntry(file_id << SEQ_BITS | seq, entry, line, file))
            seq += 1
    return file if reader.session.is_session else None


def matching(files: Sequence[FreshFile], query: Query, scope: Filter) -> list[FreshEntry]:
    """Return the entries that match the query and the filters."""
    size = sum(len(entry.entry.text) for file in files for entry in file.entries)
    needles = _needles(query) if size > PREFILTER_BYTES else None
    found = []
    for file in files:
        for entry in file.entries:
            if needles is not None and not _may_match(entry.entry.text, needles):
                continue
            if not entry.is_wanted(query, scope):
                continue
            tokens = entry.analyse()
            if query.phrases or query.matches(tokens, entry.codes):
                found.append(entry)
    return found


def _needles(query: Query) -> list[str] | None:
    """Return pieces of which a matching ASCII text must hold one; None when nobody can tell."""
    needles: list[str] = []
    for word in query.phrases + query.words:
        needles += [_piece(max(tokens, key=len)) for tokens, _ in word.written]
        needles += [form.lstrip("~") for form in word.codes]
    if any(len(needle) < MIN_NEEDLE or not needle.isascii() for needle in needles):
        return None
    return needles or None


def _piece(stem: str) -> str:
    """Return what every word of *stem* holds: longer stems differ from their words at the end."""
    if len(stem) <= MIN_NEEDLE:
        return stem
    return "" if stem in SHORT_STEMS else stem[:-1]


def _may_match(text: str, needles: list[str]) -> bool:
    if not text.isascii():
        return True
    lower = text.lower()
    if any(needle in lower for needle in needles):
        return True
    flat = lower.replace("_", "").replace("-", "").replace("/", "").replace(".", "")
    return any(needle in flat for needle in needles)
