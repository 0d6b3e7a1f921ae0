"""What a sync tells: while it runs, and when it is done."""

from __future__ import annotations

MAX_NOTES = 50


class SyncReport:
    """What a sync did. File counts, entry counts, bytes, and `(path, why)` notes."""

    __slots__ = (
        "added",
        "bytes_read",
        "failed",
        "indexed",
        "not_sessions",
        "notes",
        "removed",
        "removed_entries",
        "seen",
        "skipped_lines",
        "took_ms",
        "unchanged",
    )

    def __init__(self) -> None:
        self.seen = 0
        self.indexed = 0
        self.unchanged = 0
        self.removed = 0
        self.failed = 0
        self.not_sessions = 0
        self.added = 0
        self.removed_entries = 0
        self.skipped_lines = 0
        self.bytes_read = 0
        self.took_ms = 0.0
        self.notes: list[tuple[str, str]] = []

    def add(self, other: SyncReport) -> None:
        """Count what *other* counted, too."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        del self.notes[MAX_NOTES:]

    def note(self, path: str, why: str) -> None:
        """Say *why* something about *path* is not as it should be; MAX_NOTES are kept."""
        if len(self.notes) < MAX_NOTES:
            self.notes.append((path, why))


class Progress:
    """Called while a long sync runs; the default shows nothing.

    `start(bytes)` once, `advance(bytes)` often, `stop()` once.
    """

    def start(self, total_bytes: int) -> None:
        """*total_bytes* will be read."""

    def advance(self, count_bytes: int) -> None:
        """*count_bytes* more were read."""

    def stop(self) -> None:
        """The work ended."""


def skipped_note(count: int, first_line: int) -> str:
    lines = "line" if count == 1 else "lines"
    return f"{count} unreadable {lines} skipped, the first at line {first_line}"
