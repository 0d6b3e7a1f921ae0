"""The only code that writes the index. Tantivy's errors are translated here."""

from __future__ import annotations

import os

import tantivy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.entry import Entry, Line
    from indexer.layout import Generation

from indexer import analysis, schema
from indexer.errors import IndexBrokenError, is_panic, translated

BULK_HEAP_BYTES = 90_000_000
"""What is read between two commits fills 80 MB: less would make segments and merges, more gains
nothing. For one thread: a second would write segments of its own, and each of them names its
words again (4 % of an index)."""
BULK_PRIOR_HEAP_BYTES = 20_000_000
SMALL_HEAP_BYTES = 15_000_000
SEGMENT_DIGITS = 32
M_ARENA_MAX = -8  # in malloc.h of glibc
BURST_DOCUMENTS, BURST_CHARS = 500, 1 << 20
"""Held back and handed over together: the engine's thread is faster, and waking it up for each
document took a tenth of the CPU."""


def writing(place: str) -> translated:
    """Return a block that tells what the engine raises as an index that cannot be written."""
    return translated(place, broken)


def broken(place: str, error: BaseException) -> IndexBrokenError:
    return IndexBrokenError(
        f"{place}: the index cannot be written: {error}",
        hint="check free space and permissions; `clawa-search reindex --rebuild` makes a new one",
    )


def open_index(folder: str, fields: tantivy.Schema, *, create: bool) -> tantivy.Index:
    """Open the index in *folder*, or make it there; its analyser must be registered each time.

    An index that should exist is never made: one that lost its `meta.json` would come back
    empty, and its catalog would go on saying that everything is in it.
    """
    with writing(folder):
        index = tantivy.Index(fields, path=folder) if create else tantivy.Index.open(folder)
        index.register_tokenizer(analysis.TOKENIZER, analysis.analyzer())
        return index


class Writer:
    """Adds and removes entries of both indexes; nothing counts before `commit`.

    One writer exists at a time: the caller holds `store.WriterLock`.

    Attributes:
        analyse: gives the expanded text and the codes of a text.
    """

    def __init__(self, generation: Generation, *, much: bool, create: bool) -> None:
        """Open *generation* for writing.

        Args:
            much: much is coming: use a large heap.
            create: the generation is a new one, its folders are empty.

        Raises:
            IndexBrokenError: it cannot be opened.
        """
        self._place = generation.folder
        heap = BULK_HEAP_BYTES if much else SMALL_HEAP_BYTES
        self._fields = schema.messages()
        self._prior_fields = schema.priors()
        use_one_arena()
        with writing(self._place):
            for folder in (generation.messages, generation.priors):
                clean_up(folder)
            index = open_index(generation.messages, self._fields, create=create)
            self._prior_index = open_index(generation.priors, self._prior_fields, create=create)
            self._messages = index.writer(heap, 1)
        self._priors: tantivy.IndexWriter | None = None
        self._prior_heap = BULK_PRIOR_HEAP_BYTES if much else SMALL_HEAP_BYTES
        self._changed = False
        self._much = much
        self.analyse = _analyser(much=much)
        self._held: list[tantivy.Document] = []
        self._held_chars = 0

    @property
    def _prior_writer(self) -> tantivy.IndexWriter:
        if self._priors is None:
            self._priors = self._prior_index.writer(self._prior_heap, 1)
        return self._priors

    def add(self, file_id: int, seq: int, line: Line, entry: Entry) -> str:
        """Add one entry; return its expanded text."""
        fields = schema.fields(file_id, seq, line, entry)
        expanded, fields["code"] = self.analyse(entry.text)
        fields["text"] = expanded
        self._changed = True
        self._held.append(_document(fields, self._fields))
        self._held_chars += len(expanded)
        if len(self._held) >= BURST_DOCUMENTS or self._held_chars >= BURST_CHARS:
            self._send()
        return expanded

    def _send(self) -> None:
        """Hand over what is held: before anything that must come after it."""
        add = self._messages.add_document
        with writing(self._place):
            for document in self._held:
                add(document)
        self._held.clear()
        self._held_chars = 0

    def set_prior(self, file_id: int, expanded: str) -> None:
        """Replace the session document of a file."""
        self._changed = True
        with writing(self._place):
            self._prior_writer.delete_documents_by_term("file", file_id)
            if expanded:
                fields = schema.prior(file_id, expanded)
                self._prior_writer.add_document(_document(fields, self._prior_fields))

    def forget(self, file_id: int, *, from_seq: int = 0) -> None:
        """Remove a file's entries from *from_seq* on; deletes see only what was added before."""
        self._changed = True
        self._send()
        with writing(self._place):
            if from_seq == 0:
                self._messages.delete_documents_by_term("file", file_id)
                self._prior_writer.delete_documents_by_term("file", file_id)
            else:
                self._forget_range(
                    file_id << schema.SEQ_BITS | from_seq, (file_id + 1) << schema.SEQ_BITS
                )

    def _forget_range(self, first: int, stop: int) -> None:
        query = tantivy.Query.range_query(
            self._fields, "mid", tantivy.FieldType.Integer, first, stop, include_upper=False
        )
        self._messages.delete_documents_by_query(query)

    def commit(self) -> None:
        """Make everything so far durable and visible to readers opened from now on."""
        if not self._changed:
            return
        self._send()
        with writing(self._place):
            if self._priors is None:
                self._messages.commit()
                return
            from threading import Thread

            # Each commit waits for about 14 fdatasync calls; two of them may wait together.
            errors: list[BaseException] = []
            other = Thread(target=_commit, args=(self._priors, errors))
            other.start()
            try:
                self._messages.commit()
            finally:
                other.join()
            if errors:
                raise errors[0]
            if self._much:
                give_back()

    def close(self) -> None:
        """Wait for merges (dropping the writer would lose them) and remove dead files.

        Measured: without the wait 1,000 one-line commits leave 1,000 segments.
        """
        with writing(self._place):
            for writer in (self._messages, self._priors):
                if writer is not None:
                    writer.wait_merging_threads()

    def abandon(self) -> None:
        """Give up what was not committed. Never fails: something else just did."""
        for writer in (self._messages, self._priors):
            if writer is not None:
                for step in (writer.rollback, writer.wait_merging_threads):
                    try:
                        step()
                    except BaseException as error:
                        if not (isinstance(error, ValueError | OSError) or is_panic(error)):
                            raise


def _analyser(*, much: bool) -> Callable[[str], tuple[str, str]]:
    if not much:
        return analysis.analyse
    from indexer.bulk import analyse

    return analyse


def _document(fields: dict[str, object], types: tantivy.Schema) -> tantivy.Document:
    """Make a document of fields whose types are known.

    Without the schema it takes twice as long, and `Document(file=3)` in an unsigned field kills
    the writer thread, with an error that appears thousands of documents later.
    """
    return tantivy.Document.from_dict(fields, types)


def _commit(writer: tantivy.IndexWriter, errors: list[BaseException]) -> None:
    try:
        writer.commit()
    except BaseException as error:  # noqa: BLE001  # raised again by the thread that waits
        errors.append(error)


def give_back() -> None:
    """Return freed memory to the system: each of the engine's threads leaves some in an arena."""
    _call_libc("malloc_trim", 0)


def use_one_arena() -> None:
    """Let all threads share one arena where addresses are limited (`ulimit -v`).

    glibc reserves 64 MB of addresses for each thread that allocates, of which next to nothing is
    used: with 400 MB the engine's threads could not start, and the process was aborted.
    """
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        _call_libc("mallopt", M_ARENA_MAX, 1)


def _call_libc(name: str, *numbers: int) -> None:
    """Call a function that only glibc has, if it is there."""
    try:
        import ctypes
    except ImportError:  # a Python built without it
        return
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:
        function(*numbers)


def clean_up(folder: str) -> None:
    """Remove what a killed writer left: Tantivy's own collection comes after a commit only.

    A `.del` file that the lost commit wrote would fail each later one: the same changes give the
    same name. Only while nobody else writes.
    """
    try:
        with open(f"{folder}/meta.json", "rb") as file:
            meta = "".join(file.read().decode("utf-8", "replace").split())
    except FileNotFoundError:
        meta = ""  # not made yet, or lost: then all is made anew
    for name in os.listdir(folder):
        if name.startswith(".tmp") or (meta and is_lost(name, meta)):
            os.unlink(f"{folder}/{name}")


def is_lost(name: str, meta: str) -> bool:
    """Tell whether *name* is a segment's file that *meta*, without white space, does not name."""
    stem, _, kind = name.partition(".")
    if len(stem) != SEGMENT_DIGITS or not kind:
        return False
    at = meta.find("-".join((stem[:8], stem[8:12], stem[12:16], stem[16:20], stem[20:])))
    if at < 0:
        return True
    start = meta.find('"deletes":', at)
    deletes = meta[start : meta.find("}", start) + 1]
    return kind.endswith(".del") and f'"opstamp":{kind.removesuffix(".del")}}}' not in deletes
