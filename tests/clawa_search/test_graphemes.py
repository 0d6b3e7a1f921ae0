"""Laws of cutting between characters; the oracle is `regex`, which knows UAX #29 in full."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.graphemes import cut, is_boundary

regex = pytest.importorskip("regex")  # comes with tiktoken

TRICKY = [
    "e\u0301",  # combining acute
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",  # a family joined by ZWJ
    "\u2764\ufe0f",  # heart with variation selector
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7",  # two flags
    "\U0001f44d\U0001f3fd",  # skin tone
    "\u1112\u1161\u11ab",  # Hangul jamo
    "\ud55c\u11ab",
    "\r\n",
    "\u0915\u094d\u0937\u093f",  # a Devanagari conjunct
    "\u0e01\u0e33",  # Thai SARA AM
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # a flag of tags
    "1\ufe0f\u20e3",  # keycap
    "a",
    "\u2028",
]
texts = st.one_of(
    st.text(),
    st.lists(st.sampled_from(TRICKY)).map("".join),
    st.lists(st.sampled_from([part for whole in TRICKY for part in whole])).map("".join),
)


def boundaries(text: str) -> set[int]:
    return {0, len(text)} | {found.end() for found in regex.finditer(r"\X", text)}


@given(texts, st.integers(-1, 40))
def test_a_cut_is_a_prefix_within_the_limit_and_never_inside_a_cluster(text, limit):
    short = cut(text, limit)
    assert text.startswith(short)
    assert len(short) <= max(limit, 0) or short == text
    assert len(short) in boundaries(text)


@pytest.mark.parametrize("cluster", [one for one in TRICKY if one != TRICKY[3]])
def test_a_cluster_is_shown_whole_or_not_at_all(cluster):
    text = "ab" + cluster + "cd"
    for limit in range(2, 2 + len(cluster)):
        assert cut(text, limit) == "ab"
    assert cut(text, 2 + len(cluster)) == "ab" + cluster


def test_flags_are_cut_between_pairs():
    flags = TRICKY[3]
    assert [len(cut(flags, limit)) for limit in range(5)] == [0, 0, 2, 2, 4]


@given(st.text(st.characters(max_codepoint=0x7F)), st.integers(0, 40))
def test_in_ascii_only_a_line_end_moves_the_cut(text, limit):
    expected = text[:limit]
    if expected.endswith("\r") and text[limit : limit + 1] == "\n":
        expected = expected[:-1]
    assert cut(text, limit) == expected


def test_a_first_cluster_longer_than_the_limit_gives_nothing():
    assert cut("a" + "\u0301" * 9_000, 8_000) == ""


def test_code_points_that_this_python_does_not_know_stay_with_what_precedes_them():
    unknown = next(chr(n) for n in range(0x1E000, 0x20000) if unicodedata.category(chr(n)) == "Cn")
    assert not is_boundary("a" + unknown, 1)
