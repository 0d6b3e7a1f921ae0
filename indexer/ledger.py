"""The catalog as its one writer sees it: what a pass may have left, and what the index holds now.

`meta` holds three numbers: `next_id`, the file id that no file ever had; `writing`, not 0 from
the moment when a pass reserves ids until its last commit is recorded; `signature`, see
`layout.signature`.
"""

from __future__ import annotations

import _sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.catalog import File

from indexer.catalog import COLUMNS, TEXTS, Catalog

_TYPES = {name: "TEXT" if name in TEXTS else "INTEGER" for name in COLUMNS} | {
    "id": "INTEGER PRIMARY KEY",
    "path": "TEXT UNIQUE",
    "probe": "BLOB",
}
SCHEMA = f"""
CREATE TABLE files({", ".join(f"{name} {_TYPES[name]} NOT NULL" for name in COLUMNS)});
CREATE TABLE roots(path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE moves(path TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID
"""
REPLACE = (
    f"INSERT OR REPLACE INTO files({', '.join(COLUMNS)}) VALUES({', '.join('?' * len(COLUMNS))})"
)
SET_NUMBER = "INSERT OR REPLACE INTO meta VALUES(?, ?)"


class Ledger(Catalog):
    """The open catalog, for the writer that holds `store.WriterLock`."""

    MODE = "rw"

    def create(self) -> None:
        """Make the tables of a new generation."""
        self.select("PRAGMA journal_mode=WAL")
        for statement in SCHEMA.split(";"):
            self.select(statement)

    def close(self) -> None:
        """Close it, and empty its journal unless a question is being answered just now.

        The last one to close would do it, but readers that stay open only read.
        """
        try:
            self.db.execute("PRAGMA busy_timeout = 0")
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except _sqlite3.Error:
            pass
        super().close()

    def lost_ids(self) -> list[int]:
        """Return the file ids that an unfinished pass may have used in the index alone."""
        first = self.number("writing")
        if not first:
            return []
        known = {row[0] for row in self.select("SELECT id FROM files WHERE id >= ?", (first,))}
        return [number for number in range(first, self.number("next_id")) if number not in known]

    def begin(self, new_files: int) -> int:
        """Mark that the index may soon hold files that the catalog does not name.

        What an earlier pass had marked stays marked: its files are still in the index until
        the next commit.

        Returns:
            The first of *new_files* ids that no file ever had, not even one whose commit
            was lost.
        """
        first = max(self.number("next_id"), 1)
        numbers = [("writing", self.number("writing") or first), ("next_id", first + new_files)]
        self._write([(SET_NUMBER, numbers)])
        return first

    def void(self, ids: Iterable[int]) -> None:
        """Let no status vouch any more for files whose entries are about to go.

        The commit of the index and the record of it are two; when the second is lost, and the
        file comes back as it was, it would count as indexed for ever.
        """
        sql = "UPDATE files SET ctime_ns = -1, probe = x'' WHERE id = ?"
        self._write([(sql, [(number,) for number in ids])])

    def save(
        self,
        changed: Sequence[File],
        gone: Sequence[File],
        moves: Sequence[tuple[str, int]],
        *,
        done: bool,
    ) -> None:
        """Record what the index now holds, in one transaction.

        Args:
            changed: files as they now stand.
            gone: files that are no longer in the index.
            moves: where a renamed file was, and its id: an old anchor still opens.
            done: the index holds no file beyond the catalog any more.
        """
        lost = [(file.id,) for file in gone]
        self._write(
            [
                ("DELETE FROM files WHERE id = ?", lost),
                ("DELETE FROM moves WHERE id = ?", lost),
                ("DELETE FROM roots WHERE path = ?", [(file.path,) for file in gone]),
                # A path may have changed hands between two files of the same batch.
                ("DELETE FROM files WHERE path = ?", [(file.path,) for file in changed]),
                (REPLACE, [file.row() for file in changed]),
                ("DELETE FROM moves WHERE path = ?", [(file.path,) for file in changed]),
                ("INSERT OR REPLACE INTO moves VALUES(?, ?)", moves),
                (SET_NUMBER, [("writing", 0)] if done else []),
            ]
        )

    def add_roots(self, roots: Iterable[str]) -> None:
        known = set(self.roots())
        new = [(root,) for root in roots if root not in known]
        if new:
            self._write([("INSERT OR IGNORE INTO roots VALUES(?)", new)])

    def sign(self, signature: int) -> None:
        self._write([(SET_NUMBER, [("signature", signature)])])

    def _write(self, statements: Sequence[tuple[str, Sequence[tuple[object, ...]]]]) -> None:
        """Run *statements*, each for all its rows, in one transaction or not at all."""
        db = self.db
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                for sql, rows in statements:
                    db.executemany(sql, rows)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
        except _sqlite3.Error as error:
            raise self.broken(error) from error
