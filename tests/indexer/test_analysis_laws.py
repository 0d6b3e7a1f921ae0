"""What holds for the analysis of every text."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import analysis, bulk
from indexer.analysis import analyse, analyzer, code_tokens, expand, query_words, text_tokens
from tests.indexer.engines import Fts5, Python, Tantivy, found_by

WORDS = (
    "getUserById get_user_by_id get-user-by-id getuserbyid HTTPServer URLs README.md parseXML2Json "
    "src/main.py /tmp/a_b/c.ts:42 C:\\\\Users\\\\joe ./x ~/.bashrc .env --no-cache -p -rf C++ c# F#/C++17 "
    "#875 repo#12 v0.26.1 0.26 127.0.0.1:5432 2026-12-15 2026-12-15T10:30:00Z 5:30 7a8a2d1b9c0ffee "
    "1234567 foo(bar) [E0308] key=value a.b.c don't it\u2019s Café naïve Straße ÅNGSTRÖM Łódź İstanbul "
    "數據庫 数据库迁移 猫 設定ファイル がぎぐ ﾃﾞｰﾀ 데이터베이스 ฐานข้อมูล ที่นี่ ຂໍ້ມູນ ភាសាខ្មែរ မြန်မာ हिन्दी "
    "مَرْحَبًا كـتـاب שָׁלוֹם Ещё ΟΔΟΣ οδός 🚀 👨\u200d👩\u200d👧 🇩🇪🇫🇷 👍🏽 1️⃣ → ½ ﬁle ＡＰＩ ① the file name pool"
).split()
GLUE = [*'_-./\\+#:=,()"\u2014', *3 * [" "], "", ""]
LETTERS = "aBcXé数猫かが데ท ิ่हिन्\u0301\u0308\u3099\u200d\u0640\ufe0fß🚀🇩0 1_-./\\+#':\x00\x1f\x7f\x85\u2028\ud800"

mixed = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GLUE)), max_size=8).map(
    lambda pairs: "".join(part for pair in pairs for part in pair)
)
texts = st.one_of(mixed, st.text(st.sampled_from(LETTERS), max_size=12), st.text(max_size=30))


@given(texts)
def test_tokens_hold_no_whitespace_and_no_control_characters(text):
    codes = code_tokens(text)
    tokens = text_tokens(text) + codes
    assert all(token.split() == [token] for token in tokens)
    assert not any(
        character < "!" or character == "\x7f" for token in tokens for character in token
    )
    assert len(set(codes)) == len(codes)


@given(texts)
def test_analyse_is_expand_and_code_tokens(text):
    assert analyse(text) == (expand(text), " ".join(code_tokens(text)))


@given(texts)
def test_analysis_in_bulk_is_the_same(text):
    expanded, codes = bulk.analyse(text)
    assert (analyzer().analyze(expanded), codes) == (text_tokens(text), " ".join(code_tokens(text)))


@given(texts)
def test_every_word_finds_the_text_that_it_was_taken_from(text):
    tokens, codes = text_tokens(text), code_tokens(text)
    assert [word for word in query_words(text) if not word.matches(tokens, codes)] == []


@given(texts, texts)
def test_texts_side_by_side_are_analysed_as_if_alone(left, right):
    both = f"{left}\n{right}"
    assert text_tokens(both) == text_tokens(left) + text_tokens(right)
    assert set(code_tokens(both)) == {*code_tokens(left), *code_tokens(right)}
    assert len(query_words(both)) == len(query_words(left)) + len(query_words(right))


@given(texts)
def test_composed_and_decomposed_text_are_the_same(text):
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert text_tokens(composed) == text_tokens(decomposed)
    assert sorted(code_tokens(composed)) == sorted(code_tokens(decomposed))
    sought = [
        [(word.tokens, word.codes) for word in query_words(form)] for form in (composed, decomposed)
    ]
    assert sought[0] == sought[1]


@given(st.lists(texts, max_size=4), texts)
def test_what_was_read_before_changes_nothing(history, text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analysis, "_MAX_KNOWN", 0)
        forgetful = analyse(text)
    for earlier in history:
        analyse(earlier)
    assert analyse(text) == forgetful
    assert analyse(text) == forgetful


@pytest.mark.parametrize("shape", ["word{}", "some_name{}", "数{}", "a/word{}"])
def test_what_is_remembered_of_pieces_is_bounded(monkeypatch, shape):
    monkeypatch.setattr(analysis, "_MAX_KNOWN", 50)
    analyse(" ".join(shape.format(number) for number in range(300)))
    assert len(analysis._plain) <= 51  # a path and its last segment are learnt together
    assert len(analysis._known) <= 51


@settings(max_examples=60)
@given(st.lists(texts, min_size=1, max_size=6), st.lists(st.one_of(mixed, texts), max_size=6))
def test_every_engine_finds_the_same_documents(documents, queries):
    queries += [word for text in documents for word in text.split()[:3]]
    expected = found_by(Python, documents, queries)
    assert found_by(Tantivy, documents, queries) == expected
    assert found_by(Fts5, documents, queries) == expected
