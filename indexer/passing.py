"""One pass over a generation of the index: plan, index each file, commit, record."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.catalog import File, Status
    from indexer.discover import Found, Listing
    from indexer.report import Progress
    from indexer.store import Generation
    from indexer.writer import Writer

    Task = tuple[Found, File | None]

from indexer import catalog
from indexer.catalog import Catalog
from indexer.plan import count_unchanged, plan
from indexer.report import SyncReport

BULK_BYTES = 4 << 20
"""From here on bulk parsing and two writer threads pay for their start."""
COMMIT_BYTES = 1 << 30
"""History read between two commits: what a crash can cost."""


class Pass:
    """One run over a generation; holds what its steps share."""

    def __init__(
        self,
        generation: Generation,
        listing: Listing,
        report: SyncReport,
        progress: Progress,
        roots: list[str] | None = None,
    ) -> None:
        self._generation = generation
        self._listing = listing
        self._report = report
        self._progress = progress
        self._changed: list[File] = []
        self._gone: list[File] = []
        self._extra_roots = roots or []
        self._next_id = 0

    def run(self) -> None:
        report = self._report
        self._book = Catalog(self._generation.catalog, write=True)
        try:
            self._book.add_roots([*self._listing.roots, *self._extra_roots])
            trial = SyncReport()
            made = plan(self._listing, self._book.statuses(), self._book.roots(), trial)
            report.notes += trial.notes
            count_unchanged(made, report)
            todo = [(found, self._row(status)) for found, status in made.todo]
            gone = [row for row in map(self._row, made.gone) if row is not None]
            todo = self._find_moves(todo, gone)
            if not (todo or gone or self._book.get("writing")):
                if self._changed:
                    self._book.save(self._changed, [], done=True)
                return
            self._write(todo, gone)
        finally:
            self._book.close()

    def _row(self, status: Status | None) -> File | None:
        return self._book.by_id(status[6]) if status else None

    def _find_moves(self, todo: list[Task], gone: list[File]) -> list[Task]:
        """Let a renamed file keep its entries: only its path changes."""
        lost = {(row.dev, row.ino): row for row in gone if row.kind == catalog.SESSION}
        left = []
        for found, row in todo:
            old = lost.get((found.stat.st_dev, found.stat.st_ino)) if row is None else None
            if old is not None and old in gone and _is_moved(old, found):
                gone.remove(old)
                self._book.moved(old.path, old.id)
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
        from indexer.formats.pi import fast_loads, strict_loads
        from indexer.step import Tools
        from indexer.writer import Writer

        bulk = total > BULK_BYTES
        writer = Writer(self._generation, bulk=bulk)
        loads = fast_loads() if bulk else strict_loads
        self._tools = Tools(writer, loads, self._report, self._progress)
        self._progress.start(total)
        try:
            self._heal(writer, sum(1 for _, row in todo if row is None))
            for lost in gone:
                self._remove(lost)
            for found, row in todo:
                self._file(found, row)
                if self._tools.uncommitted_bytes >= COMMIT_BYTES:
                    self._commit(done=False)
            self._commit(done=True)
        except BaseException:
            writer.rollback()
            raise
        finally:
            self._progress.stop()
        writer.close()

    def _heal(self, writer: Writer, new_files: int) -> None:
        """Remove files that a lost pass added and the catalog never heard of."""
        first, stop = self._book.lost_ids()
        if stop > first:
            known = set(self._book.ids())
            for file_id in range(first, stop):
                if file_id not in known:
                    writer.forget(file_id)
        self._next_id = self._book.begin(new_files)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _commit(self, *, done: bool) -> None:
        self._tools.writer.commit()
        self._book.save(self._changed, self._gone, done=done)
        self._changed, self._gone, self._tools.uncommitted_bytes = [], [], 0

    def _remove(self, row: File) -> None:
        if row.kind == catalog.SESSION:
            self._tools.writer.forget(row.id)
        self._gone.append(row)
        self._report.removed += 1
        self._report.removed_entries += row.entries

    def _file(self, found: Found, row: File | None) -> None:
        try:
            fd = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            if row is not None:
                self._remove(row)
            else:
                self._report.note(found.path, "vanished before it was read")
            return
        except OSError as error:
            self._failed(found, row, error)
            return
        try:
            self._open_file(fd, found, row)
        except OSError as error:
            self._failed(found, row, error)
        finally:
            os.close(fd)

    def _failed(self, found: Found, row: File | None, error: OSError) -> None:
        """Keep what was indexed, say why, try again next time."""
        self._report.failed += 1
        self._report.note(found.path, f"cannot be read: {error.strerror or error}")
        if row is not None and row.kind == catalog.SESSION and row.entries:
            return
        failed = catalog.new_file(found.path) if row is None else row
        failed.id = failed.id or self._new_id()
        failed.kind = catalog.FAILED
        failed.saw(found.stat)
        self._changed.append(failed)

    def _open_file(self, fd: int, found: Found, row: File | None) -> None:
        from indexer.step import FileStep

        stat = os.fstat(fd)
        if row is not None and row.kind == catalog.SESSION and row.grew(fd, stat):
            self._tools.writer.forget(row.id, from_seq=row.next_seq)
            FileStep(self._tools, fd, row, stat).append()
            self._changed.append(row)
            return
        if row is not None and row.kind == catalog.SESSION:
            self._tools.writer.forget(row.id)
            self._report.removed_entries += row.entries
        fresh = catalog.new_file(found.path)
        fresh.id = row.id if row is not None else self._new_id()
        FileStep(self._tools, fd, fresh, stat).whole()
        self._changed.append(fresh)


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
