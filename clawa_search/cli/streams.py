"""The process's own streams: results to stdout, notes to stderr, whatever state these are in."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.errors import RecallError

from clawa_search.errors import InvalidInputError

STDIN_BYTES = 4 << 20
"""No query or memory is longer than this."""


class OutputError(OSError):
    """Stdout cannot be written (closed, or its disk is full)."""


def keep_places() -> None:
    """Put something harmless where a standard stream was closed.

    Else the next file opened, a database perhaps, would become stdout.
    """
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (fd := os.open(os.devnull, os.O_RDONLY)) < 3:
        continue
    os.close(fd)


def put(text: str) -> None:
    """Write results to stdout as UTF-8, whatever the locale says.

    Raises:
        BrokenPipeError: the reader went away.
        OutputError: it cannot be written.
    """
    raw = memoryview(text.encode("utf-8", "replace"))
    try:
        while raw:
            try:
                raw = raw[os.write(1, raw) :]
            except BlockingIOError:
                from select import select

                select([], [1], [])
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(*error.args) from error


def tell(note: str) -> None:
    """Write a note to stderr: `clawa-search: PATH: what: why`; nobody to hear it is no error."""
    from clawa_search.output.clean import for_terminal

    line = " ".join(for_terminal(note).splitlines())
    try:
        os.write(2, f"clawa-search: {line}\n".encode("utf-8", "replace"))
    except OSError:
        return


def fail(error: RecallError, *, as_json: bool) -> int:
    """Tell an error, as JSON on stdout or as text on stderr; return the exit code 2."""
    if as_json:
        from clawa_search.output.json import error_text

        put(error_text(error.code, str(error), error.hint))
    else:
        tell(f"{error}{f' ({error.hint})' if error.hint else ''}")
    return 2


def need_streams(verb: str) -> None:
    """Make sure that a program can speak with *verb* on stdin and stdout.

    Raises:
        InvalidInputError: one of them was closed.
    """
    if sys.stdin is None or sys.stdout is None:
        raise InvalidInputError(
            f"{verb}: stdin or stdout is closed",
            hint="a program starts it and speaks with it there",
        )


def read_stdin() -> str:
    """Return stdin as text; bytes that are not UTF-8 become U+FFFD.

    Raises:
        InvalidInputError: it is longer than STDIN_BYTES, or cannot be read.
    """
    parts = []
    left = STDIN_BYTES + 1
    try:
        while left and (part := os.read(0, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise InvalidInputError(f"stdin: cannot be read: {error.strerror}") from error
    if not left:
        raise InvalidInputError(f"stdin: longer than {STDIN_BYTES >> 20} MiB")
    return b"".join(parts).decode("utf-8", "replace")


def as_text(word: str) -> str:
    """Return an argument as text: bytes that no text can hold become U+FFFD."""
    if word.isascii():
        return word
    try:
        return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # a lone surrogate, from a caller in Python
        return word.encode("utf-8", "replace").decode()
