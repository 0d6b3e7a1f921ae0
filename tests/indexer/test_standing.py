"""What a human wants from then on is told from what they say by the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.standing import MAX_CHARS, is_standing

WISHES = [
    "Always format code when I show it.",
    "never push to main",
    "Use tabs. Never use spaces.",
    "Please always answer in German",
    "rules:\n- Always run the tests",
    "  always use pnpm",
    "From now on the branch is called trunk",
    "List the versions when I ask about a library",
    "I prefer tea",
    "I'd really prefer short answers",
    "I\u2019d prefer short answers",
    "I would much prefer a table",
    "They all like it; what I prefer, though, is rye",
    "My preference is a small font",
]
REMARKS = [
    "I always do that",
    "it never worked",
    "she will never know, always says so",
    "do I prefer tea?",
    "What would I prefer?",
    "the preferred way",
    "people prefer rye",
    "alwaysOn is a flag",
    "unalways",
    "",
]


@pytest.mark.parametrize("text", WISHES)
def test_a_wish_is_told(text):
    assert is_standing(text)
    assert is_standing(text.upper())


@pytest.mark.parametrize("text", REMARKS)
def test_a_remark_is_none(text):
    assert not is_standing(text)


@given(st.sampled_from(WISHES), st.text(max_size=50))
def test_a_wish_of_its_own_line_is_told_beside_anything(wish, text):
    assert is_standing(f"{text}\n{wish}")


@given(st.text())
def test_any_text_is_told_apart(text):
    assert is_standing(text) in (True, False)


def test_what_was_pasted_further_down_is_not_looked_at():
    assert not is_standing("x" * MAX_CHARS + "\nAlways use tabs")
