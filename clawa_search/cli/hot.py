"""`clawa-search recall`, parsed by hand: the path that agents call hundreds of times a day."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.search.question import Answer, Question
    from indexer.report import Progress

from clawa_search.cli.flags import GLOBAL_FLAGS, NUMBER, RECALL_FLAGS, SWITCH, Flag
from clawa_search.errors import InvalidInputError
from indexer.errors import RecallError

FLAGS = {name: flag for flag in (*GLOBAL_FLAGS, *RECALL_FLAGS) for name in flag.names}
Values = dict[str, list[str]]


def recall(argv: list[str]) -> int | None:
    """Run `recall` with the words after it.

    Returns:
        The exit code, or None when help is asked for: click shows it.
    """
    as_json = "--json" in (argv[: argv.index("--")] if "--" in argv else argv)
    try:
        values, words = parse(argv)
        if "help" in values:
            return None
        return _answer(values, words)
    except RecallError as error:
        return fail(error, as_json=as_json)


def parse(argv: list[str]) -> tuple[Values, list[str]]:
    """Split *argv* into flag values and query words.

    A word that begins with a dash and is no flag of ours belongs to the query (`git log -p`)
    when a query word came before it; else it is a mistake that is told.

    Raises:
        InvalidInputError: an unknown flag, or one without its value.
    """
    values: Values = {}
    words: list[str] = []
    number = 0
    while number < len(argv):
        word = argv[number]
        number += 1
        if word == "--":
            words += argv[number:]
            break
        if word in ("-h", "--help"):
            values["help"] = []
            continue
        name, equals, value = word.partition("=")
        flag = FLAGS.get(name if name.startswith("--") else word)
        if flag is None and len(word) > 2 and word[:2] in ("-n", "-C") and word[2:].isdigit():
            flag, equals, value = FLAGS[word[:2]], "=", word[2:]
        if flag is None:
            if word.startswith("--") and not words and len(word) > 2:
                raise InvalidInputError(
                    f"recall: no such flag: {word}",
                    hint="`clawa-search recall --help` lists them; `--` before the query ends them",
                )
            words.append(word)
            continue
        if flag.kind == SWITCH:
            if equals:
                raise InvalidInputError(f"{name}: takes no value")
            values[flag.key] = []
            continue
        if not equals:
            if number >= len(argv):
                raise InvalidInputError(f"{name}: needs a value", hint=f"{name} {flag.metavar}")
            value = argv[number]
            number += 1
        values.setdefault(flag.key, []).append(check(flag, name, value))
    return values, words


def check(flag: Flag, name: str, value: str) -> str:
    """Return *value* if *flag* allows it.

    Raises:
        InvalidInputError: it does not; the message says what it does allow.
    """
    if flag.kind == NUMBER:
        if not value.isascii() or not value.isdigit() or not flag.low <= int(value) <= flag.high:
            raise InvalidInputError(
                f"{name}: not a number from {flag.low} to {flag.high}: {value!r}"
            )
    elif flag.choices and value not in flag.choices:
        raise InvalidInputError(f"{name}: not one of {', '.join(flag.choices)}: {value!r}")
    return value


def _last(values: Values, key: str, default: str = "") -> str:
    found = values.get(key)
    return found[-1] if found else default


def make_question(values: Values, query: str, now_ms: int) -> Question:
    """Make the question that the flags ask.

    Raises:
        InvalidInputError: a date or a number of sessions that is none.
    """
    from clawa_search.search.question import DEFAULT_LIMIT, DEFAULT_SESSIONS, Question

    sessions: int | None = DEFAULT_SESSIONS
    if wanted := _last(values, "sessions"):
        if wanted != "all" and not (wanted.isascii() and wanted.isdigit() and int(wanted)):
            raise InvalidInputError(f"--sessions: not a number from 1, nor all: {wanted!r}")
        sessions = None if wanted == "all" else int(wanted)
    question = Question(
        query,
        limit=int(_last(values, "limit") or DEFAULT_LIMIT),
        source=_last(values, "source"),
        sessions=sessions,
        everything="all" in values,
        session_files=values.get("session_file", ()),
        roles=values.get("role", ()),
        context=int(_last(values, "context") or 0),
        explain="explain" in values,
        now_ms=now_ms,
    )
    if "tag" in values:
        from clawa_search.memory.tags import normalise

        question.tags = normalise(values["tag"])
        if not question.tags:
            raise InvalidInputError(f"--tag: no letter or digit in it: {values['tag'][0]!r}")
    if project := _last(values, "project"):
        question.project = os.path.abspath(os.path.expanduser(project))
    if "since" in values or "until" in values:
        from clawa_search.search.dates import parse_when

        if since := _last(values, "since"):
            question.since_ms = parse_when(since, now_ms=now_ms, end=False)
        if until := _last(values, "until"):
            question.until_ms = parse_when(until, now_ms=now_ms, end=True)
    return question


def read_query(words: list[str]) -> str:
    if words != ["-"]:
        return " ".join(words)
    return sys.stdin.buffer.read(1 << 20).decode("utf-8", "replace").strip()


def _answer(values: Values, words: list[str]) -> int:
    from time import time

    from clawa_search.places import Places
    from clawa_search.recall import Recall

    places = Places(
        _last(values, "home") or None,
        _last(values, "index_dir") or None,
        values.get("sessions_dir", ()),
    )
    query = read_query(words).encode("utf-8", "replace").decode()
    question = make_question(values, query, int(time() * 1000))
    recaller = Recall(places, progress=progress_bar())
    answer = recaller.search(question)
    text = render(answer, values)
    for note in answer.notes if "json" not in values else ():
        tell(note)
    put(text)
    return 0 if answer.hits else 1


def render(answer: Answer, values: Values) -> str:
    """Return the answer as text or JSON, within its token budget where there is one."""
    if "json" in values:
        from clawa_search.output import json

        if "max_tokens" in values:
            from clawa_search.output.fit import fit_json

            return fit_json(answer, int(_last(values, "max_tokens")))
        return json.answer_text(answer)
    from clawa_search.output import text

    if "max_tokens" in values:
        from clawa_search.output.fit import fit_text

        return fit_text(answer, int(_last(values, "max_tokens")), explain="explain" in values)
    return text.answer_text(answer, cwd=text.working_folder(), explain="explain" in values)


def progress_bar() -> Progress | None:
    """Return a progress bar for a long catch-up, on a terminal only."""
    if not sys.stderr.isatty():
        return None
    from clawa_search.cli.progress import LazyBar

    return LazyBar()


def tell(note: str) -> None:
    """Write a note to stderr: `clawa-search: PATH: what: why`."""
    from clawa_search.output.clean import for_terminal

    sys.stderr.write(f"clawa-search: {for_terminal(note)}\n".replace("\r", " "))


def put(text: str) -> None:
    """Write results to stdout as UTF-8, whatever the locale says."""
    raw = text.encode("utf-8", "replace")
    sys.stdout.flush()
    while raw:
        raw = raw[os.write(1, raw) :]


def fail(error: RecallError, *, as_json: bool) -> int:
    """Tell an error, as JSON on stdout or as text on stderr; return the exit code 2."""
    if as_json:
        from clawa_search.output.json import error_text

        put(error_text(error.code, str(error), error.hint))
    else:
        tell(f"{error}{f' ({error.hint})' if error.hint else ''}")
    return 2
