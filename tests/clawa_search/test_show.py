"""show: what a reference opens, wherever it stands now."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.errors import InvalidInputError, NotFoundError
from clawa_search.output.opened import as_text
from clawa_search.show import GONE, OK, RELOCATED
from tests.builders import assistant, header, user

WATERING = "2026-05-19T18-30-00-000Z_watering.jsonl"


@pytest.fixture
def indexed(home):
    home.reindex()
    return home


def opened(home, ref, context=0):
    return home.recall.show(str(ref), context=context)


@pytest.mark.parametrize("ref", ["1", "#1", "mem:1", " 1 ", "mem:#1"])
def test_a_memory_is_opened_by_its_number(home, ref):
    home.recall.remember("tea at five")
    assert opened(home, ref).memory.text == "tea at five"


@pytest.mark.parametrize("ref", ["2", "#12345678", "99999999999999999999999999", "mem:2"])
def test_an_unknown_number_is_told(home, ref):
    with pytest.raises(NotFoundError, match="there is no memory #"):
        opened(home, ref)


def test_eight_digits_may_be_the_id_of_an_entry(home):
    path = home.write("digits.jsonl", user("by number", id="12345678"))
    found = opened(home, "12345678")
    assert (found.entry.path, found.entry.line) == (str(path), 2)


@pytest.mark.parametrize("ref", ["", "two words", "a:b", ":5", "naïve", "x;y"])
def test_what_names_nothing_is_told(home, ref):
    with pytest.raises(InvalidInputError, match="not a reference"):
        opened(home, ref)


def test_an_entry_id_is_found_indexed_or_not(home):
    assert opened(home, "a1b20c05").entry.line == 6
    home.reindex()
    assert opened(home, "a1b20c05").entry.line == 6
    with pytest.raises(NotFoundError):
        opened(home, "a1b20cff")


def test_an_id_that_others_only_mention_is_not_theirs(home):
    home.write("x.jsonl", user("child", id="deadbeef", parentId="feedface"))
    with pytest.raises(NotFoundError):
        opened(home, "feedface")


def test_an_id_at_the_border_of_two_blocks_is_found(home, monkeypatch):
    path = home.write("x.jsonl", user("far away", id="deadbeef"))
    at = path.read_bytes().index(b'"deadbeef"')
    for block in (at + 3, at + 9):
        monkeypatch.setattr("clawa_search.show.BLOCK_BYTES", block)
        assert opened(home, "deadbeef").entry.text == "far away"


def test_lines_without_an_entry_are_no_lie(indexed):
    path = indexed.sessions / WATERING
    for line in (0, 1, 99):
        with pytest.raises(NotFoundError, match="no entry stands there"):
            opened(indexed, f"{path}:{line}")
    with pytest.raises(NotFoundError, match="is no session file"):
        opened(indexed, f"{indexed.sessions}:1")


def test_a_path_may_be_relative_and_hold_colons(home):
    path = home.project / "a:b 1.jsonl"
    home.write("x.jsonl", user("colon")).rename(path)
    assert opened(home, "a:b 1.jsonl:2").entry.text == "colon"


def test_a_file_that_is_gone_is_told(home):
    assert opened(home, home.sessions / "nowhere.jsonl:3").status == GONE


def test_a_line_that_moved_is_found_again(indexed):
    path = indexed.sessions / WATERING
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    found = opened(indexed, f"{path}:6", context=1)
    assert (found.status, found.entry.line, found.entry.entry_id) == (RELOCATED, 5, "a1b20c05")
    assert [shown.line for shown in found.context] == [4, 6]
    assert f"(relocated from {path}:6)" in as_text(found).splitlines()


def test_a_file_that_was_renamed_is_found_again(indexed):
    path = indexed.sessions / WATERING
    moved = path.rename(indexed.sessions / "other.jsonl")
    found = opened(indexed, f"{path}:6")
    assert (found.status, found.entry.path) == (RELOCATED, str(moved))
    indexed.reindex()
    assert opened(indexed, f"{path}:6").entry.path == str(moved)


def test_an_entry_that_was_taken_out_is_gone_and_never_another(indexed):
    path = indexed.sessions / WATERING
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], *lines[6:]]))
    assert opened(indexed, f"{path}:6").status == GONE


def test_a_line_that_stayed_is_ok_though_the_file_grew(indexed):
    path = indexed.sessions / WATERING
    with path.open("ab") as file:
        file.write(b'{"type":"label","id":"00000001","parentId":"a1b20c08"}\n')
    assert opened(indexed, f"{path}:6").status == OK


def test_neighbours_follow_the_branch(home):
    root = user("question", id="00000001", parentId=None)
    left = assistant("left", id="00000002", parentId="00000001")
    right = assistant("right", id="00000003", parentId="00000001")
    path = home.write("tree.jsonl", root, left, right, head=header())
    found = opened(home, f"{path}:2", context=5)
    assert [shown.text for shown in found.context] == ["right"]
    assert not opened(home, f"{path}:3").entry.live
    assert "other branch" in as_text(opened(home, f"{path}:3"))


def test_secrets_and_escapes_do_not_reach_the_terminal(home):
    path = home.write("x.jsonl", user("key AKIAABCDEFGHIJKLMNOP \x1b[2J\x1b]0;t\x07"))
    said = as_text(opened(home, f"{path}:2"))
    assert "AKIA" not in said
    assert "\x1b" not in said


@given(st.text(st.characters(exclude_characters="\0"), max_size=20), st.integers(0, 50))
def test_any_reference_is_opened_or_told(home, ref, context):
    try:
        found = home.recall.show(ref, context=context)
    except (InvalidInputError, NotFoundError):
        return
    assert found.status in (OK, GONE)


def test_the_context_is_bounded(home):
    with pytest.raises(InvalidInputError, match="from 0 to 50"):
        opened(home, "1", context=51)
