"""What the catalog says of each file, in one short text: most runs need no more of it.

`<generation>/snapshot` holds pairs, each part ended by NUL: a path and the status of the file as
it was indexed (`told`), or a name that is no path and its value. The later of two pairs counts,
so a pass adds the few files that it changed, and its cost does not grow with all others. The
last pair says what the catalog's own files look like: while they look like that, both agree.
Reading it takes a tenth of reading the catalog's rows, and no SQLite.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.layout import Generation

from indexer import files
from indexer.status import told

ROOT, SIGNATURE, STAMP = "root", "signature", ""
SPARE_PAIRS = 1000


class Snapshot:
    """The catalog in short.

    Attributes:
        files: status by path, as `told` writes it.
        roots: see `Catalog.roots`.
        signature: see `layout.signature`.
        spare: pairs that later ones made void.
        stamp: what the catalog's files looked like.
    """

    __slots__ = ("files", "roots", "signature", "spare", "stamp")

    def __init__(
        self,
        files: dict[str, str],
        roots: list[str],
        signature: int,
        spare: int = 0,
        stamp: str = "",
    ) -> None:
        self.files = files
        self.roots = roots
        self.signature = signature
        self.spare = spare
        self.stamp = stamp


def read(generation: Generation, seen: Snapshot | None = None) -> Snapshot | None:
    """Return the snapshot, None when there is none that agrees with the catalog.

    Args:
        seen: the last answer, given again while nothing changed.
    """
    try:
        stamp = _stamp(generation)
    except OSError:
        return None
    if seen is not None and seen.stamp == stamp:
        return seen
    made = last(generation)
    return made if made is not None and made.stamp == stamp else None


def last(generation: Generation) -> Snapshot | None:
    """Return the snapshot as it lies there, whatever became of the catalog; None if it is torn."""
    try:
        found, count = files.read_pairs(_path(generation))
        stamp, signature = found.pop(STAMP), int(found.pop(SIGNATURE))
        roots = [found.pop(f"{ROOT}{number}") for number in range(int(found.pop(ROOT)))]
    except (OSError, KeyError, ValueError):
        return None
    return Snapshot(found, roots, signature, count - len(found), stamp)


def write(generation: Generation, made: Snapshot) -> None:
    """Put a new snapshot in place; the catalog must be closed."""
    try:
        files.replace(_path(generation), _pairs(made.files, made, generation))
    except OSError:
        return  # a full disk: the next run reads the catalog itself


def add(generation: Generation, made: Snapshot, changed: Mapping[str, str]) -> None:
    """Add files that changed to the snapshot of which *made* is what it shall say then."""
    if made.spare + len(changed) > len(made.files) + SPARE_PAIRS:
        write(generation, made)
        return
    try:
        fd = files.private(_path(generation), os.O_WRONLY | os.O_APPEND)
        try:
            files.write_all(fd, _pairs(changed, made, generation))
        finally:
            os.close(fd)
    except OSError:
        return  # torn, it does not agree with the catalog


def _pairs(changed: Mapping[str, str], made: Snapshot, generation: Generation) -> bytes:
    """Write *changed* and what *made* says beside its files; the stamp comes last."""
    told = dict(changed)
    told[ROOT] = str(len(made.roots))
    told |= {f"{ROOT}{number}": root for number, root in enumerate(made.roots)}
    told[SIGNATURE] = str(made.signature)
    told[STAMP] = _stamp(generation)
    return files.pairs(told)


def _path(generation: Generation) -> str:
    return f"{generation.folder}/snapshot"


def _stamp(generation: Generation) -> str:
    """Say what the catalog's files look like.

    Its journal is empty or away between passes, unless a question was being answered; one that
    is not may be written anew from its beginning without growing.
    """
    journal = "0"
    try:
        status = os.stat(f"{generation.catalog}-wal")
        if status.st_size:  # readers make an empty one, and as root change its ctime
            journal = f"{status.st_size} {status.st_mtime_ns}"
    except FileNotFoundError:
        pass
    return f"{told(os.stat(generation.catalog))} {journal}"
