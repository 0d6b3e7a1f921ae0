"""The root of the error tree of both packages, and the errors of indexing.

RecallError                       never raised itself; the only class that callers must know
 ├ IndexBusyError                 another process is writing; nothing was changed
 └ IndexBrokenError               unreadable index: it is a cache, delete it or run `reindex --rebuild`
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType


class RecallError(Exception):
    """Anything that clawa-search reports instead of a traceback.

    Attributes:
        code: a stable word for programs (`"index_busy"`).
        hint: what the reader can do about it; empty when there is nothing to do.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def tells_damage(error: BaseException) -> bool:
    """Does *error* say that the index cannot be read?"""
    return isinstance(error, IndexBrokenError) or is_panic(error)


def is_panic(error: BaseException) -> bool:
    """Is *error* a panic of the engine? Its class cannot be imported, and is no Exception."""
    return type(error).__name__ == "PanicException"


def may_be_told(error: BaseException) -> bool:
    """May a border answer with *error* and go on? Not with what is to end the process (Ctrl-C)."""
    return isinstance(error, Exception) or is_panic(error)


class IndexBusyError(RecallError):
    """Another process holds the writer lock of the index."""

    code = "index_busy"


class IndexBrokenError(RecallError):
    """The index cannot be read or written."""

    code = "index_broken"


class translated:  # noqa: N801  # read as a word: with translated(place, broken)
    """Turn what the engine raises over the index at a place (ValueError for everything) into ours.

    Written out, because contextlib takes a cold process 1 ms.
    """

    __slots__ = ("_broken", "_place")

    def __init__(
        self, place: str, broken: Callable[[str, BaseException], IndexBrokenError]
    ) -> None:
        self._place = place
        self._broken = broken

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if error is not None and (isinstance(error, ValueError | OSError) or is_panic(error)):
            raise self._broken(self._place, error) from error
