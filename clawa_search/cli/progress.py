"""A progress bar with rate and time left, for long work on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.report import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

LEAST_BYTES = 16 << 20
"""Shorter work is over before a bar would have been read."""


class LazyBar(Progress):
    """Shows a bar on stderr once the work is known to be long; rich is loaded only then."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task = 0

    def start(self, total_bytes: int) -> None:
        """Begin; *total_bytes* will be read."""
        if total_bytes < LEAST_BYTES:
            return
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as Bars

        self._bars = Bars(
            TextColumn("indexing sessions"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bars.add_task("", total=total_bytes)
        self._bars.start()

    def advance(self, count_bytes: int) -> None:
        """Move on by *count_bytes*."""
        if self._bars is not None:
            from rich.progress import TaskID

            self._bars.advance(TaskID(self._task), count_bytes)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
