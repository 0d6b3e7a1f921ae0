"""What the one writer does in the folder of an index: its lock, new generations, old ones."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

from indexer import files
from indexer.errors import IndexBrokenError, IndexBusyError
from indexer.layout import CURRENT, Generation, generations

SNAPSHOT_DRAFT = "snapshot."


def point_to(index_dir: str, generation: Generation) -> None:
    """Make *generation* the current one; readers see the old or the new, never half of one."""
    told = f"{os.path.basename(generation.folder)} {generation.version}\n"
    files.replace(f"{index_dir}/{CURRENT}", told.encode(), durable=True)
    folder = os.open(index_dir, os.O_RDONLY)
    try:
        os.fsync(folder)  # before the old generation goes
    finally:
        os.close(folder)


def new_generation(index_dir: str, version: str) -> Generation:
    """Create an empty folder for a generation beside those that exist."""
    names = [os.path.basename(one.folder) for one in generations(index_dir)]
    newest = int(names[0].removeprefix("gen-")) if names else 0
    generation = Generation(f"{index_dir}/gen-{newest + 1}", version)
    for folder in (generation.folder, generation.messages, generation.priors):
        os.mkdir(folder, 0o700)
    os.close(os.open(generation.catalog, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    return generation


def remove_others(index_dir: str, keep: Generation | None) -> None:
    """Remove every generation but *keep*, and what crashed writers left behind.

    Readers that have an old generation open go on reading it.
    """
    kept = os.path.basename(keep.folder) if keep else ""
    for name in os.listdir(index_dir):
        if name.startswith("gen-") and name != kept:
            files.remove(f"{index_dir}/{name}")
        elif name.startswith(f"{CURRENT}."):
            os.unlink(f"{index_dir}/{name}")
    if keep is None or not os.path.isdir(keep.folder):
        return
    for name in os.listdir(keep.folder):
        if name.startswith(SNAPSHOT_DRAFT):
            os.unlink(f"{keep.folder}/{name}")


def unwritable(index_dir: str, error: OSError) -> IndexBrokenError:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return IndexBrokenError(
            f"{index_dir}: the index cannot be written: this is no folder",
            hint="name another with --index-dir",
        )
    return IndexBrokenError(
        f"{index_dir}: the index cannot be written: {error.strerror or error}",
        hint="check the folder's permissions and free space, or use --index-dir",
    )


def discard(generation: Generation) -> None:
    """Remove a generation that could not be finished."""
    files.remove(generation.folder)


class WriterLock:
    """The one OS lock of the index. Readers never take it."""

    def __init__(self, index_dir: str) -> None:
        self._index_dir = index_dir
        self._fd = -1

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            IndexBusyError: another process holds it.
            IndexBrokenError: the folder cannot be written, or its file system cannot lock.
        """
        try:
            while not self._locked():
                os.close(self._fd)
        except BlockingIOError:
            os.close(self._fd)
            raise IndexBusyError(
                f"{self._index_dir}: another process is indexing",
                hint="answers come from the index as it is; try again when it is done",
            ) from None
        except OSError as error:
            if self._fd >= 0:
                os.close(self._fd)
            raise unwritable(self._index_dir, error) from error
        return self

    def _locked(self) -> bool:
        """Lock the file `lock`; false when it was removed (with the whole cache) meanwhile."""
        import fcntl

        path = f"{self._index_dir}/lock"
        self._fd = -1
        os.makedirs(self._index_dir, 0o700, exist_ok=True)
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            return os.path.samestat(os.fstat(self._fd), os.stat(path))
        except FileNotFoundError:
            return False

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
