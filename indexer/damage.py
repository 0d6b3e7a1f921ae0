"""Tell a damaged index, which a new one heals, from one that must be left alone."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.layout import Generation

from indexer.catalog import SELECT, Catalog
from indexer.checkup import segment_files
from indexer.errors import IndexBrokenError


def find_damage(generation: Generation) -> str:
    """Say what of *generation* is damaged; empty when nothing is, or when it may not be read.

    Lost or cut files, a `meta.json` or a catalog that is none, parts of different times. Bits that
    a disk flipped inside a file are `doctor`'s to find: that reads everything.
    """
    if not _is_ours(generation):
        return ""
    try:
        book = Catalog(generation.catalog)
        try:
            rows = book.select("PRAGMA quick_check(1)")
            if rows != [("ok",)]:
                return f"{generation.catalog}: {rows[0][0]}"
            book.select(f"{SELECT} LIMIT 1")
            book.statuses()
            # A pass that was left unfinished may have put in more than it recorded.
            recorded = None if book.number("writing") else int(str(book.totals()["entries"]))
        finally:
            book.close()
        for folder in (generation.messages, generation.priors):
            missing = _missing_file(folder)
            if missing:
                return f"{missing} is missing"
        held = _open_both(generation)
        if recorded is not None and held != recorded:
            return f"{held:,} entries in the index, {recorded:,} in the catalog"
    except IndexBrokenError as error:
        return str(error)
    return ""


def _is_ours(generation: Generation) -> bool:
    """May everything be read and written? If not, nothing can be said about damage."""
    for folder in (generation.folder, generation.messages, generation.priors):
        if not os.path.isdir(folder):
            continue
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return False
        with os.scandir(folder) as entries:
            if not all(os.access(entry.path, os.R_OK) for entry in entries):
                return False
    return True


def _missing_file(folder: str) -> str:
    """Return a file of the index that its `meta.json` names and that is not there.

    Tantivy itself opens an index without its positions, and answers phrases wrongly.
    """
    try:
        paths = [f"{folder}/{name}" for name in segment_files(folder)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{folder}/meta.json"
    return next((path for path in paths if not os.path.exists(path)), "")


def _open_both(generation: Generation) -> int:
    """Open both indexes; return how many entries they hold."""
    from indexer import schema
    from indexer.writer import open_index

    messages = open_index(generation.messages, schema.messages(), create=False)
    open_index(generation.priors, schema.priors(), create=False)
    return int(messages.searcher().num_docs)
