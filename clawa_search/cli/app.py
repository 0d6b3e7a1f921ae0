"""Everything but the hot path of `recall`: click reads the arguments, the facade does the work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from clawa_search import __version__
from clawa_search.cli import hot
from clawa_search.cli.flags import GLOBAL_FLAGS, NUMBER, RECALL_FLAGS, SWITCH, Flag
from clawa_search.places import Places
from clawa_search.recall import Recall
from indexer.errors import RecallError

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAM = "clawa-search"
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(argv: list[str]) -> int:
    """Run *argv*; return the exit code. Errors are told on stderr, or as JSON on stdout."""
    as_json = "--json" in argv
    try:
        code = cli.main(argv, prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.Abort:
        return 130
    except click.UsageError as error:
        hint = f"see `{error.ctx.command_path if error.ctx else PROGRAM} --help`"
        return hot.fail(UsageMistake(error.format_message(), hint=hint), as_json=as_json)
    except click.ClickException as error:
        return hot.fail(UsageMistake(error.format_message()), as_json=as_json)
    except RecallError as error:
        return hot.fail(error, as_json=as_json)
    return code if isinstance(code, int) else 0


class UsageMistake(RecallError):
    """An argument that the command line does not know."""

    code = "usage"


def options(flags: tuple[Flag, ...]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Turn flags into click options, so that one table serves both parsers."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for flag in reversed(flags):
            kind: object = click.Choice(flag.choices) if flag.choices else str
            if flag.kind == NUMBER:
                kind = click.IntRange(flag.low, flag.high)
            function = click.option(
                *flag.names,
                flag.key,
                is_flag=flag.kind == SWITCH,
                multiple=flag.many,
                type=None if flag.kind == SWITCH else kind,
                metavar=flag.metavar or None,
                help=flag.help,
            )(function)
        return function

    return add


def with_places(function: Callable[..., int]) -> Callable[..., int]:
    """Give a verb the global flags, which may also stand before it."""

    @options(GLOBAL_FLAGS)
    @click.pass_context
    def wrapped(context: click.Context, /, **values: Any) -> int:  # noqa: ANN401  # click's
        own = {key: values.pop(key) for key in ("home", "index_dir", "sessions_dir")}
        above = context.obj or {}
        places = Places(
            own["home"] or above.get("home"),
            own["index_dir"] or above.get("index_dir"),
            own["sessions_dir"] or above.get("sessions_dir") or (),
        )
        with Recall(places, progress=hot.progress_bar()) as recall:
            return function(recall, **values)

    wrapped.__doc__ = function.__doc__
    wrapped.__name__ = function.__name__
    for parameter in getattr(function, "__click_params__", ()):
        wrapped.__dict__.setdefault("__click_params__", []).append(parameter)
    return wrapped


class Group(click.Group):
    """The verbs in the order in which a newcomer needs them; modules load on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from clawa_search.cli import verbs

        if cmd_name not in VERBS:
            return None
        return verbs.COMMANDS[cmd_name]


VERBS = (
    "recall",
    "remember",
    "forget",
    "show",
    "reindex",
    "demo",
    "status",
    "doctor",
    "hydrate",
    "memory-pass",
    "setup",
    "completion",
    "bridge",
)


@click.group(cls=Group, context_settings=CONTEXT)
@options(GLOBAL_FLAGS)
@click.version_option(__version__, prog_name=PROGRAM)
@click.pass_context
def cli(context: click.Context, /, **values: object) -> None:
    r"""Recall for agents: memories with ids, session history with file:line anchors.

    \b
      clawa-search remember "The human likes short answers." --tag human
      clawa-search recall short answers
      clawa-search show mem:1

    Exit codes: 0 found or done, 1 nothing found, 2 wrong use or failure, 130 interrupted.
    """
    context.obj = values


def show_recall_help() -> click.Command:
    """Return the command that only shows the help of `recall`; its work is done by `hot`."""

    @click.command("recall", context_settings=CONTEXT)
    @options((*GLOBAL_FLAGS, *RECALL_FLAGS))
    @click.argument("query", nargs=-1)
    def recall(**_: object) -> None:
        """Find what was said or remembered, best first; without QUERY, the newest.

        "quoted words" must stand together, -"quoted words" must not occur; role:user,
        since:7d, until:DATE, tag:T and project:DIR narrow as the flags do. `-` reads the
        query from stdin, `--` ends the flags. By default all memories of the home and its
        five most recent session files are searched.
        """

    return recall


def folder_of_agent(recall: Recall) -> str:
    return recall.places.agent_dir
