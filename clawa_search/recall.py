"""The facade: the only class that opens things."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from clawa_search.memory.store import Memory, MemoryStore
    from clawa_search.places import Places
    from clawa_search.search.question import Answer, Question
    from clawa_search.search.sessions import SessionIndex
    from clawa_search.show import Opened
    from indexer.catalog import Catalog
    from indexer.discover import Listing
    from indexer.known import Known
    from indexer.report import Progress, SyncReport
    from indexer.snapshot import Snapshot

from indexer.errors import IndexBrokenError, IndexBusyError, RecallError

AUTO_SYNC_BYTES = 8 << 20
"""More than this unindexed in scope, and a recall first indexes it: reading it in memory would
be slower each time."""
QUESTION_COMMIT_S = 10.0
"""A question that has to index first may be given up: what it did until then must not be lost."""


class Recall:
    """Memories and session history of one home, opened when first needed.

    One object serves one thread at a time. Use it as a context manager, or call `close`.
    """

    def __init__(self, places: Places, *, progress: Progress | None = None) -> None:
        self.places = places
        self._progress = progress
        self._folder = ""
        self._file: tuple[int, int] | None = None
        self._catalog: Catalog | None = None
        self._index: SessionIndex | None = None
        self._memories: MemoryStore | None = None
        self._short: Snapshot | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every file; the object may be used again and opens them again."""
        self.close_index()
        if self._memories is not None:
            self._memories.close()
            self._memories = None

    @property
    def memories(self) -> MemoryStore:
        """The memory store of the home."""
        if self._memories is None:
            from clawa_search.memory.store import MemoryStore

            self._memories = MemoryStore(self.places.database)
        return self._memories

    def search(self, question: Question) -> Answer:
        """Answer *question* from memories and session files, best first.

        Never fails because of what the question says. What could not be searched is told
        in `notes`, and `complete` is false.

        Raises:
            StoreError: only memories were asked for and they cannot be read.
        """
        from clawa_search.search import recent

        if recent.serves(question):
            return recent.answer(self.memories, question)
        from clawa_search.search.run import answer

        return answer(self, question)

    def remember(
        self,
        text: str | None,
        id: int | None = None,  # noqa: A002  # the word of the tool and of the contract
        tags: Iterable[str] | None = None,
    ) -> tuple[str, int]:
        """Create, update (id and text) or delete (id and empty text) a memory.

        Args:
            text: None keeps the text of an updated memory.
            tags: None keeps the tags of an updated memory; an empty list clears them.

        Returns:
            `created`, `updated`, `deleted` or `unchanged`, and the id.

        Raises:
            NotFoundError: no memory has that id; nothing changed.
            InvalidInputError: text or tags are beyond the limits.
            StoreError: the database cannot be written.
        """
        return self.memories.remember(text, memory_id=id, tags=tags)

    def forget(self, memory_id: int) -> tuple[str, int]:
        """Delete a memory; see `remember` for what is returned and raised."""
        return self.memories.forget(memory_id)

    def memory(self, memory_id: int) -> Memory | None:
        """Return a memory by its id, None when there is none."""
        return self.memories.get(memory_id)

    def show(self, ref: str, *, context: int = 0) -> Opened:
        """Open what a reference names: `12`, `mem:12`, `path:line` or an entry id.

        Raises:
            InvalidInputError: *ref* names nothing of that kind.
            NotFoundError: no such memory or entry.
        """
        from clawa_search.show import open_ref

        return open_ref(self, ref, context)

    def reindex(
        self,
        paths: Iterable[str] = (),
        *,
        rebuild: bool = False,
        suspect: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Bring the index up to date with *paths*, or with every session root known.

        Args:
            rebuild: build a new index beside the old one and swap; folders that are missing are
                forgotten, unless the old one is *suspect*.

        Raises:
            IndexBusyError: another process is indexing.
            IndexBrokenError: the index can be neither written nor replaced.
        """
        from indexer.sync import sync

        chosen = [paths] if isinstance(paths, str) else list(paths)
        listing = self.places.listing_of(chosen) if chosen else self.everything(compared=True)
        try:
            return sync(
                self.places.index_dir,
                listing,
                rebuild=rebuild,
                suspect=suspect,
                seen=self._short,
                progress=progress or self._progress,
            )
        finally:
            self.refresh_memories()

    def everything(self, *, thorough: bool = True, compared: bool = False) -> Listing:
        """List every session file of every root known, be it to a broken index.

        Args:
            thorough: see `Places.all_sessions`.
            compared: keep those that are as the catalog says apart, in `unchanged`.
        """
        from indexer import layout
        from indexer.known import Known, known_before

        roots: list[str] = []
        files: Mapping[str, str] = {}
        known: Mapping[str, str] | None = None
        try:
            generation = layout.current(self.places.index_dir)
            if generation is not None:
                found = Known(generation, self._short if generation.is_usable else None)
                found.close()
                roots, files = found.roots, found.files
                if generation.is_usable:
                    self._short = found.snapshot
                    known = files if compared else None
        except IndexBrokenError:
            if before := known_before(self.places.index_dir):
                roots, files = before.roots, before.files
        return self.places.all_sessions(roots, thorough=thorough, known=known, indexed=files.keys())

    def refresh_memories(self) -> None:
        """Analyse memories that other programs wrote; recall finds them without it, too."""
        from clawa_search.memory.stale import needs_refresh

        if needs_refresh(self.places.database, self.places.index_dir):
            try:
                self.memories.refresh()
            except RecallError:
                return  # locked or read-only: they are analysed when asked for

    def status(self) -> dict[str, object]:
        """Return paths, versions, counts and sizes, as `status --json` prints them."""
        from clawa_search.status import status

        return status(self)

    # What the parts of recall share.

    def open_catalog(self) -> Catalog | None:
        """Return the catalog of the current index, None when nothing usable is there.

        The catalog is opened before the index: it never claims more than the index holds.

        Raises:
            IndexBrokenError: the index folder cannot be read.
        """
        from indexer import layout
        from indexer.catalog import Catalog
        from indexer.status import identity

        generation = layout.current(self.places.index_dir)
        if generation is None or not generation.is_usable:
            self.close_index()
            return None
        # By its file as well: a folder that was deleted and made anew has the old name.
        file = identity(generation.catalog)
        seen, catalog = (self._folder, self._file), self._catalog
        # One that was opened as nobody could write to it does not see what others write later.
        if catalog is None or catalog.is_frozen or seen != (generation.folder, file):
            self.close_index()
            self._catalog = Catalog(generation.catalog)
            self._folder, self._file = generation.folder, file
        return self._catalog

    def snapshot(self) -> Snapshot | Known | None:
        """Return the catalog in short, if there is a snapshot that agrees with it.

        Of an index of another version, what it knew.
        """
        if self._catalog is None:
            from indexer.known import known_before

            return known_before(self.places.index_dir)
        from indexer import snapshot
        from indexer.layout import Generation
        from indexer.version import VERSION

        self._short = snapshot.read(Generation(self._folder, VERSION), self._short)
        return self._short

    def open_index(self) -> SessionIndex | None:
        """Return the index that belongs to the catalog, as of the latest commit.

        Raises:
            IndexBrokenError: it is damaged.
        """
        if self._catalog is None:
            return None
        if self._index is None:
            from clawa_search.search.sessions import SessionIndex
            from indexer.layout import Generation
            from indexer.version import VERSION

            self._index = SessionIndex(Generation(self._folder, VERSION))
        else:
            self._index.reload()
        return self._index

    def release(self) -> None:
        """Let go of the catalog as a question saw it, so that writers can tidy up."""
        if self._catalog is not None:
            self._catalog.release()

    def close_index(self) -> None:
        """Close the index; the next question opens it again, from scratch."""
        if self._catalog is not None:
            self._catalog.close()
        self._catalog = self._index = self._short = None
        self._folder, self._file = "", None

    def catch_up(
        self,
        listing: Listing,
        *,
        narrow: bool,
        rebuild: bool = False,
        suspect: bool = False,
    ) -> str:
        """Index *listing* now, see `sync`; return why not, or an empty string."""
        import gc

        from indexer.sync import sync

        gc.enable()  # the command line switches it off for a mere recall

        try:
            sync(
                self.places.index_dir,
                listing,
                rebuild=rebuild,
                suspect=suspect,
                narrow=narrow,
                commit_s=QUESTION_COMMIT_S,
                progress=self._progress,
            )
        except IndexBusyError:
            return "another process is indexing it now"
        except IndexBrokenError as error:
            return str(error)
        return ""
