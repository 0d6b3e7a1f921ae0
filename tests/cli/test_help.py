"""Help texts: stored copies, and examples that are true."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from clawa_search import __version__
from clawa_search.cli.flags import GLOBAL_FLAGS, find_verb, split
from clawa_search.cli.verbs import VERBS

STORED = Path(__file__).parent / "help"
UPDATE = "UPDATE_HELP"  # set it to write the stored copies anew


def stored(name, text):
    path = STORED / f"{name}.txt"
    if UPDATE in os.environ:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


def test_the_overview_is_the_stored_one(cli):
    said = cli.ok("--help")
    assert said == stored("overview", said)
    assert said == cli.ok("-h")


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_is_the_stored_one(cli, name):
    said = cli.ok(name, "--help")
    assert said == stored(name, said)
    assert said == cli.ok("--home", "x", name, "-h")


def test_no_help_is_stored_for_what_is_no_verb():
    assert {path.stem for path in STORED.iterdir()} == {"overview", *VERBS}


@pytest.mark.parametrize("verb", VERBS.values(), ids=lambda verb: verb.name)
def test_every_example_is_a_command_line_that_is_understood(verb):
    assert verb.examples
    for example in verb.examples:
        words = shlex.split(example.partition("$(")[2].rstrip(')"') or example, comments=True)
        start = words.index("clawa-search") + 1
        end = next((at for at, word in enumerate(words) if word in (">", "|") and at > start), None)
        before, name, after = find_verb(words[start:end])
        assert name == verb.name
        verb.check(split(name, [*before, *after], (*verb.flags, *GLOBAL_FLAGS)).words)


def test_each_verb_has_one_short_line(cli):
    listed = cli.ok("--help").partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed if line[2] != " "] == [*VERBS]


def test_the_version_may_be_asked_for_anywhere(cli):
    for argv in (["--version"], ["recall", "--version"], ["status", "--version"]):
        assert cli.ok(*argv) == f"clawa-search {__version__}\n"


def test_without_a_verb_it_says_where_help_is(cli):
    assert cli() == (2, "", "clawa-search: no verb given (`clawa-search --help` lists them)\n")
    assert cli("--json").json["error"]["code"] == "usage"


def test_an_unknown_verb_is_told_with_the_nearest_one(cli):
    ran = cli("recal", "tea")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean recall?" in ran.err
