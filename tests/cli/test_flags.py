"""How a command line is split into flags and text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.cli.flags import (
    GLOBAL_FLAGS,
    MAX_ID,
    RECALL_FLAGS,
    find_verb,
    looks_like_flag,
    split,
    wants_json,
)
from clawa_search.errors import InvalidInputError

FLAGS = (*GLOBAL_FLAGS, *RECALL_FLAGS)
text_words = st.text(st.characters(exclude_characters="\0"), min_size=1).filter(
    lambda word: not word.startswith("-")
)


def recall(*argv):
    return split("recall", [*argv], FLAGS)


@given(st.lists(text_words))
def test_text_stays_as_it_is(words):
    made = recall(*words)
    assert (made.words, made.values) == (words, {})


@given(st.lists(st.text()))
def test_after_two_dashes_nothing_is_a_flag(words):
    made = recall("--json", "--", *words)
    assert (made.words, made.values, made.ended) == (words, {"json": []}, True)


@given(st.lists(text_words, max_size=3), st.integers(1, 100), st.lists(text_words, max_size=3))
def test_a_flag_may_stand_anywhere_in_each_of_its_forms(before, limit, after):
    forms = ([f"-n{limit}"], ["-n", f"{limit}"], ["--limit", f"{limit}"], [f"--limit={limit}"])
    for form in forms:
        made = recall(*before, *form, *after)
        assert (made.words, made.values) == (before + after, {"limit": [f"{limit}"]})


@given(st.sampled_from(["-p", "--max-count=3", "-rn", "--no-verify", "-x=1"]))
def test_an_unknown_flag_is_told_before_text_and_is_text_after_it(flag):
    with pytest.raises(InvalidInputError, match="no such flag") as told:
        recall(flag, "git", "log")
    assert "--help" in told.value.hint
    assert recall("git", "log", flag).words == ["git", "log", flag]


@pytest.mark.parametrize("word", ["-", "-5", "- a", '-"not this"', "-ä b", "--", "-- x"])
def test_text_that_begins_with_a_dash_is_no_flag(word):
    assert not looks_like_flag(word)


def test_a_near_miss_is_named():
    with pytest.raises(InvalidInputError) as told:
        recall("--limt", "5")
    assert told.value.hint.startswith("did you mean --limit?")


def test_a_value_may_begin_with_a_dash():
    assert recall("--since=-2d").values == {"since": ["-2d"]}
    assert recall("--since", "-2d").values == {"since": ["-2d"]}


def test_repeated_flags_keep_their_order():
    assert recall("--tag", "b", "--tag=a").values == {"tag": ["b", "a"]}


@pytest.mark.parametrize(
    "argv",
    [
        ["--limit"],
        ["--limit", "0"],
        ["--limit", "101"],
        ["--limit", "+5"],
        ["--limit", "٣"],
        ["--limit", "9" * 5000],
        ["--source", "both"],
        ["--role", "tool"],
        ["--json=yes"],
        ["--home", ""],
        ["--home="],
        ["-C", "21"],
        ["--max-tokens", "0"],
    ],
)
def test_a_value_that_is_not_allowed_is_told_with_its_flag(argv):
    with pytest.raises(InvalidInputError) as told:
        recall(*argv)
    assert str(told.value).startswith(argv[0].partition("=")[0])


def test_numbers_have_no_visible_bound_where_there_is_none():
    from clawa_search.cli.verbs import VERBS

    number = next(flag for flag in VERBS["remember"].flags if flag.key == "id")
    assert number.high == MAX_ID
    for value in ("x", "1.5", "--3", "9" * 20):
        with pytest.raises(InvalidInputError, match="not a number: "):
            number.check("--id", value)


@given(st.lists(text_words, max_size=2), st.sampled_from(["/a", "b c", "recall"]))
def test_the_verb_is_found_behind_global_flags(after, folder):
    for flags in ([], ["--home", folder], [f"--home={folder}"], ["--sessions-dir", folder] * 2):
        assert find_verb([*flags, "recall", *after]) == (flags, "recall", after)


def test_json_is_wanted_only_before_two_dashes():
    assert wants_json(["recall", "--json"])
    assert not wants_json(["recall", "--", "--json"])
