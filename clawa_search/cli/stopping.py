"""Ctrl-C and SIGTERM, heard at once but obeyed where nothing is half done."""

from __future__ import annotations

import os
import signal
import threading
from select import select

from indexer.report import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Self

INTERRUPTED = 130


class Stop:
    """Remembers that a signal came, and wakes who waits. A second signal interrupts at once."""

    def __init__(self) -> None:
        self._signal = 0
        self._old: dict[int, object] = {}
        self._old_wakeup = -1

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        if threading.current_thread() is threading.main_thread():
            self._old_wakeup = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
            for number in (signal.SIGINT, signal.SIGTERM):
                self._old[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        if self._old:
            signal.set_wakeup_fd(self._old_wakeup)
        for number, old in self._old.items():
            signal.signal(number, old)  # type: ignore[arg-type]  # what signal.signal returned
        os.close(self._reader)
        os.close(self._writer)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        if self._signal:
            raise KeyboardInterrupt
        self._signal = number

    def is_set(self) -> bool:
        """Was the process asked to stop?"""
        return bool(self._signal)

    @property
    def code(self) -> int:
        """The exit code: Ctrl-C interrupts, SIGTERM is the usual end of a service."""
        return INTERRUPTED if self._signal == signal.SIGINT else 0

    def wait(self, seconds: float) -> bool:
        """Wait; return False as soon as the process is asked to stop."""
        if not self._signal:
            select([self._reader], [], [], seconds)
        return not self._signal


class Stoppable(Progress):
    """Progress that ends the work at its next step when the process was asked to stop."""

    def __init__(self, stop: Stop, shown: Progress | None) -> None:
        self._stop = stop
        self._shown = shown or Progress()

    def start(self, total_bytes: int) -> None:
        self._shown.start(total_bytes)

    def advance(self, count_bytes: int) -> None:
        if self._stop.is_set():
            raise KeyboardInterrupt
        self._shown.advance(count_bytes)

    def stop(self) -> None:
        self._shown.stop()
