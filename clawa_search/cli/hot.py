"""`recall` and `reindex`, parsed by hand: what agents and hooks call hundreds of times a day."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.cli.flags import Split, Values
    from clawa_search.places import Places
    from clawa_search.recall import Recall
    from clawa_search.search.question import Answer, Question
    from indexer.report import Progress

from clawa_search.cli.flags import (
    GLOBAL_FLAGS,
    RECALL_FLAGS,
    REINDEX_FLAGS,
    is_number,
    last,
    mistaken,
    split,
    wants_json,
)
from clawa_search.cli.streams import as_text, fail, put, read_stdin, tell
from clawa_search.errors import InvalidInputError
from indexer.errors import RecallError

MAX_SESSIONS = 1 << 31


def run(verb: str, argv: list[str]) -> int | None:
    """Run `recall` or `reindex` with the words after it.

    Returns:
        The exit code, or None when help or the version is asked for.
    """
    from clawa_search.recall import Recall

    try:
        flags = RECALL_FLAGS if verb == "recall" else REINDEX_FLAGS
        given = split(verb, argv, (*GLOBAL_FLAGS, *flags))
        if "help" in given.values or "version" in given.values:
            return None
        recall = Recall(places_of(given.values), progress=progress_bar())
        if verb == "recall":
            return answer(recall, given)  # never closed: the process ends, which is faster
        from clawa_search.cli.reindexing import reindex

        with recall:
            return reindex(recall, given)
    except RecallError as error:
        return fail(error, as_json=wants_json(argv))


def answer(recall: Recall, given: Split) -> int:
    """Answer the question that the words and flags ask; return the exit code."""
    from time import time

    from clawa_search.search import recent

    values = given.values
    query = read_query(given)
    question = make_question(values, query, recall.places, int(time() * 1000))
    if not recent.serves(question):
        from clawa_search.start import preload

        preload("search")
    found = recall.search(question)
    if not (given.ended or given.from_stdin):
        found.notes += mistaken(given.words, RECALL_FLAGS)
    text = render(found, values)
    for note in found.notes if "json" not in values else ():
        tell(note)
    put(text)
    return 0 if found.hits else 1


def read_query(given: Split) -> str:
    """Return the query: the words, or stdin when `-` is the only one."""
    return read_stdin().strip() if given.from_stdin else as_text(" ".join(given.words))


def places_of(values: Values) -> Places:
    """Return the places that the global flags name."""
    from clawa_search.places import Places

    return Places(
        last(values, "home") or None,
        last(values, "index_dir") or None,
        values.get("sessions_dir", ()),
    )


def make_question(values: Values, query: str, places: Places, now_ms: int) -> Question:
    """Make the question that the flags ask.

    Raises:
        InvalidInputError: a tag, a date or a number of sessions that is none.
    """
    from clawa_search.search.question import DEFAULT_LIMIT, Question

    question = Question(
        query,
        limit=int(last(values, "limit") or DEFAULT_LIMIT),
        source=last(values, "source"),
        sessions=_sessions(last(values, "sessions")),
        everything="all" in values,
        session_files=values.get("session_file", ()),
        roles=values.get("role", ()),
        context=int(last(values, "context") or 0),
        explain="explain" in values,
        now_ms=now_ms,
    )
    if "tag" in values:
        from clawa_search.memory.tags import wanted_tags

        question.tags = wanted_tags(values["tag"])
    if project := last(values, "project"):
        question.project = places.absolute(project)
    if since := last(values, "since"):
        question.since_ms = _when(since, now_ms, end=False)
    if until := last(values, "until"):
        question.until_ms = _when(until, now_ms, end=True)
    return question


def _sessions(wanted: str) -> int | None:
    from clawa_search.search.question import DEFAULT_SESSIONS

    if not wanted:
        return DEFAULT_SESSIONS
    if wanted == "all":
        return None
    if not is_number(wanted, 1, MAX_SESSIONS):
        raise InvalidInputError(f"--sessions: not a number from 1 on, nor all: {wanted!r}")
    return int(wanted)


def _when(text: str, now_ms: int, *, end: bool) -> int:
    from clawa_search.search.dates import parse_when

    return parse_when(as_text(text), now_ms=now_ms, end=end)


def render(answer: Answer, values: Values) -> str:
    """Return the answer as text or JSON, within its token budget where there is one."""
    budget = int(last(values, "max_tokens") or 0)
    explain = "explain" in values
    if "json" in values:
        if budget:
            from clawa_search.output.fit import fit_json

            return fit_json(answer, budget)
        from clawa_search.output import json

        return json.answer_text(answer)
    if budget:
        from clawa_search.output.fit import fit_text

        return fit_text(answer, budget, explain=explain)
    from clawa_search.output import text
    from clawa_search.places import working_folder

    return text.answer_text(answer, cwd=working_folder(), explain=explain)


def progress_bar() -> Progress | None:
    """Return a progress bar for a long catch-up, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from clawa_search.cli.progress import LazyBar

    return LazyBar()
