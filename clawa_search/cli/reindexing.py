"""`clawa-search reindex`: once, or with --watch for as long as it is let run."""

from __future__ import annotations

import gc
import os

from clawa_search.cli.hot import progress_bar
from clawa_search.cli.streams import put, tell
from clawa_search.errors import InvalidInputError
from clawa_search.output.synced import report_fields, report_text
from indexer.report import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from clawa_search.cli.flags import Split
    from clawa_search.cli.stopping import Stop
    from clawa_search.recall import Recall
    from indexer.report import SyncReport


LEAST_BYTES = 1 << 20
"""Shorter work is over before anybody could stop it."""


class Working(Progress):
    """Progress that hears Ctrl-C and SIGTERM from the moment on that there is much to do.

    Mostly there is not, and what hears them costs a fifth of an empty Python to load.
    """

    def __init__(self, shown: Progress | None) -> None:
        self._shown = shown
        self._inner = Progress()
        self.stop_signal: Stop | None = None

    def start(self, total_bytes: int) -> None:
        if total_bytes < LEAST_BYTES:
            return
        from clawa_search.cli.stopping import Stop, Stoppable

        gc.enable()
        self.stop_signal = Stop()
        self.stop_signal.__enter__()
        self._inner = Stoppable(self.stop_signal, self._shown)
        self._inner.start(total_bytes)

    def advance(self, count_bytes: int) -> None:
        self._inner.advance(count_bytes)

    def stop(self) -> None:
        self._inner.stop()


def reindex(recall: Recall, given: Split) -> int:
    """Bring the index up to date, with --watch again and again; return the exit code."""
    if "" in given.words:
        raise InvalidInputError("reindex: a path is empty", hint="without PATH, all is indexed")
    as_json = "json" in given.values
    rebuild = "rebuild" in given.values
    if "watch" in given.values:
        return watch(recall, given, as_json=as_json, rebuild=rebuild)
    named = given.words or recall.places.explicit
    missing = [path for path in named if not os.path.exists(recall.places.absolute(path))]
    working = Working(progress_bar())
    try:
        report = recall.reindex(given.words, rebuild=rebuild, progress=working)
        show(report, as_json=as_json, missing=missing)
    finally:
        if working.stop_signal is not None:
            working.stop_signal.__exit__(None, None, None)
    return 2 if missing else 0


def watch(recall: Recall, given: Split, *, as_json: bool, rebuild: bool) -> int:
    """Index what changes until the process is asked to stop; return the exit code."""
    from clawa_search.cli.stopping import Stop, Stoppable
    from clawa_search.cli.watching import reports

    gc.enable()
    with Stop() as stop:
        progress = Stoppable(stop, progress_bar())
        try:
            for report in reports(recall, given.words, stop, progress, rebuild=rebuild):
                show(report, as_json=as_json)
        except KeyboardInterrupt:
            if not stop.is_set():
                raise
    return stop.code


def show(report: SyncReport, *, as_json: bool, missing: Sequence[str] = ()) -> None:
    """Print what a sync did, one line; that paths are *missing* is a failure."""
    if as_json:
        from clawa_search.output.json import line

        fields = report_fields(report)
        if missing:
            message = f"{', '.join(missing)}: no such file or folder"
            hint = "the rest was indexed" if report.seen else ""
            fields["error"] = {"code": "not_found", "message": message, "hint": hint}
        put(line(fields))
        return
    put(report_text(report))
    for path, why in report.notes:
        tell(f"{path}: {why}")
