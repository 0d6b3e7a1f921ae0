"""Help texts and shell completion, made by click from the tables of verbs and flags."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click
from click.shell_completion import get_completion_class

from clawa_search.cli.flags import GLOBAL_FLAGS, NUMBER, SWITCH, Flag
from clawa_search.cli.streams import put
from clawa_search.cli.verb import MANY, PROGRAM, Verb
from clawa_search.cli.verbs import VERBS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

COMPLETE = "_CLAWA_SEARCH_COMPLETE"
"""Set by a shell that asks for completions."""
ABOUT = "Recall for agents: memories with ids, session history with file:line anchors."
EXAMPLES = (
    'clawa-search remember "The human likes short answers." --tag human',
    "clawa-search recall short answers",
    "clawa-search show mem:1",
)
EXITS = "Exit codes: 0 found or done, 1 nothing found, 2 wrong use or failure, 130 interrupted."
MAX_WIDTH = 100


class Program(click.Group):
    """All verbs, in the order in which a newcomer needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


def overview() -> str:
    """Return the help of the program: its verbs and its global flags."""
    return _help(_program(), PROGRAM)


def help_of(verb: Verb) -> str:
    """Return the help of one verb, its own flags first."""
    return _help(_command(verb), f"{PROGRAM} {verb.name}")


def completion_script(shell: str) -> str:
    """Return what makes *shell* ask us for completions."""
    maker = get_completion_class(shell)
    assert maker is not None
    return maker(_program(), {}, PROGRAM, COMPLETE).source() + "\n"


def complete(instruction: str) -> int:
    """Answer the shell that set COMPLETE to *instruction* (`bash_complete`)."""
    maker = get_completion_class(instruction.partition("_")[0])
    if maker is None:
        return 2
    try:
        told = maker(_program(), {}, PROGRAM, COMPLETE).complete()
    except (KeyError, ValueError):  # the shell did not say what was typed
        return 2
    put(told + "\n")
    return 0


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, max_content_width=MAX_WIDTH)
    return command.get_help(context) + "\n"


def _program() -> click.Group:
    return Program(
        PROGRAM,
        commands={verb.name: _command(verb) for verb in VERBS.values()},
        params=[_option(flag) for flag in GLOBAL_FLAGS],
        help="\n\n".join([ABOUT, _verbatim(EXAMPLES), EXITS]),
        add_help_option=False,
        options_metavar="[FLAGS]",
        subcommand_metavar="VERB ...",
    )


def _command(verb: Verb) -> click.Command:
    params: list[click.Parameter] = []
    if verb.usage:
        kind = click.Choice(verb.choices) if verb.choices else None
        many = -1 if verb.most == MANY else 1
        params.append(click.Argument(["words"], type=kind, nargs=many, metavar=verb.usage))
    params += [_option(flag) for flag in (*verb.flags, *GLOBAL_FLAGS)]
    return click.Command(
        verb.name,
        params=params,
        help=_described(verb),
        short_help=verb.help.partition("\n")[0].rstrip("."),
        add_help_option=False,
        options_metavar="[FLAGS]",
    )


def _option(flag: Flag) -> click.Option:
    kind: Any = click.Choice(flag.choices) if flag.choices else None
    if flag.metavar in ("DIR", "FILE"):
        kind = click.Path()  # shells complete paths there
    if flag.kind == NUMBER:
        kind = click.INT
    return click.Option(
        [*flag.names, flag.key],
        is_flag=flag.kind == SWITCH,
        multiple=flag.many,
        type=kind,
        metavar=flag.metavar or None,
        help=flag.help,
    )


def _described(verb: Verb) -> str:
    """Return what *verb* says of itself, its examples left as they are."""
    return "\n\n".join([inspect.cleandoc(verb.help), _verbatim(verb.examples)])


def _verbatim(lines: Iterable[str]) -> str:
    return "\n".join(["\b", *(f"  {line}" for line in lines)])
