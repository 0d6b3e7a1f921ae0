"""The file behind the memories: opened when needed, reopened when replaced, migrated when old."""

from __future__ import annotations

import _sqlite3
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from types import TracebackType
    from typing import TypeVar

    T = TypeVar("T")

from clawa_search.errors import StoreError
from clawa_search.memory import connect
from clawa_search.memory.candidates import SCAN_ROWS, State
from clawa_search.memory.condition import CURRENT, MISSING, NEWER, OUTDATED, condition, newer

UPGRADE_WAIT_S = 0.25
"""A reader that finds an old file waits this long for the lock, then reads the file as it is."""

NO_FTS5 = "this SQLite was built without FTS5"
DAMAGED = "it is damaged; `clawa-search doctor --repair` makes it anew"

OVERWRITE_BYTES = 20_000_000
"""A file up to here is written anew when something is forgotten: a tenth of a second."""

_BYTES = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_ERRORS = (_sqlite3.Error, OSError)
_MANY_STALE = f"SELECT count(*) FROM (SELECT 1 FROM memories_stale LIMIT {SCAN_ROWS + 1})"


class Database:
    """Connections to one file: one that reads, one that writes.

    Attributes:
        path: absolute.
        mirrored: whether the mirror can be used, as of the last `reading(mirror=True)`.
        why_not: why it cannot; empty when it can, or when there is no file.
    """

    def __init__(self, path: str, clock: Callable[[], int]) -> None:
        self.path = os.path.abspath(path)
        self.mirrored = False
        self.why_not = ""
        self._clock = clock
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._reads: tuple[int, int] | None = None  # device and inode
        self._writes: tuple[int, int] | None = None
        self._frozen = False
        self._state: State | None = None  # as of then
        self._current_at: int | None = None  # data_version of the reader with a usable mirror

    def reading(self, *, mirror: bool = False) -> Reading:
        """Return a block that reads; with *mirror*, one state of a file that is up to date.

        Without it, each statement sees the state of its own moment.
        """
        return Reading(self, mirror=mirror)

    def writing(self) -> Writing:
        """Return a block that is one transaction; it makes the file if there is none."""
        return Writing(self)

    def close(self) -> None:
        """Close both connections. The last program to do so tidies the write-ahead log."""
        self.close_reader()
        self.close_writer()

    def close_writer(self) -> None:
        """Close the connection that writes; the next block opens another."""
        if self._writer:
            self._writer.close()
        self._writer = None

    def close_reader(self) -> None:
        """Close the connection that reads; the next block opens another."""
        if self._reader:
            self._reader.close()
        self._reader = None

    def open_reader(self, *, mirror: bool) -> sqlite3.Connection | None:
        """Return the connection that reads; None when there is no file or no memory in it yet."""
        self.mirrored, self.why_not = False, ""
        con = self._current_reader()
        if con is None:
            return None
        if not mirror:
            return con if self._has_memories(con) else None
        # Nobody wrote since the last look: it need not be repeated, which costs 0.1 ms. Asked
        # inside the transaction, so that what was kept of that look fits what is read now.
        if con.in_transaction:  # an error ended the last block before it began
            con.execute("ROLLBACK")
        con.execute("BEGIN")
        seen: int | None = con.execute("PRAGMA data_version").fetchone()[0]
        if seen == self._current_at:
            self.mirrored = True
            return con
        con.execute("ROLLBACK")
        self._state = None
        needs = condition(con)
        if needs == OUTDATED or (needs == CURRENT and self._is_behind(con)):
            self._upgrade(con)
            con, seen = self._current_reader(), None
            needs = condition(con) if con else MISSING
        if needs == CURRENT and con and self.why_not != DAMAGED:
            self.mirrored = self._can_search(con)
            self._current_at = seen if self.mirrored else None
        elif not self.why_not:
            self.why_not = NO_FTS5 if needs == OUTDATED else "a newer clawa-search made it"
        return None if needs == MISSING else con

    def search(self, mirrored: Callable[[], T], plain: Callable[[], T]) -> T:
        """Return what *mirrored* finds; without a mirror that can be read, what *plain* does.

        Inside `reading(mirror=True)`; `why_not` says why there was none.
        """
        if self.mirrored:
            try:
                return mirrored()
            except _sqlite3.DatabaseError as error:
                if not connect.is_damage(error):
                    raise
                self.mirrored, self.why_not, self._current_at = False, DAMAGED, None
        return plain()

    def state(self, con: sqlite3.Connection) -> State:
        """Return what the mirror says of itself, for the reader *con* that was just opened."""
        if self._state is None or self._current_at is None:
            self._state = State(con)
        return self._state

    def open_writer(self, wait_s: float = connect.WRITE_WAIT_S) -> sqlite3.Connection:
        """Return the connection that writes, to a file that is up to date."""
        self._writer = self.open_to_repair(wait_s)
        needs = condition(self._writer)
        if needs == NEWER:
            raise newer(self.path)
        if needs in (OUTDATED, MISSING):
            from clawa_search.memory.schema import migrate

            migrate(self._writer, self.path, self._clock(), wait_s)
            if needs == OUTDATED:
                self.refresh(self._writer, wait_s)
        return self._writer

    def open_to_repair(self, wait_s: float = connect.WRITE_WAIT_S) -> sqlite3.Connection:
        """Return the connection that writes, to a file as it is."""
        try:
            key: tuple[int, int] | None = connect.check_regular(self.path)
        except FileNotFoundError:
            key = None
        if not self._writer or key != self._writes:
            self.close_writer()
            from clawa_search.memory.write_connection import open_writer

            self._writer = open_writer(self.path, wait_s)
            self._writes = connect.check_regular(self.path)
        return self._writer

    def refresh_all(self) -> int:
        """Analyse everything stale; return how many memories.

        Raises:
            StoreError: the file cannot be written.
        """
        try:
            return self.refresh(self.open_writer())
        except _ERRORS as error:
            raise connect.store_error(self.path, error) from error

    def overwrite(self) -> None:
        """Leave nothing of what was deleted in the file and its log, if that is quickly done.

        SQLite zeroes what it deletes, but not what it moved to another page before. Not done
        while another program holds a lock; what fails here was deleted all the same.
        """
        if not self._writer:
            return
        try:
            self._writer.execute("PRAGMA busy_timeout = 0")
            if self._writer.execute(_BYTES).fetchone()[0] <= OVERWRITE_BYTES:
                self._writer.execute("VACUUM")
            self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except _sqlite3.Error:
            return

    def refresh(self, con: sqlite3.Connection, wait_s: float = connect.WRITE_WAIT_S) -> int:
        """Analyse everything stale, a bounded batch a transaction; return how many memories."""
        from clawa_search.memory.mirror import BATCH
        from clawa_search.memory.write_connection import begin

        total = 0
        while True:
            begin(con, wait_s)
            try:
                done = self.catch_up(con, BATCH)
                con.execute("COMMIT")
            except BaseException:
                if con.in_transaction:
                    con.execute("ROLLBACK")
                raise
            total += done
            if done < BATCH:
                return total

    def catch_up(
        self,
        con: sqlite3.Connection,
        limit: int,
        *,
        own: int | None = None,
        drop_words: bool = False,
    ) -> int:
        """Analyse stale memories, *limit* at most, in the caller's transaction; return how many.

        Does nothing when this SQLite has no FTS5, the mirror is damaged, or a newer clawa-search
        keeps it: the memories stay stale, and searches read them as they are.

        Args:
            own: the memory that the caller changed, which is not left for later.
            drop_words: the words of memories that are gone leave the full-text index as well,
                unless it is large.
        """
        if condition(con) != CURRENT:
            return 0
        from clawa_search.memory import mirror

        con.execute("SAVEPOINT mirror")
        try:
            if own is not None:
                mirror.refresh(con, 1, own)
            done = mirror.refresh(con, limit)
            if drop_words:
                mirror.drop_words(con)
        except _sqlite3.DatabaseError as error:
            if not (connect.lacks_fts5(error) or connect.is_damage(error)):
                raise
            con.execute("ROLLBACK TO mirror")
            done = 0
        con.execute("RELEASE mirror")
        return done

    def _current_reader(self) -> sqlite3.Connection | None:
        try:
            key = connect.check_regular(self.path)
        except FileNotFoundError:
            self.close_reader()
            return None
        if not self._reader or key != self._reads or self._frozen:
            self.close_reader()
            self._reader, self._frozen = connect.open_reader(self.path)
            self._reads, self._current_at = key, None
        return self._reader

    def _has_memories(self, con: sqlite3.Connection) -> bool:
        """Tell whether the table is there: another program may put it aside at any time."""
        try:
            con.execute("SELECT 1 FROM memories LIMIT 0")
        except _sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return False
            raise
        return True

    def _is_behind(self, con: sqlite3.Connection) -> bool:
        """Tell whether more memories are stale than a search would analyse."""
        try:
            behind: int = con.execute(_MANY_STALE).fetchone()[0]
        except _sqlite3.DatabaseError as error:
            if not connect.is_damage(error):
                raise
            self.why_not = DAMAGED
            return False
        return behind > SCAN_ROWS

    def _can_search(self, con: sqlite3.Connection) -> bool:
        try:
            con.execute("SELECT 1 FROM memories_fts LIMIT 0")
        except _sqlite3.DatabaseError as error:
            if not (connect.lacks_fts5(error) or connect.is_damage(error)):
                raise
            self.why_not = NO_FTS5 if connect.lacks_fts5(error) else DAMAGED
            return False
        return True

    def _upgrade(self, con: sqlite3.Connection) -> None:
        """Migrate and refresh, if that is possible without waiting; say why if it is not."""
        if not connect.has_fts5(con):
            return
        folder = os.path.dirname(self.path)
        if not (os.access(self.path, os.W_OK) and os.access(folder, os.W_OK)):
            self.why_not = "it cannot be written, so its index cannot be made"
            return
        try:
            self.refresh(self.open_writer(UPGRADE_WAIT_S), UPGRADE_WAIT_S)
        except StoreError as error:
            self.why_not = str(error)
        except _ERRORS as error:
            self.why_not = str(connect.store_error(self.path, error)).removeprefix(f"{self.path}: ")


class Reading:
    """A block that reads; see `Database.reading`."""

    def __init__(self, database: Database, *, mirror: bool) -> None:
        self._database = database
        self._mirror = mirror
        self._con: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection | None:
        try:
            self._con = self._database.open_reader(mirror=self._mirror)
            if self._con and self._mirror and not self._con.in_transaction:
                self._con.execute("BEGIN")
        except _ERRORS as error:
            raise connect.store_error(self._database.path, error) from error
        return self._con

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._con and self._con.in_transaction:
            try:
                self._con.execute("ROLLBACK")
            except _sqlite3.Error:  # where a page is damaged, even that may fail
                self._database.close_reader()
        if isinstance(error, _ERRORS):
            raise connect.store_error(self._database.path, error) from error


class Writing:
    """A block that is one transaction: all of it happens, durably, or nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._con: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection:
        from clawa_search.memory.write_connection import begin

        try:
            self._con = self._database.open_writer()
            begin(self._con)
        except _ERRORS as error:
            # It may hold a page that a full disk kept it from writing.
            self._database.close_writer()
            raise connect.store_error(self._database.path, error) from error
        return self._con

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        assert self._con
        for word in ("ROLLBACK",) if error else ("COMMIT", "ROLLBACK"):
            if not self._con.in_transaction:
                break  # a full disk ends it by itself
            try:
                self._con.execute(word)
            except _sqlite3.Error as failed:
                error = error or failed
        if isinstance(error, _ERRORS):
            raise connect.store_error(self._database.path, error) from error
