"""The verbs of the command line, one function each: arguments in, output out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from clawa_search.cli.app import CONTEXT, PROGRAM, folder_of_agent, show_recall_help, with_places
from clawa_search.cli.hot import put, tell
from clawa_search.errors import InvalidInputError
from clawa_search.output.json import line

if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.recall import Recall
    from indexer.report import SyncReport

DONE = {
    "created": "Remembered #{}.",
    "updated": "Updated memory #{}.",
    "deleted": "Deleted memory #{}.",
    "unchanged": "Memory #{} is unchanged.",
}
json_flag = click.option("--json", "as_json", is_flag=True, help="One JSON object on one line.")


def command(name: str) -> Any:  # click's own decorators are untyped here
    return click.command(name, context_settings=CONTEXT)


def _done(action: str, number: int, *, as_json: bool) -> int:
    text = line({"action": action, "id": number}) if as_json else DONE[action].format(number) + "\n"
    put(text)
    return 0


@command("remember")
@with_places
@click.argument("text", nargs=-1)
@click.option("--id", "number", type=click.IntRange(1), metavar="N", help="Update this memory.")
@click.option("--tag", "tags", multiple=True, metavar="T", help="Tag; may be repeated.")
@click.option("--no-tags", is_flag=True, help="With --id: clear the tags.")
@json_flag
def remember(
    recall: Recall,
    text: tuple[str, ...],
    number: int | None,
    tags: tuple[str, ...],
    no_tags: bool,
    as_json: bool,
) -> int:
    """Save a short memory; --id updates one, and an empty TEXT with --id deletes it.

    TEXT may be several words; `-` reads it from stdin. Tags are lower-cased, at most 12.
    """
    if not text and number is None:
        raise InvalidInputError("remember: no text given", hint="TEXT, or - to read it from stdin")
    if tags and no_tags:
        raise InvalidInputError("remember: --tag and --no-tags exclude each other")
    said = " ".join(text)
    if text == ("-",):
        said = sys.stdin.buffer.read(1 << 22).decode("utf-8", "replace")
    given = () if no_tags else (tags or None)
    if not text and number is not None and (tags or no_tags):
        kept = recall.memory(number)
        said = kept.text if kept else said
    action, done = recall.remember(said, number, given)
    return _done(action, done, as_json=as_json)


@command("forget")
@with_places
@click.argument("number", metavar="ID")
@json_flag
def forget(recall: Recall, number: str, as_json: bool) -> int:
    """Delete the memory with this id."""
    digits = number.removeprefix("mem:").removeprefix("#")
    if not digits.isascii() or not digits.isdigit() or int(digits) >= 1 << 63:
        raise InvalidInputError(f"forget: not a memory id: {number!r}")
    action, done = recall.forget(int(digits))
    return _done(action, done, as_json=as_json)


@command("show")
@with_places
@click.argument("ref")
@click.option("-C", "--context", type=click.IntRange(0, 50), default=0, metavar="N")
@json_flag
def show(recall: Recall, ref: str, context: int, as_json: bool) -> int:
    """Open REF: a memory (12, #12, mem:12), PATH:LINE, or an entry id.

    -C N adds N entries before and after along the branch. An entry that moved is found
    again (status `relocated`), one that no longer exists is `gone` (exit code 1).
    """
    from clawa_search.output.opened import as_fields, as_text

    opened = recall.show(ref, context=context)
    put(line(as_fields(opened)) if as_json else as_text(opened))
    return 1 if opened.status == "gone" else 0


@command("reindex")
@with_places
@click.argument("paths", nargs=-1, metavar="[PATH ...]")
@click.option("--rebuild", is_flag=True, help="Build a new index beside the old one, then swap.")
@click.option("--watch", is_flag=True, help="Go on: index whenever a session file changes.")
@json_flag
def reindex(
    recall: Recall, paths: tuple[str, ...], rebuild: bool, watch: bool, as_json: bool
) -> int:
    """Bring the index up to date with session files; without PATH, with every root known.

    Not needed for recall to be right: what is not indexed yet is read when asked for.
    """
    if watch:
        from clawa_search.cli.watching import watch_forever

        return watch_forever(recall, list(paths), as_json=as_json)
    report = recall.reindex(list(paths), rebuild=rebuild)
    put(line(report_fields(report)) if as_json else report_text(report))
    if not as_json:
        for path, why in report.notes:
            tell(f"{path}: {why}")
    return 0


def report_fields(report: SyncReport) -> dict[str, object]:
    return {
        "files": {
            "seen": report.seen,
            "indexed": report.indexed,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "failed": report.failed,
            "not_sessions": report.not_sessions,
        },
        "entries": {
            "added": report.added,
            "removed": report.removed_entries,
            "skipped_lines": report.skipped_lines,
        },
        "bytes_read": report.bytes_read,
        "took_ms": round(report.took_ms, 1),
        "notes": [f"{path}: {why}" for path, why in report.notes],
    }


def report_text(report: SyncReport) -> str:
    parts = [f"{report.indexed:,} indexed", f"{report.unchanged:,} unchanged"]
    for count, what in (
        (report.removed, "removed"),
        (report.failed, "failed"),
        (report.not_sessions, "not sessions"),
    ):
        if count:
            parts.append(f"{count:,} {what}")
    return (
        f"{report.seen:,} files: {', '.join(parts)}; {report.added:,} entries added, "
        f"{report.bytes_read / 1e6:.1f} MB read in {report.took_ms / 1000:.2f} s\n"
    )


@command("status")
@with_places
@json_flag
def status(recall: Recall, as_json: bool) -> int:
    """Tell where things are, how much there is, and whether the index is behind."""
    from clawa_search.pi.install import status as installed

    told = recall.status()
    found = installed(folder_of_agent(recall))
    told["pi_extension"] = found.state
    if as_json:
        put(line(told))
    else:
        width = max(map(len, told))
        put("".join(f"{name:{width}}  {_plain(value)}\n" for name, value in told.items()))
    return 0


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "-" if value is None else str(value)


@command("doctor")
@with_places
@click.option("--repair", is_flag=True, help="Mend what can be mended; memories after a backup.")
@json_flag
def doctor(recall: Recall, repair: bool, as_json: bool) -> int:
    """Check memories, mirror, index, anchors and freshness; exit 0 only if all hold."""
    from clawa_search.health import doctor as examine

    checks = examine(recall, repair=repair)
    ok = all(check.ok for check in checks)
    if as_json:
        put(line({"ok": ok, "checks": [check.fields() for check in checks]}))
    else:
        for check in checks:
            mend = f"\n       {check.repair}" if check.repair else ""
            put(f"{'ok    ' if check.ok else 'WRONG '} {check.name}: {check.detail}{mend}\n")
    return 0 if ok else 2


@command("hydrate")
@with_places
@json_flag
def hydrate(recall: Recall, as_json: bool) -> int:
    """Print the hydration block made of the home's five living files."""
    from clawa_search.continuity.hydration import as_json as fields
    from clawa_search.continuity.hydration import hydrate as make

    made = make(recall.places.home)
    if as_json:
        put(line(fields(made)))
    else:
        put(made.text + "\n" if made.text else "")
        for warning in made.warnings:
            tell(warning)
    return 0 if made.text else 1


@command("memory-pass")
@with_places
@click.option("--tokens", type=click.IntRange(0), required=True, metavar="T", help="Used so far.")
@click.option("--window", type=click.IntRange(1), required=True, metavar="W", help="Window size.")
@click.option("--reserve", type=click.IntRange(0), metavar="R", help="Kept free by the host.")
@json_flag
def memory_pass(
    recall: Recall, tokens: int, window: int, reserve: int | None, as_json: bool
) -> int:
    """Tell whether the memory pass is due at this use of the context window, and its prompt."""
    from clawa_search.continuity.memory_pass import as_json as fields

    told = fields(tokens, window, reserve)
    if as_json:
        put(line(told))
    else:
        put(f"{'due' if told['due'] else 'not due'} (threshold {told['threshold']} tokens)\n")
        if told["due"]:
            put(f"\n{told['prompt']}\n")
    return 0 if told["due"] else 1


@command("setup")
@with_places
@click.argument("agent", type=click.Choice(["pi"]))
@click.option("--remove", is_flag=True, help="Take it out again.")
def setup(recall: Recall, agent: str, remove: bool) -> int:
    """Install the extension into an agent (or refresh it after an upgrade)."""
    from clawa_search.pi import install

    folder = folder_of_agent(recall)
    done = install.remove(folder) if remove else install.install(folder)
    put(f"{agent}: {done.detail}\n")
    return 0


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print a completion script: `eval "$(clawa-search completion bash)"`."""
    from click.shell_completion import get_completion_class

    from clawa_search.cli.app import cli

    maker = get_completion_class(shell)
    assert maker is not None
    put(maker(cli, {}, PROGRAM, "_CLAWA_SEARCH_COMPLETE").source() + "\n")
    return 0


@command("bridge")
@with_places
def bridge(recall: Recall) -> int:
    """Serve the Pi extension: JSON lines on stdin and stdout, until stdin ends."""
    recall.close()
    from clawa_search.bridge import main

    return main()


@command("demo")
def demo() -> int:
    """Show remember, reindex, recall and show at work on a small home that we bring along."""
    from clawa_search.cli.demo import run_demo

    return run_demo()


COMMANDS: dict[str, click.Command] = {
    "recall": show_recall_help(),
    "remember": remember,
    "forget": forget,
    "show": show,
    "reindex": reindex,
    "demo": demo,
    "status": status,
    "doctor": doctor,
    "hydrate": hydrate,
    "memory-pass": memory_pass,
    "setup": setup,
    "completion": completion,
    "bridge": bridge,
}
