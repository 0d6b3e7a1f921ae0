"""What a sync did, as text or JSON fields."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.report import SyncReport


def report_fields(report: SyncReport) -> dict[str, object]:
    """Return the fields of `reindex --json`."""
    return {
        "files": {
            "seen": report.seen,
            "indexed": report.indexed,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "failed": report.failed,
            "not_sessions": report.not_sessions,
        },
        "entries": {
            "added": report.added,
            "removed": report.removed_entries,
            "skipped_lines": report.skipped_lines,
        },
        "bytes_read": report.bytes_read,
        "took_ms": round(report.took_ms, 1),
        "notes": [f"{path}: {why}" for path, why in report.notes],
    }


def report_text(report: SyncReport) -> str:
    """Return one line: files by what happened to them, entries, bytes, time."""
    parts = [f"{report.indexed:,} indexed", f"{report.unchanged:,} unchanged"]
    for count, what in (
        (report.removed, "removed"),
        (report.failed, "failed"),
        (report.not_sessions, "not sessions"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    return (
        f"{report.seen:,} files: {', '.join(parts)}; {report.added:,} entries added, "
        f"{report.bytes_read / 1e6:.1f} MB read in {report.took_ms / 1000:.2f} s\n"
    )
