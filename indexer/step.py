"""Index one open session file: its lines become entries, its checkpoint moves on."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.catalog import File
    from indexer.entry import Line
    from indexer.formats.pi import Branch
    from indexer.report import Progress, SyncReport
    from indexer.writer import Writer

from indexer.branches import dead_after
from indexer.formats.parse import Malformed
from indexer.formats.pi import HEADER_BYTES, Reader
from indexer.probe import file_probe
from indexer.report import skipped_note
from indexer.schema import MAX_SEQ
from indexer.status import SESSION
from indexer.tail import read_lines
from indexer.tree import read_tree

PRIOR_MAX_CHARS = 16 << 20
"""The session document stops here: a bound on memory, far beyond any real session."""


class Tools:
    """What all steps of one pass share.

    Attributes:
        uncommitted_bytes: history read since the last commit.
    """

    __slots__ = ("loads", "progress", "report", "uncommitted_bytes", "writer")

    def __init__(
        self,
        writer: Writer,
        loads: Callable[[bytes], object],
        report: SyncReport,
        progress: Progress,
    ) -> None:
        self.writer = writer
        self.loads = loads
        self.report = report
        self.progress = progress
        self.uncommitted_bytes = 0

    def read(self, count_bytes: int) -> None:
        self.progress.advance(count_bytes)
        self.report.bytes_read += count_bytes
        self.uncommitted_bytes += count_bytes


class FileStep:
    """Indexes one open file, whole or from its checkpoint on; `row` is updated in place."""

    def __init__(self, tools: Tools, fd: int, row: File, stat: os.stat_result) -> None:
        self._tools = tools
        self._fd = fd
        self._row = row
        self._stat = stat

    def whole(self) -> None:
        """Index the file from its first byte on.

        Raises:
            OSError: it cannot be read any further. What was read is in the index and in `row`,
                which says that it is not to be trusted.
        """
        texts = self._read()
        row = self._row
        if row.kind == SESSION:
            self._tools.writer.set_prior(row.id, "\n".join(texts))
            row.prior_chars = row.text_chars
        self._finish()

    def append(self) -> None:
        self._read()
        row = self._row
        # The session's own document needs the whole text again: it may lag an eighth behind.
        if row.text_chars > row.prior_chars + (row.prior_chars >> 3):
            self._tools.writer.set_prior(row.id, "\n".join(self._all_texts()))
            row.prior_chars = row.text_chars
        self._finish()

    def _finish(self) -> None:
        row, report = self._row, self._tools.report
        row.saw(self._stat)
        row.probe = file_probe(self._fd, row.end)
        if not row.is_unchanged(os.fstat(self._fd)):
            # Written while it was read: a probe of other content than was indexed would hide
            # a rewrite for ever, so the next pass reads the file afresh.
            row.probe = b""
        if row.kind != SESSION:
            report.not_sessions += 1
            return
        report.indexed += 1
        if row.skipped:
            report.note(row.path, skipped_note(row.skipped, row.skipped_line))

    def _read(self) -> list[str]:
        row = self._row
        session = row.session()
        reader = Reader(session, self._tools.loads)
        texts: list[str] = []
        chars = 0
        last, known, skipped = row.end, row.next_seq, row.skipped
        try:
            for line in read_lines(self._fd, row.end, row.next_line, self._stat.st_size):
                for expanded in self._line(reader, line):
                    if chars < PRIOR_MAX_CHARS:
                        texts.append(expanded)
                        chars += len(expanded)
                if session.is_session is False:
                    break
                if row.end - last > 1 << 20:
                    self._tools.read(row.end - last)
                    last = row.end
        finally:
            self._tools.read(row.end - last)
            row.keep(session)
            if session.is_session is None and row.end <= HEADER_BYTES:
                # Read anew from its first byte, by a question as well, until a line decides.
                row.end, row.next_line, row.skipped, row.skipped_line = 0, 1, 0, 0
            self._tools.report.added += row.next_seq - known
            if session.is_session:
                self._tools.report.skipped_lines += row.skipped - skipped
        if row.kind == SESSION and not session.linear:
            self._leave(reader.branches)
        return texts

    def _leave(self, branches: list[Branch]) -> None:
        """Record what left the live branch: only where an entry follows another than the last."""
        dead = dead_after(self._fd, self._row.dead_lines(), branches)
        if dead is None:
            dead = read_tree(self._fd, self._row.end).dead_lines()
        self._row.dead = " ".join([f"{first}-{last}" for first, last in dead])

    def _line(self, reader: Reader, line: Line) -> list[str]:
        """Index one line and move the checkpoint past it; return the expanded texts."""
        row, add = self._row, self._tools.writer.add
        row.end = line.offset + line.size + 1
        row.next_line = line.number + 1
        try:
            entries = reader.read(line)
        except Malformed:
            row.skipped += 1
            row.skipped_line = row.skipped_line or line.number
            return []
        texts = []
        for entry in entries:
            if row.next_seq > MAX_SEQ:
                break
            texts.append(add(row.id, row.next_seq, line, entry))
            row.next_seq += 1
            row.text_chars += len(entry.text)
            row.last_ms = max(row.last_ms, entry.ts_ms)
        return texts

    def _all_texts(self) -> list[str]:
        """Read the file once more, for its words alone."""
        texts: list[str] = []
        chars = 0
        reader = Reader(loads=self._tools.loads)
        for line in read_lines(self._fd, 0, 1, self._row.end):
            try:
                entries = reader.read(line)
            except Malformed:
                continue
            for entry in entries:
                texts.append(self._tools.writer.analyse(entry.text)[0])
                chars += len(texts[-1])
            if chars >= PRIOR_MAX_CHARS:
                break
        return texts
