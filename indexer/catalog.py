"""The catalog: which session files are in the index, and how far.

One small SQLite file beside the index. It is written after each commit of the index, so it
never claims more than the index holds; what the index holds beyond it is ignored by readers
and removed by the next writer.
"""

from __future__ import annotations

import _sqlite3
import os
from _blake2 import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

from indexer.entry import Session
from indexer.errors import IndexBrokenError

SCHEMA = """
CREATE TABLE IF NOT EXISTS files(
  id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE,
  dev INTEGER NOT NULL, ino INTEGER NOT NULL, size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL,
  end INTEGER NOT NULL, next_line INTEGER NOT NULL, next_seq INTEGER NOT NULL,
  probe BLOB NOT NULL, kind INTEGER NOT NULL,
  session_id TEXT NOT NULL, cwd TEXT NOT NULL, parent TEXT NOT NULL, name TEXT NOT NULL,
  started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, last_id TEXT NOT NULL,
  linear INTEGER NOT NULL, edited TEXT NOT NULL,
  entries INTEGER NOT NULL, skipped INTEGER NOT NULL, skipped_line INTEGER NOT NULL,
  text_bytes INTEGER NOT NULL, prior_bytes INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS roots(path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moves(path TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""
COLUMNS = (
    "id path dev ino size mtime_ns ctime_ns end next_line next_seq probe kind session_id cwd "
    "parent name started_ms last_ms last_id linear edited entries skipped skipped_line text_bytes "
    "prior_bytes"
).split()
SELECT = f"SELECT {', '.join(COLUMNS)} FROM files"
UPSERT = (
    f"INSERT OR REPLACE INTO files({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"
)

STATUS = "SELECT path, size, mtime_ns, ctime_ns, ino, kind, id, skipped, skipped_line FROM files"
Status = tuple[str, int, int, int, int, int, int, int, int]
"""A row of STATUS: enough to tell what changed, and made 10,000 times in a run that does nothing."""

SESSION, NOT_SESSION, FAILED = 1, 0, 2
"""`kind`: a session; some other `*.jsonl`; could not be read at the last attempt."""

WHOLE_PROBE_BYTES = 1 << 20
PROBE_BLOCK_BYTES = 4096
PROBE_SAMPLES = 32


class File:
    """A row of the catalog; attribute names are `COLUMNS`.

    `end` is the byte offset past the last indexed LF, `next_line` and `next_seq` are the
    numbers of the line and of the entry that come next; `probe` hashes bytes before `end`.
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
    linear: int
    edited: str
    entries: int
    skipped: int
    skipped_line: int
    text_bytes: int
    prior_bytes: int

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
        session.last_id, session.linear = self.last_id, bool(self.linear)
        session.edited = set(self.edited.split())
        return session

    def keep(self, session: Session) -> None:
        """Record what the file says of itself."""
        self.kind = SESSION if session.is_session else NOT_SESSION
        self.session_id, self.cwd, self.parent = session.session_id, session.cwd, session.parent
        self.name, self.started_ms = session.name, session.started_ms
        self.last_id, self.linear = session.last_id, int(session.linear)
        self.edited = " ".join(sorted(session.edited))

    def saw(self, stat: os.stat_result) -> None:
        """Record the status that goes with the content now described."""
        self.dev, self.ino, self.size = stat.st_dev, stat.st_ino, stat.st_size
        self.mtime_ns, self.ctime_ns = stat.st_mtime_ns, stat.st_ctime_ns

    def grew(self, fd: int, stat: os.stat_result) -> bool:
        """Does the file still begin with the bytes that were indexed?

        Growth alone proves nothing (Pi rewrites whole files in place), so a probe is compared:
        everything up to 1 MiB, beyond that both ends and 32 blocks between. A file that
        changed without growing, or that is another inode, counts as rewritten.

        Raises:
            OSError: the file cannot be read.
        """
        if stat.st_size <= self.size or stat.st_ino != self.ino:
            return False
        return probe(fd, self.end) == self.probe

    def moved(self, fd: int, stat: os.stat_result) -> bool:
        """Is the file at another path this very file, only renamed?

        Raises:
            OSError: the file cannot be read.
        """
        return (
            (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)
            == (self.dev, self.ino, self.size, self.mtime_ns)
        ) and probe(fd, self.end) == self.probe


def unchanged(status: Status, stat: os.stat_result) -> bool:
    """Is the file, by its status alone, the one that was indexed?

    ctime_ns is part of it: a rewrite of equal size whose mtime was put back has it new.
    """
    return status[1:5] == (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def new_file(path: str) -> File:
    """Return the row of a file of which nothing is indexed yet (id 0)."""
    row: list[object] = [0] * len(COLUMNS)
    for text in ("path", "session_id", "cwd", "parent", "name", "last_id", "edited"):
        row[COLUMNS.index(text)] = ""
    row[COLUMNS.index("path")] = path
    row[COLUMNS.index("probe")] = b""
    row[COLUMNS.index("next_line")] = 1
    row[COLUMNS.index("linear")] = 1
    return File(tuple(row))


def probe(fd: int, end: int) -> bytes:
    """Hash samples of the first *end* bytes: everything up to 1 MiB, 34 blocks beyond."""
    digest = blake2b(end.to_bytes(8, "big"), digest_size=16)
    if end <= WHOLE_PROBE_BYTES:
        digest.update(os.pread(fd, end, 0))
        return digest.digest()
    step = (end - PROBE_BLOCK_BYTES) // (PROBE_SAMPLES + 1)
    for number in range(PROBE_SAMPLES + 1):
        digest.update(os.pread(fd, PROBE_BLOCK_BYTES, number * step))
    digest.update(os.pread(fd, PROBE_BLOCK_BYTES, end - PROBE_BLOCK_BYTES))
    return digest.digest()


class Catalog:
    """The open catalog of one generation of the index."""

    def __init__(self, path: str, *, write: bool = False) -> None:
        """Open the catalog at *path*.

        Raises:
            IndexBrokenError: it is not there (reading), or not a catalog.
        """
        self.path = path
        try:
            if write:
                self.db: Connection = _sqlite3.connect(path, timeout=5.0, isolation_level=None)
                self.db.execute("PRAGMA journal_mode=WAL")
                self.db.execute("PRAGMA synchronous=FULL")
                for statement in SCHEMA.split(";"):
                    self.db.execute(statement)
            else:
                self.db = _sqlite3.connect(
                    f"file:{uri_path(path)}?mode=ro", timeout=5.0, isolation_level=None, uri=True
                )
        except _sqlite3.Error as error:
            raise IndexBrokenError(f"{path}: {error}") from error

    def close(self) -> None:
        self.db.close()

    def statuses(self) -> dict[str, Status]:
        """Return the status row of every file by its path."""
        try:
            return {row[0]: row for row in self.db.execute(STATUS)}
        except _sqlite3.Error as error:
            raise IndexBrokenError(f"{self.path}: {error}") from error

    def status_of(self, path: str) -> Status | None:
        try:
            row: Status | None = self.db.execute(STATUS + " WHERE path = ?", (path,)).fetchone()
        except _sqlite3.Error as error:
            raise IndexBrokenError(f"{self.path}: {error}") from error
        return row

    def ids_of_project(self, project: str, among: list[int]) -> list[int]:
        """Return those of *among* whose cwd is the folder *project* or below it."""
        below = project.rstrip("/") + "/"
        rows = self.db.execute(
            "SELECT id FROM files WHERE cwd = ? OR substr(cwd, 1, ?) = ?",
            (project, len(below), below),
        )
        wanted = {row[0] for row in rows}
        return [number for number in among if number in wanted]

    def ids(self) -> list[int]:
        return [row[0] for row in self.db.execute("SELECT id FROM files")]

    def by_path(self, path: str) -> File | None:
        """Return the row of *path*, also when that is where the file was before it moved."""
        rows = self._rows(SELECT + " WHERE path = ?", (path,)) or self._rows(
            SELECT + " WHERE id = (SELECT id FROM moves WHERE path = ?)", (path,)
        )
        return rows[0] if rows else None

    def of_session(self, session_id: str) -> list[File]:
        return self._rows(SELECT + " WHERE session_id = ?", (session_id,))

    def moved(self, old_path: str, file_id: int) -> None:
        """Remember where a file was, so that an old anchor still opens."""
        self.db.execute("INSERT OR REPLACE INTO moves VALUES(?, ?)", (old_path, file_id))

    def by_id(self, number: int) -> File | None:
        rows = self._rows(SELECT + " WHERE id = ?", (number,))
        return rows[0] if rows else None

    def _rows(self, sql: str, values: tuple[object, ...] = ()) -> list[File]:
        try:
            return [File(row) for row in self.db.execute(sql, values)]
        except _sqlite3.Error as error:
            raise IndexBrokenError(f"{self.path}: {error}") from error

    def roots(self) -> list[str]:
        try:
            return [str(row[0]) for row in self.db.execute("SELECT path FROM roots ORDER BY path")]
        except _sqlite3.Error as error:
            raise IndexBrokenError(f"{self.path}: {error}") from error

    def get(self, key: str) -> int:
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0

    def totals(self) -> dict[str, int | None]:
        """Return counts of sessions and entries, and the time of the newest entry."""
        row = self.db.execute(
            "SELECT count(*), total(entries), max(last_ms) FROM files WHERE kind = ?", (SESSION,)
        ).fetchone()
        return {
            "sessions": row[0],
            "entries": int(row[1]),
            "newest_indexed_ms": row[2] or None,
        }

    def lost_ids(self) -> tuple[int, int]:
        """Return the range [first, stop) of file ids that an unfinished pass had reserved."""
        first = self.get("writing")
        return (first, self.get("next_id")) if first else (0, 0)

    def begin(self, new_files: int) -> int:
        """Mark that the index may soon hold more than the catalog says.

        Returns:
            The first of *new_files* ids that no file ever had, not even one whose commit
            was lost.
        """
        first = max(self.get("next_id"), 1)
        self.db.execute("BEGIN IMMEDIATE")
        set_value = "INSERT OR REPLACE INTO meta VALUES(?, ?)"
        self.db.execute(set_value, ("writing", first))
        self.db.execute(set_value, ("next_id", first + new_files))
        self.db.execute("COMMIT")
        return first

    def save(self, changed: list[File], gone: list[File], *, done: bool) -> None:
        """Record what the index now holds, in one transaction.

        Args:
            changed: files as they now stand.
            gone: files that are no longer in the index.
            done: nothing is left that the index holds beyond the catalog.
        """
        db = self.db
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM files WHERE id = ?", [(file.id,) for file in gone])
        # A path may have changed hands between two files of the same batch.
        db.executemany("DELETE FROM files WHERE path = ?", [(file.path,) for file in changed])
        db.executemany(UPSERT, [file.row() for file in changed])
        if done:
            db.execute("INSERT OR REPLACE INTO meta VALUES('writing', 0)")
        db.execute("COMMIT")

    def add_roots(self, roots: list[str]) -> None:
        known = set(self.roots())
        new = [(root,) for root in roots if root not in known]
        if new:
            self.db.executemany("INSERT OR IGNORE INTO roots VALUES(?)", new)


def uri_path(path: str) -> str:
    """Quote *path* for an SQLite URI."""
    for character in "%?#":
        path = path.replace(character, f"%{ord(character):02X}")
    return path
