"""Bring the index up to date behind the answers, in a process of its own.

Not a thread: the parser and the engine's buffers would share the interpreter lock and the memory
of the process that has to answer at once. A lower priority leaves the processor to the answers,
and a crash there is no crash here. It takes the writer lock; when another process holds that, the
other one is doing the work.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen

_NICENESS = 10


class CatchUp:
    """Indexes the folders that changed, one process at a time.

    It is told an index and its folders as words.
    """

    def __init__(self, command: tuple[str, ...] | None = None) -> None:
        self._command = command or (sys.executable, "-P", "-m", "clawa_search.pi.catch_up")
        self._lock = threading.Lock()
        self._waiting: dict[str, set[str]] = {}  # folders by the index that holds them
        self._runner: threading.Thread | None = None
        self._process: Popen[bytes] | None = None
        self._closed = False

    def request(self, folder: str, index_dir: str) -> bool:
        """Index *folder* in *index_dir* soon; tell whether there is anything to do. Never waits.

        Both are absolute: the process stands in another folder than Pi.
        """
        if not folder or not os.path.isdir(folder):
            return False
        with self._lock:
            if self._closed:
                return False
            self._waiting.setdefault(index_dir, set()).add(folder)
            if self._runner is None:
                self._runner = threading.Thread(target=self._run, name="catch-up", daemon=True)
                self._runner.start()
        return True

    def close(self, grace_seconds: float) -> None:
        """Let what is under way finish for at most so long, then end it."""
        with self._lock:
            runner = self._runner
        if runner is not None:
            runner.join(grace_seconds)
        with self._lock:
            self._closed = True
            self._waiting.clear()
            if self._process is not None:
                self._process.terminate()
        if runner is not None:
            runner.join(grace_seconds)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._runner = None
                    return
                index_dir, folders = self._waiting.popitem()
            self._index([index_dir, *sorted(folders)])

    def _index(self, words: list[str]) -> None:
        import subprocess  # 20 ms that no answer should wait for

        with self._lock:
            if self._closed:
                return
            try:
                process = subprocess.Popen(  # noqa: S603  # ourselves, on a folder that exists
                    [*self._command, *words],
                    stdin=subprocess.PIPE,  # its lifeline: it ends when we are gone
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            except OSError:  # no process to be had: the next turn tries again
                return
            self._process = process
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
        process.wait()
        if process.stdin is not None:
            process.stdin.close()
        with self._lock:
            self._process = None


def main(words: list[str]) -> int:
    """Index the session files of the folders named after the index.

    Another writer at work is as good.
    """
    from clawa_search.errors import IndexBusyError
    from clawa_search.pi.lifetime import end_with_parent
    from indexer.discover import Listing
    from indexer.sync import sync

    end_with_parent(grace_seconds=0)
    index_dir, *folders = words
    listing = Listing()
    for folder in folders:  # Pi's sessions lie flat; `pi --session` may name a file anywhere
        listing.walk(folder, flat=True)
    with contextlib.suppress(IndexBusyError):
        sync(index_dir, listing)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
