"""Run a verb: find it, split its words, call it. Everything but the hot path of `recall`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.cli.flags import Split

from clawa_search.cli.flags import GLOBAL_FLAGS, JSON, find_verb, split, wants_json
from clawa_search.cli.hot import places_of, progress_bar
from clawa_search.cli.streams import fail, put
from clawa_search.cli.verb import PROGRAM, Verb
from clawa_search.cli.verbs import VERBS
from clawa_search.errors import InvalidInputError
from indexer.errors import RecallError

COMPLETE = "_CLAWA_SEARCH_COMPLETE"
"""Set by a shell that asks for completions: the name that click gives it."""


class UsageError(InvalidInputError):
    """A command line that does not say what to do."""

    code = "usage"


def run(argv: list[str]) -> int:
    """Run *argv*; return the exit code. Errors are told on stderr, or as JSON on stdout."""
    if not argv and COMPLETE in os.environ:
        from clawa_search.cli.help import complete

        return complete(os.environ[COMPLETE])
    try:
        before, name, after = find_verb(argv)
        if not name:
            return _no_verb(before)
        verb = VERBS.get(name)
        if verb is None:
            raise _unknown_verb(name)
        return _run_verb(verb, split(name, [*before, *after], (*verb.flags, *GLOBAL_FLAGS)))
    except RecallError as error:
        return fail(error, as_json=wants_json(argv))


def _no_verb(argv: list[str]) -> int:
    given = split("", argv, (*GLOBAL_FLAGS, JSON))
    if "version" in given.values:
        return _show_version()
    from clawa_search.cli.help import overview

    if "help" in given.values:
        put(overview())
        return 0
    raise UsageError("no verb given", hint=f"`{PROGRAM} --help` lists them")


def _unknown_verb(name: str) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, list(VERBS), 1)
    meant = f"did you mean {near[0]}? " if near else ""
    return UsageError(f"no such verb: {name}", hint=f"{meant}`{PROGRAM} --help` lists them")


def _show_version() -> int:
    from clawa_search import __version__

    put(f"{PROGRAM} {__version__}\n")
    return 0


def _run_verb(verb: Verb, given: Split) -> int:
    if "version" in given.values:
        return _show_version()
    if "help" in given.values:
        from clawa_search.cli.help import help_of

        put(help_of(verb))
        return 0
    verb.check(given.words)
    from clawa_search.recall import Recall

    with Recall(places_of(given.values), progress=progress_bar()) as recall:
        return verb.run(recall, given)
