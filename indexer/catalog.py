"""The catalog: which session files are in the index, and how far.

One small SQLite file beside the index. It is written after each commit of the index, so it
never claims more than the index holds; what the index holds beyond it is ignored by readers
and removed by the next writer (`indexer.ledger`).
"""

from __future__ import annotations

import _sqlite3
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Connection

    from indexer.status import Status

from indexer.discover import is_text
from indexer.entry import Session
from indexer.errors import IndexBrokenError
from indexer.probe import WHOLE_PROBE_BYTES, file_probe
from indexer.status import (
    INTEGER,
    NOT_SESSION,
    SESSION,
    STATUS,
    STATUS_COLUMNS,
    times_and_inode,
    told_row,
)

COLUMNS = (
    "id path dev ino size mtime_ns ctime_ns end next_line next_seq probe kind session_id cwd "
    "parent name started_ms last_ms last_id dead edited skipped skipped_line text_chars "
    "prior_chars"
).split()
TEXTS = frozenset({"path", "session_id", "cwd", "parent", "name", "last_id", "dead", "edited"})
SELECT = f"SELECT {', '.join(COLUMNS)} FROM files"
MADE_ANEW = "run `clawa-search reindex`, which builds a new index when needed"
HELD = "another program holds it: try again when that one is done"
CLOSED = "check the permissions of its folder, or use --index-dir"
HINTS = {
    _sqlite3.SQLITE_BUSY: HELD,
    _sqlite3.SQLITE_LOCKED: HELD,
    _sqlite3.SQLITE_PERM: CLOSED,
    _sqlite3.SQLITE_READONLY: CLOSED,
    _sqlite3.SQLITE_CANTOPEN: CLOSED,
}
MAX_SEEN, FEW_VALUES = 1000, 20
"""Answers that a reader keeps while the catalog stays as it is, each to so few values: a resident
process asks the same of it for every question."""


class File:
    """A row of the catalog; attribute names are `COLUMNS`.

    `end` is the byte offset past the last indexed LF; `next_line` (1-based) and `next_seq` (from
    0) are the numbers of the line and of the entry that come next; `probe` hashes bytes before
    `end`, and is empty when they cannot be trusted. `dead` names the lines (`3-9 12-12`) of
    entries that are not on the live branch. `text_chars` counts what was said so far,
    `prior_chars` what of it the session's own document holds.
    """

    __slots__ = tuple(COLUMNS)

    id: int
    path: str
    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int
    end: int
    next_line: int
    next_seq: int
    probe: bytes
    kind: int
    session_id: str
    cwd: str
    parent: str
    name: str
    started_ms: int
    last_ms: int
    last_id: str
    dead: str
    edited: str
    skipped: int
    skipped_line: int
    text_chars: int
    prior_chars: int

    def __init__(self, row: tuple[object, ...]) -> None:
        for name, value in zip(COLUMNS, row, strict=True):
            setattr(self, name, value)

    def row(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in COLUMNS)

    def session(self) -> Session:
        """Return what the file had said of itself up to its checkpoint."""
        session = Session()
        session.is_session = True if self.kind == SESSION and self.end else None
        session.session_id, session.cwd, session.parent = self.session_id, self.cwd, self.parent
        session.name, session.started_ms = self.name, self.started_ms
        session.last_id = self.last_id
        session.edited = set(self.edited.split())
        return session

    def keep(self, session: Session) -> None:
        """Record what the file says of itself."""
        self.kind = SESSION if session.is_session else NOT_SESSION
        self.session_id, self.cwd, self.parent = session.session_id, session.cwd, session.parent
        self.name, self.started_ms = session.name, session.started_ms
        self.last_id = session.last_id
        self.edited = " ".join(sorted(session.edited))

    def is_dead(self, line: int) -> bool:
        """Is the entry at *line* off the live branch, as far as the file is indexed?"""
        return any(first <= line <= last for first, last in self.dead_lines())

    def dead_lines(self) -> list[tuple[int, int]]:
        """Return the ranges of lines that `dead` names."""
        ranges = (part.partition("-") for part in self.dead.split())
        return [(int(first), int(last)) for first, _, last in ranges]

    def told(self) -> str:
        """Write the status as a snapshot holds it."""
        return told_row(tuple(getattr(self, name) for name in STATUS_COLUMNS))

    def saw(self, stat: os.stat_result) -> None:
        """Record the status that goes with the content now described."""
        self.dev, self.size = stat.st_dev & INTEGER, stat.st_size
        self.mtime_ns, self.ctime_ns, self.ino = times_and_inode(stat)

    def is_unchanged(self, stat: os.stat_result) -> bool:
        """Is the file, by its status alone, the one that was indexed?"""
        known = (self.mtime_ns, self.ctime_ns, self.ino)
        return self.size == stat.st_size and known == times_and_inode(stat)

    def may_continue(self, stat: os.stat_result) -> bool:
        """Could the file still begin with what was indexed, judged by its status?

        Up to 256 KiB the probe is a proof, whatever happened to the file (touched, copied back,
        rewritten with more). Beyond, it is a sample: only a file that grew in place may go on.
        """
        if self.end <= WHOLE_PROBE_BYTES:
            return stat.st_size >= self.end
        return stat.st_size > self.size and stat.st_ino & INTEGER == self.ino

    def continues(self, fd: int, stat: os.stat_result) -> bool:
        """Does the file still begin with the bytes that were indexed?

        Growth alone proves nothing (Pi rewrites whole files in place), so a probe is compared.

        Raises:
            OSError: the file cannot be read.
        """
        return self.may_continue(stat) and file_probe(fd, self.end) == self.probe

    def moved(self, fd: int, stat: os.stat_result) -> bool:
        """Is the file at another path this very file, only renamed?

        Raises:
            OSError: the file cannot be read.
        """
        here = (stat.st_dev & INTEGER, stat.st_ino & INTEGER, stat.st_mtime_ns & INTEGER)
        return (
            here == (self.dev, self.ino, self.mtime_ns)
            and stat.st_size == self.size
            and file_probe(fd, self.end) == self.probe
        )


def new_file(path: str) -> File:
    """Return the row of a file of which nothing is indexed yet (id 0)."""
    file = File(tuple("" if name in TEXTS else 0 for name in COLUMNS))
    file.path, file.probe = path, b""
    file.next_line = 1
    return file


class Catalog:
    """The open catalog of one generation of the index, for reading."""

    MODE = "ro"
    is_frozen = False
    _version = 0

    def __init__(self, path: str) -> None:
        """Open the catalog at *path*; what should be there is never made.

        Raises:
            IndexBrokenError: it is not there.
        """
        self.path = path
        self._seen: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
        self.db = self._open(self.MODE)

    def _open(self, mode: str) -> Connection:
        uri = f"file:{uri_path(self.path)}?mode={mode}"
        try:
            db: Connection = _sqlite3.connect(uri, 5.0, isolation_level=None, uri=True)
        except _sqlite3.Error as error:
            raise self.broken(error) from error
        return db

    def broken(self, error: Exception) -> IndexBrokenError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        hint = HINTS.get(code, MADE_ANEW)
        if code == _sqlite3.SQLITE_CANTOPEN and not os.path.lexists(self.path):
            hint = MADE_ANEW
        return IndexBrokenError(f"{self.path}: the catalog of the index: {error}", hint=hint)

    def close(self) -> None:
        self.db.close()

    def hold(self) -> None:
        """Read the catalog as it is now until `release`, whatever a writer records meanwhile.

        An index opened after this holds at least what the catalog says.
        """
        self.release()
        self.select("BEGIN")
        version = int(str(self.select("PRAGMA data_version")[0][0]))  # begins the reading
        if version != self._version:
            self._seen.clear()
            self._version = version

    def release(self) -> None:
        if self.db.in_transaction:
            self.select("ROLLBACK")

    def _held(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """Do as `select`; of a catalog that is held, nothing is read twice until it changes."""
        if len(values) > FEW_VALUES or not self._version or not self.db.in_transaction:
            return self.select(sql, values)
        key = (sql, *values)
        if key not in self._seen:
            if len(self._seen) >= MAX_SEEN:
                self._seen.clear()
            self._seen[key] = self.select(sql, values)
        return self._seen[key]

    def select(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        try:
            return self.db.execute(sql, values).fetchall()
        except _sqlite3.Error as error:
            if self.MODE != "ro" or self.is_frozen or not self._freeze(error):
                raise self.broken(error) from error
            return self.select(sql, values)
        except UnicodeEncodeError:  # asked for a path that is no Unicode: it is never recorded
            return []

    def _freeze(self, error: Exception) -> bool:
        """Open the catalog again as one that nobody can change, if that is so."""
        from indexer.frozen import may_freeze

        if not may_freeze(self.path, error):
            return False
        self.db.close()
        self._seen.clear()
        self._version = 0
        self.db = self._open("ro&immutable=1")
        self.is_frozen = True
        return True

    def statuses(self) -> dict[str, Status]:
        """Return the status row of every file by its path."""
        return _by_path(self.select(STATUS))

    def told(self) -> dict[str, str]:
        """Return the status of every file by its path, as a snapshot holds it."""
        return {path: told_row(status) for path, status in self.statuses().items()}

    def statuses_of(self, paths: list[str]) -> dict[str, Status]:
        """Return the status rows of those of *paths* that are known, by path."""
        paths = list(filter(is_text, paths))
        found: dict[str, Status] = {}
        for at in range(0, len(paths), 500):
            some = tuple(paths[at : at + 500])
            marks = ",".join("?" * len(some))
            found |= _by_path(self._held(f"{STATUS} WHERE path IN ({marks})", *some))
        return found

    def by_path(self, path: str) -> File | None:
        """Return the row of *path*, also when that is where the file was before it moved."""
        rows = self._files(" WHERE path = ?", path) or self._files(
            " WHERE id = (SELECT id FROM moves WHERE path = ?)", path
        )
        return rows[0] if rows else None

    def by_id(self, number: int) -> File | None:
        rows = self._files(" WHERE id = ?", number)
        return rows[0] if rows else None

    def of_session(self, session_id: str) -> list[File]:
        return self._files(" WHERE session_id = ?", session_id)

    def _files(self, where: str, value: object) -> list[File]:
        return [File(row) for row in self._held(SELECT + where, value)]

    def ids_of_project(self, names: Sequence[str], among: list[int]) -> list[int]:
        """Return those of *among* whose cwd is the folder of one of *names*, or below it."""
        wanted: set[object] = set()
        for name in names:
            below = name.rstrip("/") + "/"
            rows = self.select(
                "SELECT id FROM files WHERE cwd = ? OR substr(cwd, 1, ?) = ?",
                (name, len(below), below),
            )
            wanted.update(row[0] for row in rows)
        return [number for number in among if number in wanted]

    def roots(self) -> list[str]:
        return [str(row[0]) for row in self._held("SELECT path FROM roots ORDER BY path")]

    def holds_below(self, folder: str) -> bool:
        """Is any session of the folder *folder* in the index?"""
        rows = self._held(
            "SELECT 1 FROM files WHERE path > ? AND path < ? AND kind = ? LIMIT 1",
            *(f"{folder}/", f"{folder}0", SESSION),  # `0` follows `/`
        )
        return bool(rows)

    def number(self, key: str) -> int:
        """Return a number of the table `meta`, 0 when it is not there."""
        rows = self._held("SELECT value FROM meta WHERE key = ?", key)
        return int(str(rows[0][0])) if rows else 0

    def totals(self) -> dict[str, int | None]:
        """Return counts of sessions and entries, and the time of the newest entry."""
        rows = self.select(
            "SELECT count(*), total(next_seq), max(last_ms) FROM files WHERE kind = ?", (SESSION,)
        )
        sessions, entries, newest = (int(str(value or 0).partition(".")[0]) for value in rows[0])
        return {"sessions": sessions, "entries": entries, "newest_indexed_ms": newest or None}


def _by_path(rows: list[tuple[object, ...]]) -> dict[str, Status]:
    return {row[0]: row for row in rows}  # type: ignore[misc]


def uri_path(path: str) -> str:
    """Quote *path* for an SQLite URI."""
    for character in "%?#":
        path = path.replace(character, f"%{ord(character):02X}")
    return path
