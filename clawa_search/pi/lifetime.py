"""Keep the resident process from outliving Pi.

The end of the input ends `serve`, but a process that is busy does not read its input. So a second
thread watches for the other end to hang up, and for the parent to be gone, and gives the rest a
few seconds.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from typing import BinaryIO

GRACE_SECONDS = 8.0
_LOOK_EVERY_MS = 1_000


def end_with_parent(grace_seconds: float = GRACE_SECONDS) -> threading.Event:
    """Start the watch, and return the event by which the program says that it knows of the end.

    Once that is set, the program ends by itself and in its own time. The terminal's Ctrl-C is for
    Pi alone: it is ignored here.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    noticed = threading.Event()
    threading.Thread(
        target=_watch, args=(os.getppid(), grace_seconds, noticed), name="parent-watch", daemon=True
    ).start()
    return noticed


def _watch(parent: int, grace_seconds: float, noticed: threading.Event) -> None:
    # Node's "pipes" are sockets: their half-close is POLLRDHUP, not POLLHUP.
    hangup = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
    poll = select.poll()
    poll.register(0, hangup)
    while os.getppid() == parent and not poll.poll(_LOOK_EVERY_MS):
        pass
    if not noticed.wait(grace_seconds):
        os._exit(0)


def private_stdout() -> BinaryIO:
    """Return the real standard output, and send every stray print to standard error instead."""
    sys.stdout.flush()
    real = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return real
