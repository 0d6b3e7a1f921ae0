"""The entry point: the hot verb goes by hand, everything else through click.

`recall` runs hundreds of times a day in a fresh process; click alone would triple its cost.
"""

from __future__ import annotations

import gc
import os
import sys

from clawa_search.cli.flags import find_verb, wants_json
from clawa_search.cli.streams import OutputError, fail, keep_places, tell
from indexer.errors import RecallError, may_be_told

TRACEBACK = "CLAWA_TRACEBACK"


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    if sys.getfilesystemencoding() != "utf-8" and not sys.flags.utf8_mode and sys.executable:
        # In a C locale without UTF-8 mode a path beyond ASCII is no text that a database takes.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606
    keep_places()
    leave(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run *argv* and return the exit code: 0 found, 1 nothing found, 2 failure, 130 stopped."""
    try:
        return _dispatch(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader went away, as `head` does
        return 0
    except OutputError as error:
        tell(f"output: cannot be written: {error.strerror}")
        return 2


class InternalError(RecallError):
    """A mistake of ours, told instead of a traceback."""

    code = "internal"


def _dispatch(argv: list[str]) -> int:
    try:
        before, verb, after = find_verb(argv)
        if verb in ("recall", "reindex"):
            from clawa_search.cli import hot

            code = hot.run(verb, [*before, *after])
            if code is not None:
                return code
        from clawa_search.cli.app import run as run_app

        gc.enable()  # `start` switched it off
        return run_app(argv)
    except (BrokenPipeError, OutputError):
        raise
    except BaseException as error:  # the last border: nobody is served by a traceback
        if TRACEBACK in os.environ or not may_be_told(error):
            raise
        return fail(told(error), as_json=wants_json(argv))


def told(error: BaseException) -> InternalError:
    """Return *error* in one line: what the system refused by its path, a mistake of ours by name."""
    if isinstance(error, OSError) and error.strerror:
        hint = "set its permissions" if isinstance(error, PermissionError) else ""
        return InternalError(f"{error.filename or 'system'}: {error.strerror}", hint=hint)
    return InternalError(
        f"internal error: {type(error).__name__}: {error}",
        hint=f"please report it; with {TRACEBACK}=1 it tells where",
    )


def leave(code: int) -> None:
    """End the process at once: taking the interpreter down costs more than a recall."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:
            continue
        except (OSError, ValueError) as error:
            tell(f"output: cannot be written: {getattr(error, 'strerror', None) or error}")
            code = code or 2
    os._exit(code)
