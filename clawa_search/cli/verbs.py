"""The verbs of the command line, one function each: words in, facade called, output out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.cli.flags import Split
    from clawa_search.recall import Recall

from clawa_search.cli.flags import (
    JSON,
    MAX_ID,
    NUMBER,
    RECALL_FLAGS,
    REINDEX_FLAGS,
    SWITCH,
    TEXT,
    Flag,
    is_number,
    last,
)
from clawa_search.cli.streams import as_text, need_streams, put, read_stdin, tell
from clawa_search.cli.verb import MANY, Verb
from clawa_search.errors import InvalidInputError
from clawa_search.output.clean import for_terminal
from clawa_search.output.json import line
from clawa_search.output.text import DONE


def recall(recall: Recall, given: Split) -> int:
    """Find what was said or remembered, best first.

    All memories of the home and its five most recent session files are searched, unless flags
    say otherwise. Without QUERY come the newest entries; `-` reads QUERY from stdin.

    "quoted words" stand together; beside other words, -"quoted words" do not occur. role:user,
    since:7d, until:DATE, tag:T and project:DIR narrow as the flags do.
    """
    from clawa_search.cli.hot import answer

    return answer(recall, given)


def remember(recall: Recall, given: Split) -> int:
    """Save a short memory, or change one.

    Words are joined; `-` reads the text from stdin. With --id the memory is updated, and
    deleted when the text is empty, but not by an empty stdin. At most 12 tags.
    """
    values = given.values
    number = int(values["id"][-1]) if "id" in values else None
    if "tag" in values and "no_tags" in values:
        raise InvalidInputError("remember: --tag and --no-tags exclude each other")
    tags = [] if "no_tags" in values else values.get("tag")
    text = None
    if given.words:
        text = read_stdin() if given.from_stdin else as_text(" ".join(given.words))
        if given.from_stdin and number is not None and not text.strip():
            raise InvalidInputError(
                f"remember: nothing came from stdin for #{number}",
                hint="to delete a memory: forget, or an empty text as a word",
            )
    elif number is None:
        raise InvalidInputError("remember: no text given", hint="TEXT, or - to read it from stdin")
    elif tags is None:
        raise InvalidInputError(
            "remember: neither text nor tags given", hint='an empty text, "", deletes the memory'
        )
    done = recall.remember(text, number, tags)
    if tags:
        from clawa_search.memory.tags import left_out

        if note := left_out(tags):
            tell(note)
    return _done(done, given)


def forget(recall: Recall, given: Split) -> int:
    """Delete a memory."""
    word = given.words[0]
    number = word.removeprefix("mem:").removeprefix("#")
    if not is_number(number, -MAX_ID, MAX_ID):
        raise InvalidInputError(f"forget: not a memory id: {word!r}")
    return _done(recall.forget(int(number)), given)


def _done(done: tuple[str, int], given: Split) -> int:
    action, number = done
    if "json" in given.values:
        put(line({"action": action, "id": number}))
    else:
        put(f"{DONE[action].format(number)}\n")
    return 0


def show(recall: Recall, given: Split) -> int:
    """Open what a hit names, in full.

    REF is a memory (12, #12, mem:12), PATH:LINE of a session file, or an entry id. An entry
    that moved since it was indexed is found again (`relocated`); one that is no longer there
    is `gone`, with exit code 1.
    """
    from clawa_search.output.opened import as_fields, as_text
    from clawa_search.show import GONE

    opened = recall.show(given.words[0], context=int(last(given.values, "context") or 0))
    put(line(as_fields(opened)) if "json" in given.values else as_text(opened))
    return 1 if opened.status == GONE else 0


def reindex(recall: Recall, given: Split) -> int:
    """Bring the index up to date with the session files.

    Without PATH, every session root known. Recall does not need it to be right: what is not
    indexed yet is read when asked for. A rebuild makes a new index beside the old one.
    """
    from clawa_search.cli import reindexing

    return reindexing.reindex(recall, given)


def demo(recall: Recall, given: Split) -> int:
    """Show the main verbs at work.

    The small home that they work in comes with the program and lies in a temporary folder;
    nothing is left behind.
    """
    from clawa_search.cli.demo import run_demo

    return run_demo()


def status(recall: Recall, given: Split) -> int:
    """Tell where things are, how much there is, what waits."""
    from clawa_search.pi.install import status as installed
    from clawa_search.status import status as collect

    told = collect(recall)
    told["pi_extension"] = installed(recall.places.agent_dir).state
    if "json" in given.values:
        put(line(told))
        return 0
    from clawa_search.output.health import status_text

    put(status_text(told))
    return 0


def doctor(recall: Recall, given: Split) -> int:
    """Check memories, index, anchors, freshness, permissions and extension.

    The exit code is 0 only if all is well. --repair mends what it can; the memory database is
    copied before it is touched.
    """
    from clawa_search.doctor import Check
    from clawa_search.doctor import doctor as examine
    from clawa_search.output.health import doctor_fields, doctor_text
    from clawa_search.pi.install import status as installed

    checks = examine(recall, repair="repair" in given.values)
    extension = installed(recall.places.agent_dir)
    if extension.state != "absent":
        is_well = extension.state == "current"
        detail, _, repair = extension.detail.rpartition("; ")
        told = "as this version has it" if is_well else f"{extension.state}: {detail}"
        checks.append(Check("pi extension", ok=is_well, detail=told, repair=repair))
    put(line(doctor_fields(checks)) if "json" in given.values else doctor_text(checks))
    return 0 if all(check.ok for check in checks) else 2


def hydrate(recall: Recall, given: Split) -> int:
    """Print the hydration block made of the home's living files."""
    from clawa_search.continuity import hydration

    made = hydration.hydrate(recall.places.home)
    if "json" in given.values:
        put(line(hydration.as_json(made)))
    else:
        put(f"{for_terminal(made.text)}\n" if made.text else "")
        for warning in made.warnings:
            tell(warning)
    return 0 if made.text else 1


def memory_pass(recall: Recall, given: Split) -> int:
    """Tell whether a memory pass is due, and its prompt."""
    from clawa_search.continuity import memory_pass as passes

    values = given.values
    for name in ("tokens", "window"):
        if name not in values:
            raise InvalidInputError(f"memory-pass: --{name} is missing")
    reserve = int(last(values, "reserve")) if "reserve" in values else None
    told = passes.as_json(int(last(values, "tokens")), int(last(values, "window")), reserve)
    if "json" in values:
        put(line(told))
    else:
        put(f"{'due' if told['due'] else 'not due'} (from {told['threshold']:,} tokens on)\n")
        put(f"\n{told['prompt']}\n" if told["due"] else "")
    return 0


def setup(recall: Recall, given: Split) -> int:
    """Connect an agent, or refresh the connection.

    pi: the extension goes into the agent's folder, and memories that a newer pi-clawa exported to
    `memory/legacy/` of the home are taken over. claude, codex: the MCP server is registered
    through the agent's own command; --home and the like are handed on to it.
    """
    if given.words[0] != "pi":
        return _setup_client(recall, given)
    from clawa_search.pi import install

    if "remove" in given.values:
        done = install.remove(recall.places.agent_dir)
    else:
        done = install.install(recall.places.agent_dir)
        _take_over(recall)
    put(f"{done.folder}: {done.state}\n")
    if done.detail and done.state != "absent":
        tell(done.detail)
    return 0


def _setup_client(recall: Recall, given: Split) -> int:
    from clawa_search.cli import clients

    client = given.words[0]
    if "remove" in given.values:
        put(f"{clients.unregister(client)}\n")
        return 0
    places, values = recall.places, given.values
    named = ["--home", places.home] if "home" in values else []
    named += ["--index-dir", places.index_dir] if "index_dir" in values else []
    named += [word for folder in places.explicit for word in ("--sessions-dir", folder)]
    put(f"{clients.register(client, named)}\n")
    for advice in clients.ADVICE[client]:
        tell(advice)
    return 0


def _take_over(recall: Recall) -> None:
    from clawa_search.continuity.legacy import FOLDER, import_legacy

    done = import_legacy(recall.places.home, recall.memories)
    if done.imported:
        put(f"{done.imported:,} memories taken over from {FOLDER}\n")
    for warning in done.warnings:
        tell(warning)


def completion(recall: Recall, given: Split) -> int:
    """Print a completion script for a shell."""
    from clawa_search.cli.help import completion_script

    put(completion_script(given.words[0]))
    return 0


def bridge(recall: Recall, given: Split) -> int:
    """Serve the Pi extension: JSON lines on stdin and stdout."""
    from clawa_search.bridge import main

    need_streams("bridge")
    return main()


def mcp(recall: Recall, given: Split) -> int:
    """Serve recall, remember and show to an MCP client.

    The client starts it and speaks to it on stdin and stdout. It needs the extra `mcp`.
    """
    from clawa_search.mcp_server import serve

    need_streams("mcp")
    return serve(recall)


CONTEXT = Flag(("-C", "--context"), NUMBER, "Entries before and after.", metavar="N", high=50)
SHELLS = ("bash", "zsh", "fish")
_VERBS = (
    Verb(
        recall,
        *RECALL_FLAGS,
        usage="[QUERY...|-]",
        most=MANY,
        examples=(
            "clawa-search recall tide tables",
            'clawa-search recall --all --since 30d -n 3 "how did we fix the build"',
        ),
    ),
    Verb(
        remember,
        Flag(("--id",), NUMBER, "Update this memory.", metavar="N", low=-MAX_ID),
        Flag(("--tag",), TEXT, "A tag; with --id they replace the old.", metavar="T", many=True),
        Flag(("--no-tags",), SWITCH, "With --id: clear the tags."),
        JSON,
        usage="[TEXT...|-]",
        most=MANY,
        examples=(
            'clawa-search remember "The human likes short answers." --tag human',
            'clawa-search remember --id 12 "The human likes long answers."',
        ),
    ),
    Verb(forget, JSON, usage="ID", least=1, most=1, examples=("clawa-search forget 12",)),
    Verb(
        show,
        CONTEXT,
        JSON,
        usage="REF",
        least=1,
        most=1,
        examples=(
            "clawa-search show mem:12",
            "clawa-search show .pi/sessions/2026-06-19_3f2a.jsonl:41 -C 2",
        ),
    ),
    Verb(
        reindex,
        *REINDEX_FLAGS,
        usage="[PATH...]",
        most=MANY,
        examples=("clawa-search reindex", "clawa-search reindex --watch"),
    ),
    Verb(demo, examples=("clawa-search demo",)),
    Verb(status, JSON, examples=("clawa-search status",)),
    Verb(
        doctor,
        Flag(("--repair",), SWITCH, "Mend what can be mended."),
        JSON,
        examples=("clawa-search doctor", "clawa-search doctor --repair"),
    ),
    Verb(hydrate, JSON, examples=("clawa-search hydrate --json",)),
    Verb(
        memory_pass,
        Flag(("--tokens",), NUMBER, "Tokens in use.", metavar="T"),
        Flag(("--window",), NUMBER, "Size of the context window.", metavar="W", low=1),
        Flag(("--reserve",), NUMBER, "Tokens that the host keeps free.", metavar="R"),
        JSON,
        examples=("clawa-search memory-pass --tokens 185000 --window 200000",),
    ),
    Verb(
        setup,
        Flag(("--remove",), SWITCH, "Take it out again."),
        usage="pi|claude|codex",
        least=1,
        most=1,
        choices=("pi", "claude", "codex"),
        examples=("clawa-search setup pi", "clawa-search setup claude --remove"),
    ),
    Verb(
        completion,
        usage="|".join(SHELLS),
        least=1,
        most=1,
        choices=SHELLS,
        examples=(
            'eval "$(clawa-search completion bash)"',
            "clawa-search completion fish > ~/.config/fish/completions/clawa-search.fish",
        ),
    ),
    Verb(bridge, examples=("""echo '{"id":1,"method":"hello"}' | clawa-search bridge""",)),
    Verb(mcp, examples=("clawa-search mcp", "clawa-search --home ~/clawa mcp")),
)
VERBS = {verb.name: verb for verb in _VERBS}
