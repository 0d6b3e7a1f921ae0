"""One pass over a generation of the index: plan, index each file, commit, record."""

from __future__ import annotations

import gc
import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.catalog import File
    from indexer.discover import Found, Listing
    from indexer.layout import Generation
    from indexer.report import Progress, SyncReport
    from indexer.status import Status
    from indexer.step import Tools

    Task = tuple[Found, File | None]

from indexer import catalog, layout, snapshot
from indexer.errors import IndexBrokenError
from indexer.ledger import Ledger
from indexer.plan import count_unchanged, plan
from indexer.snapshot import Snapshot
from indexer.status import INTEGER, SESSION

BULK_BYTES = 4 << 20
"""From here on bulk parsing and a large heap pay for their start."""
COMMIT_BYTES = 700 << 20
"""History read between two commits: what a crash can cost, and one segment of the index."""
TICK_NS = 12_000_000
"""Two writes within one tick of the kernel's clock (up to 10 ms) may leave the same status."""


class Pass:
    """One run over a generation; holds what its steps share."""

    def __init__(
        self,
        generation: Generation,
        listing: Listing,
        report: SyncReport,
        progress: Progress,
        commit_s: float,
        *,
        create: bool = False,
        suspect: bool = False,
        committed: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare a pass.

        Args:
            commit_s: commit after so many seconds as well as after COMMIT_BYTES.
            create: the generation is new and empty.
            suspect: somebody failed to read the generation.
            committed: called when part of a long pass is in the index and the catalog.
        """
        self._generation = generation
        self._listing = listing
        self._report = report
        self._progress = progress
        self._create = create
        self._suspect = suspect
        self._commit_s = commit_s
        self._committed = committed
        self._changed: list[File] = []
        self._gone: list[File] = []
        self._moves: list[tuple[str, int]] = []
        self._next_id = 0
        self._told: dict[str, str] = {}
        self._lost = False

    def run(self, roots: list[str]) -> None:
        """Bring the generation up to date.

        Args:
            roots: roots of earlier generations that stay known.

        Raises:
            IndexBrokenError: it cannot be written, or it is damaged.
        """
        book = self._book = Ledger(self._generation.catalog)
        try:
            if self._create:
                book.create()
            else:
                self._examine()
            book.add_roots([*self._listing.roots, *roots])
            seen = None if self._create else snapshot.read(self._generation)
            known = seen.files if seen is not None else book.told()
            made = plan(self._listing, known, book.statuses_of, book.roots(), self._report)
            count_unchanged(made, self._report)
            todo = [(found, self._row(status)) for found, status in made.todo]
            gone = [row for row in map(self._row, made.gone) if row is not None]
            todo = self._find_moves(todo, gone)
            if todo or gone or self._create or book.number("writing"):
                self._write(todo, gone)
            elif self._changed:
                self._save(done=True)
            after = layout.signature(self._generation)
            if book.number("signature") != after:
                book.sign(after)
            short = self._snapshot(seen, after)
        finally:
            book.close()
        if seen is None or self._lost:
            snapshot.write(self._generation, short)
        elif snapshot.read(self._generation, seen) is not seen:  # the catalog was written
            snapshot.add(self._generation, short, self._told)

    def _snapshot(self, seen: Snapshot | None, signature: int) -> Snapshot:
        """Return what the snapshot shall say after this pass."""
        roots = self._book.roots()
        if seen is None or self._lost:
            return Snapshot(self._book.told(), roots, signature)
        return Snapshot(seen.files | self._told, roots, signature, seen.spare)

    def _examine(self) -> None:
        """Look for damage when somebody failed to read it, or touched its files.

        Raises:
            IndexBrokenError: it is damaged.
        """
        if self._suspect or self._book.number("signature") != layout.signature(self._generation):
            from indexer.damage import find_damage

            damage = find_damage(self._generation)
            if damage:
                raise IndexBrokenError(damage)

    def _row(self, status: Status | None) -> File | None:
        return self._book.by_id(status[6]) if status else None

    def _find_moves(self, todo: list[Task], gone: list[File]) -> list[Task]:
        """Let a renamed file keep its entries: only its path changes."""
        lost = {(row.dev, row.ino): row for row in gone if row.kind == SESSION}
        left = []
        for found, row in todo:
            key = (found.stat.st_dev & INTEGER, found.stat.st_ino & INTEGER)
            old = lost.get(key) if row is None else None
            if old is not None and old in gone and _is_moved(old, found):
                gone.remove(old)
                self._moves.append((old.path, old.id))
                old.path = found.path
                old.saw(found.stat)
                self._changed.append(old)
                self._report.indexed += 1
            else:
                left.append((found, row))
        return left

    def _write(self, todo: list[Task], gone: list[File]) -> None:
        total = sum(max(found.stat.st_size - (row.end if row else 0), 0) for found, row in todo)
        # Imported here: a pass that finds nothing to do loads neither tantivy nor orjson.
        from indexer.formats.parse import fast_loads, strict_loads
        from indexer.step import Tools
        from indexer.writer import Writer

        bulk = total > BULK_BYTES
        writer = Writer(self._generation, much=bulk, create=self._create)
        loads = fast_loads() if bulk else strict_loads
        tools = self._tools = Tools(writer, loads, self._report, self._progress)
        collecting = bulk and gc.isenabled()
        if collecting:  # nothing here is cyclic, and looking for cycles takes a tenth of the time
            gc.disable()
        try:
            self._progress.start(total)
            committed_at = time.monotonic()
            self._begin(tools, sum(1 for _, row in todo if row is None))
            void = [row.id for row in gone]
            void += [row.id for found, row in todo if row and not row.may_continue(found.stat)]
            if void:
                self._book.void(void)
            for lost in gone:
                self._remove(lost)
            for found, row in todo:
                self._file(found, row)
                late = time.monotonic() - committed_at > self._commit_s
                if tools.uncommitted_bytes >= COMMIT_BYTES or late:
                    writer.commit()
                    self._save(done=False)
                    self._committed()
                    tools.uncommitted_bytes = 0
                    committed_at = time.monotonic()
            writer.commit()
            self._save(done=True)
        except BaseException:
            writer.abandon()
            raise
        finally:
            self._progress.stop()
            if collecting:
                gc.enable()
        writer.close()

    def _begin(self, tools: Tools, new_files: int) -> None:
        """Remove files that a lost pass added and the catalog never heard of; reserve ids."""
        for file_id in self._book.lost_ids():
            tools.writer.forget(file_id)
        self._next_id = self._book.begin(new_files)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _save(self, *, done: bool) -> None:
        self._book.save(self._changed, self._gone, self._moves, done=done)
        self._told.update((row.path, row.told()) for row in self._changed)
        self._lost = self._lost or bool(self._gone or self._moves)
        self._changed, self._gone, self._moves = [], [], []

    def _remove(self, row: File) -> None:
        self._tools.writer.forget(row.id)
        self._gone.append(row)
        self._report.removed += 1
        self._report.removed_entries += row.next_seq

    def _file(self, found: Found, row: File | None) -> None:
        try:
            fd = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            self._vanished(found, row)
            return
        except OSError as error:
            self._failed(found, error)
            return
        try:
            now = _settled(fd)
            if stat.S_ISREG(now.st_mode):
                self._open_file(fd, now, found, row)
            else:
                self._vanished(found, row)
        except OSError as error:
            self._failed(found, error)
        finally:
            os.close(fd)

    def _vanished(self, found: Found, row: File | None) -> None:
        if row is not None:
            self._remove(row)
        else:
            self._report.note(found.path, "vanished before it was read")

    def _failed(self, found: Found, error: OSError) -> None:
        """Keep what was indexed, say why; the next pass tries again."""
        self._report.failed += 1
        self._report.note(found.path, f"cannot be read: {error.strerror or error}")

    def _open_file(self, fd: int, now: os.stat_result, found: Found, row: File | None) -> None:
        from indexer.step import FileStep

        writer = self._tools.writer
        if row is not None and row.kind == SESSION and row.continues(fd, now):
            writer.forget(row.id, from_seq=row.next_seq)
            FileStep(self._tools, fd, row, now).append()
            self._changed.append(row)
            return
        if row is not None:  # even of what was no session a lost pass may have made one
            if row.may_continue(now):  # only its bytes tell that it was rewritten
                self._book.void([row.id])
            writer.forget(row.id)
            self._report.removed_entries += row.next_seq
        fresh = catalog.new_file(found.path)
        fresh.id = row.id if row is not None else self._new_id()
        self._changed.append(fresh)
        FileStep(self._tools, fd, fresh, now).whole()


def _settled(fd: int) -> os.stat_result:
    """Return the status of a file once any further write must show in it."""
    now = os.fstat(fd)
    age_ns = time.time_ns() - now.st_ctime_ns
    if 0 <= age_ns < TICK_NS:
        time.sleep((TICK_NS - age_ns) / 1e9)
        now = os.fstat(fd)
    return now


def _is_moved(row: File, found: Found) -> bool:
    try:
        fd = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return row.moved(fd, found.stat)
    except OSError:
        return False
    finally:
        os.close(fd)
