"""Every error that clawa-search raises, in one tree.

RecallError                       (indexer.errors) never raised itself
 ├ IndexBusyError                 (indexer.errors) another process is writing the index
 ├ IndexBrokenError               (indexer.errors) the index is unreadable
 ├ InvalidInputError              a flag, tag, date, limit or reference that the caller can correct
 ├ NotFoundError                  no memory or entry of that id
 └ StoreError                     the memory database is locked, damaged, full or not a database
"""

from indexer.errors import IndexBrokenError, IndexBusyError, RecallError

__all__ = [
    "IndexBrokenError",
    "IndexBusyError",
    "InvalidInputError",
    "NotFoundError",
    "RecallError",
    "StoreError",
]


class InvalidInputError(RecallError, ValueError):
    """A value that the caller can correct."""

    code = "invalid_input"


class NotFoundError(RecallError, LookupError):
    """No memory or session entry of that id."""

    code = "not_found"


class StoreError(RecallError):
    """The memory database cannot be opened, read or written."""

    code = "store"
