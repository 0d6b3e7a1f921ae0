"""The entry point: the hot verb goes by hand, everything else through click.

`recall` runs hundreds of times a day in a fresh process; click alone would triple its cost.
"""

from __future__ import annotations

import sys

GLOBALS = ("--home", "--index-dir", "--sessions-dir")


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    code = run(sys.argv[1:])
    leave(code)


def run(argv: list[str]) -> int:
    """Run *argv* and return the exit code: 0 found, 1 nothing found, 2 failure, 130 stopped."""
    verb = position_of_verb(argv)
    try:
        if verb >= 0 and argv[verb] == "recall":
            from clawa_search.cli.hot import recall

            code = recall(argv[:verb] + argv[verb + 1 :])
            if code is not None:
                return code
        from clawa_search.cli.app import run as run_app

        return run_app(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader went away, as `head` does
        return 0


def position_of_verb(argv: list[str]) -> int:
    """Return where the verb stands after the global flags, -1 when something else comes."""
    number = 0
    while number < len(argv):
        word = argv[number]
        if word in GLOBALS:
            number += 2
        elif word.startswith(tuple(f"{name}=" for name in GLOBALS)):
            number += 1
        else:
            return -1 if word.startswith("-") else number
    return -1


def leave(code: int) -> None:
    """End the process at once: taking the interpreter down costs more than a recall."""
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, ValueError):
        pass
    except OSError as error:
        os.write(2, f"clawa-search: output: cannot be written: {error.strerror}\n".encode())
        code = code or 2
    os._exit(code)
