"""What a generation knows of its files, told as cheaply as it can be."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.catalog import Catalog
    from indexer.layout import Generation
    from indexer.snapshot import Snapshot
    from indexer.status import Status

from indexer import layout, snapshot
from indexer.errors import IndexBrokenError


class Known:
    """What a generation knows of its files, from its snapshot if that will do.

    Attributes:
        files, roots, signature: see `snapshot.Snapshot`.
        settled: no pass was left unfinished.
        snapshot: where this was read, None for the catalog itself.
    """

    def __init__(self, generation: Generation, seen: Snapshot | None = None) -> None:
        """Read it.

        Args:
            seen: its snapshot as read before, which may still be true.

        Raises:
            IndexBrokenError: the catalog cannot be read.
        """
        self._generation = generation
        self._book: Catalog | None = None
        self.snapshot = found = snapshot.read(generation, seen)
        if found is not None:
            self.files, self.roots, self.signature = found.files, found.roots, found.signature
            self.settled = True
            return
        book = self._open()
        self.files, self.roots, self.signature = book.told(), book.roots(), book.number("signature")
        self.settled = not book.number("writing")

    def close(self) -> None:
        if self._book is not None:
            self._book.close()

    def _open(self) -> Catalog:
        if self._book is None:
            from indexer import engines

            engines.load("_sqlite3")
            from indexer.catalog import Catalog

            self._book = Catalog(self._generation.catalog)
        return self._book

    def rows(self, paths: list[str]) -> dict[str, Status]:
        """Return the catalog's rows of *paths*."""
        return self._open().statuses_of(paths) if paths else {}


def known_before(index_dir: str) -> Known | Snapshot | None:
    """Return what the index in *index_dir* knew, be it of this version; None if that is lost.

    Of a damaged one its last snapshot tells; when no generation is named, that of the newest.
    """
    generation = None
    try:
        generation = layout.current(index_dir)
        if generation is None:
            return _newest_snapshot(index_dir)
        known = Known(generation)
    except IndexBrokenError:
        found = snapshot.last(generation) if generation else None
        return found or _newest_snapshot(index_dir)
    known.close()
    return known


def _newest_snapshot(index_dir: str) -> Snapshot | None:
    for generation in layout.generations(index_dir):
        found = snapshot.last(generation)
        if found is not None:
            return found
    return None
