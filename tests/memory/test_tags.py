"""Laws of tags."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.memory.tags import (
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
    dump,
    left_out,
    normalise,
    parse,
)

ALLOWED = set("abcdefghijklmnopqrstuvwxyz0123456789:_-")
anything = st.lists(st.text(max_size=60), max_size=20)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Human", "human"),
        ("  two  words ", "two-words"),
        ("a/b\\c", "a-b-c"),
        ("--edge--", "edge"),
        ("a--b", "a--b"),
        ("project:clawa_search", "project:clawa_search"),
        ("Ünï", "n"),
        ("x" * 60, "x" * 48),
        ("x" * 47 + "-y", "x" * 47),
    ],
)
def test_a_tag_is_cleaned(typed, stored):
    assert normalise([typed]) == (stored,)


def test_what_leaves_nothing_is_no_tag():
    assert normalise(["", "---", "日本"]) == ()


@given(anything)
def test_tags_have_the_form_that_is_promised(tags):
    cleaned = normalise(tags)
    assert len(cleaned) <= MAX_TAGS
    assert len(set(cleaned)) == len(cleaned)
    for tag in cleaned:
        assert 0 < len(tag) <= MAX_TAG_CHARACTERS
        assert set(tag) <= ALLOWED
        assert tag.strip("-") == tag


@given(anything)
def test_cleaning_twice_is_cleaning_once(tags):
    assert normalise(normalise(tags)) == normalise(tags)


def test_tags_that_cannot_be_kept_are_named():
    assert "'日本'" in left_out(["tea", "日本"])
    assert left_out([f"t{number}" for number in range(14)]).endswith("left out: t12, t13")


@given(anything)
def test_nothing_is_left_out_in_silence(tags):
    cleaned = [normalise([tag]) for tag in tags]
    assert (left_out(tags) == "") == (all(cleaned) and len(set(cleaned)) <= MAX_TAGS)


@given(anything)
def test_stored_tags_are_json_and_come_back(tags):
    cleaned = normalise(tags)
    assert tuple(json.loads(dump(cleaned))) == cleaned
    assert parse(dump(cleaned)) == cleaned


@given(st.one_of(st.text(max_size=30), st.none(), st.binary(), st.integers(), st.floats()))
def test_whatever_another_program_stored_is_read(stored):
    assert isinstance(parse(stored), tuple)


@pytest.mark.parametrize("stored", ["", "{}", '"a"', "[", "[1, null]", '["a"] x', "[" * 100_000])
def test_malformed_tags_are_no_tags(stored):
    assert parse(stored) == ()


def test_tags_of_another_program_are_normalised_and_the_rest_ignored():
    assert parse(' ["Human Stuff", 7, "human-stuff", "b"] ') == ("human-stuff", "b")


@given(st.lists(st.text(alphabet='ab",\\[] ', max_size=4), max_size=4), st.booleans())
def test_stored_tags_are_read_as_json_is(tags, spaced):
    stored = json.dumps(tags, separators=(", " if spaced else ",", ":"))
    assert parse(stored) == normalise(tags)
    for broken in (stored[:-1], stored[1:], stored.replace('"', "", 1)):
        try:
            value = json.loads(broken)
        except ValueError:
            value = []
        assert parse(broken) == normalise(tag for tag in value if isinstance(tag, str))
