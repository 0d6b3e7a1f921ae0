"""An excerpt is a part of its text, around the match, cut between characters."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.excerpt import ELLIPSIS, Needles, excerpt, is_joined
from indexer.analysis import query_words

pieces = st.lists(
    st.sampled_from(
        ["pear ", "plum\n", "é", "e\u0301", "👩\u200d👧", "🇩🇪", "日本", "x" * 40, "İ", "ß", " "]
    )
).map("".join)


@given(pieces, st.integers(1, 80), st.sampled_from(["pear", "日本", "e\u0301", "zz", ""]))
def test_an_excerpt_is_a_bounded_part_of_its_text(text, limit, query):
    shown, cut = excerpt(text, Needles(query_words(query)), limit)
    assert len(shown) <= max(limit, 1 + 2 * len(ELLIPSIS))
    assert shown.strip(ELLIPSIS) in text
    assert cut == (shown != text)


@given(pieces, st.integers(3, 60))
def test_no_excerpt_ends_inside_a_character(text, limit):
    shown, _ = excerpt(text, limit=limit)
    body = shown.removesuffix(ELLIPSIS)
    end = text.find(body) + len(body)
    if body and text.count(body) == 1 and len(body) > 1:
        assert not is_joined(text, end) or unicodedata.category(text[end]) == "Mn"


def test_the_window_with_most_words_of_the_question_is_shown():
    text = "pear " + "filler " * 300 + "pear and plum side by side " + "filler " * 300
    shown, cut = excerpt(text, Needles(query_words("plum pear")), 100)
    assert cut
    assert "pear and plum" in shown


def test_words_are_found_by_stem_hump_accent_and_script():
    text = "getUserById was happy in Café 数据库迁移"
    words = query_words("user happiness 迁移")
    assert Needles(words).found(text) == {0, 1, 2}
    assert "Café" in excerpt("filler " * 200 + text, Needles(query_words("cafe")), 60)[0]


def test_a_short_text_is_shown_whole():
    assert excerpt("pear\nplum", Needles(query_words("plum"))) == ("pear\nplum", False)


blanks = st.sampled_from(["", " ", "\n"])


@given(st.integers(0, 300), blanks, st.integers(0, 300), blanks, st.integers(40, 200))
def test_an_excerpt_holds_what_was_found(before, left, after, right, limit):
    filler = "https://example.org/" * 30
    text = f"intro words {filler[:before]}{left}needleword{right}{filler[:after]} ok and more of it"
    shown, _ = excerpt(text, Needles(query_words("needleword")), limit)
    if left or not before or not filler[before - 1].isalnum():  # a word's beginning
        assert "needleword" in shown


@given(st.integers(0, 400), st.integers(0, 400), st.integers(40, 200))
def test_an_excerpt_without_blanks_holds_what_was_found(before, after, limit):
    text = "好的后来" * 100
    text = f"{text[:before]}温室{text[:after]} 继续"
    assert "温室" in excerpt(text, Needles(query_words("温室")), limit)[0]
