"""`clawa-search reindex`: once, or with --watch for as long as it is let run."""

from __future__ import annotations

from clawa_search.cli.hot import progress_bar
from clawa_search.cli.stopping import Stop, Stoppable
from clawa_search.cli.streams import put, tell
from clawa_search.output.json import line
from clawa_search.output.synced import report_fields, report_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.cli.flags import Split
    from clawa_search.recall import Recall
    from indexer.report import SyncReport


def reindex(recall: Recall, given: Split) -> int:
    """Bring the index up to date, with --watch again and again; return the exit code."""
    as_json = "json" in given.values
    rebuild = "rebuild" in given.values
    with Stop() as stop:
        progress = Stoppable(stop, progress_bar())
        try:
            if "watch" in given.values:
                from clawa_search.cli.watching import reports

                for report in reports(recall, given.words, stop, progress, rebuild=rebuild):
                    show(report, as_json=as_json)
                return stop.code
            show(recall.reindex(given.words, rebuild=rebuild, progress=progress), as_json=as_json)
        except KeyboardInterrupt:
            if not stop.is_set():
                raise
            return stop.code
    return 0


def show(report: SyncReport, *, as_json: bool) -> None:
    """Print what a sync did: one line."""
    if as_json:
        put(line(report_fields(report)))
        return
    put(report_text(report))
    for path, why in report.notes:
        tell(f"{path}: {why}")
