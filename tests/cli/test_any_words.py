"""Whatever is typed: an exit code that is known, an answer that is well formed, no traceback."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clawa_search.cli.flags import GLOBAL_FLAGS
from clawa_search.cli.verbs import VERBS
from tests.builders import strict

RUNNING = ("demo", "bridge", "mcp")  # they start processes or wait for input
HARMLESS = [verb for verb in VERBS.values() if verb.name not in RUNNING]
anything = st.text(st.characters(exclude_characters="\0"), max_size=12)
raw = st.binary(max_size=8).map(lambda raw: os.fsdecode(raw.replace(b"\0", b"")))
numbers = st.integers(-2, 120).map(str)
places = st.sampled_from(
    [".", "/nowhere", "s", "s/a.jsonl", "s/a.jsonl:2", "~", "mem:1", "#1", "-"]
)
dates = st.sampled_from(["7d", "yesterday", "2026-05-01", "-2d", "9999999999999", "31 feb"])
words = st.one_of(anything, raw, numbers, places, dates, st.sampled_from(["user", "session", "pi"]))


@st.composite
def flags(draw, verb):
    known = [flag for flag in (*verb.flags, *GLOBAL_FLAGS) if flag.key not in ("watch", "help")]
    flag = draw(st.sampled_from(known))
    name = draw(st.sampled_from(flag.names))
    form = draw(st.sampled_from(["{n}", "{n} {v}", "{n}={v}", "{n}{v}"]))
    value = draw(st.sampled_from(flag.choices) if flag.choices else words)
    return [part.format(n=name, v=value) for part in form.split(" ")]


@st.composite
def command_lines(draw):
    verb = draw(st.sampled_from(HARMLESS))
    parts = draw(st.lists(st.one_of(words.map(lambda word: [word]), flags(verb)), max_size=5))
    return [verb.name, *(word for part in parts for word in part)]


@pytest.fixture
def place(cli, home, monkeypatch):
    folder = home.project / "s"
    home.sessions.rename(folder)
    (folder / "2026-06-02T09-00-00-000Z_banana.jsonl").rename(folder / "a.jsonl")
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(folder))
    devnull = os.open(os.devnull, os.O_RDONLY)
    kept = os.dup(0)
    os.dup2(devnull, 0)
    os.close(devnull)
    yield cli
    os.dup2(kept, 0)
    os.close(kept)


@settings(max_examples=150)
@given(command_lines())
@example(["recall", "--json", "\udcff"])
@example(["recall", "--project", "\udcff", "--session-file", "\udcff.jsonl"])
@example(["--home", "\udcff", "recall", "x"])
@example(["show", "--json", "\udcff:2"])
@example(["reindex", "\udcff"])
@example(["remember", "\ud800", "--tag", "\udcff"])
@example(["recall", "--json", "--since", "\udcff"])
def test_every_command_line_has_an_answer(place, argv):
    ran = place(*argv)
    assert ran.code in (0, 1, 2)
    assert "Traceback" not in ran.err
    assert "internal error" not in ran.err + ran.out
    for line in ran.err.splitlines():
        assert line.startswith("clawa-search: ")
    before = argv[: argv.index("--")] if "--" in argv else argv
    asked = {"--json"} & {*before} and not {"-h", "--help", "--version"} & {*before}
    if asked and argv[0] not in ("setup", "completion"):
        told = strict(ran.out)
        assert told["version"] == 1
        assert ("error" in told) == (ran.code == 2) or argv[0] == "doctor"


@given(st.lists(words, max_size=4))
def test_words_without_a_verb_are_an_error_or_help(place, argv):
    if argv and argv[0] in VERBS:
        return
    ran = place("--json", *argv) if argv[:1] != ["--"] else place(*argv)
    assert ran.code in (0, 1, 2)
    assert "Traceback" not in ran.err
    if ran.code == 2 and ran.out:
        assert "error" in json.loads(ran.out)
