"""Queries find what they should: in plain Python, in a Tantivy index and in an FTS5 table."""

import json
from pathlib import Path

import pytest

from indexer import bulk
from indexer.analysis import (
    Word,
    analyse,
    code_tokens,
    expand,
    is_function_word,
    query_words,
    text_tokens,
)
from tests.indexer.engines import ENGINES, found_by

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "token_cases.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_token_case_is_met(engine):
    documents = [case["text"] for case in CASES]
    found = found_by(engine, documents, [case["query"] for case in CASES])
    wrong = [
        case["case"]
        for number, case in enumerate(CASES)
        if (number in found[number]) is not case["match"]
    ]
    assert len(CASES) >= 46 + 40
    assert wrong == []


@pytest.mark.parametrize("query", ["", " ", "_", "%", "\\", "*", "&&", "->", "...", '"', "''", "#"])
def test_a_query_of_punctuation_has_no_words(query):
    assert query_words(query) == []
    assert code_tokens(query) == []


@pytest.mark.parametrize(
    ("typed", "surface", "tokens", "codes", "strict"),
    [
        ("scoring.ts,", "scoring.ts", ("score", "ts"), ("scoring.ts",), False),
        ("(foo)", "foo", ("foo",), ("~foo",), False),
        ('"x', "x", ("x",), (), False),
        ("the", "the", ("the",), (), False),
        ("don't", "don't", ("don", "t"), (), False),
        ("C++?", "C++", ("c",), ("c++",), True),
        ("v0.26", "v0.26", ("v0", "26"), ("0.26",), True),
        ("猫", "猫", ("猫",), ("猫",), False),
        ("迁移", "迁移", ("迁移",), (), False),
        ("数据库", "数据库", ("数据", "据库"), (), False),
        ("🚀", "🚀", (), ("🚀",), False),
        ("file_name", "file_name", ("file", "name"), ("file_name", "~filename"), False),
        ("--no-cache", "--no-cache", ("no", "cach"), ("--no-cache", "no-cache", "~nocache"), False),
        ("7A8A2D1B", "7A8A2D1B", ("7a8a2d1b",), ("7a8a2d1b", "7a8a2d1"), False),
    ],
)
def test_one_word_is_looked_for_by_its_forms(typed, surface, tokens, codes, strict):
    (word,) = query_words(typed)
    assert (word.surface, word.tokens, word.codes, word.strict) == (surface, tokens, codes, strict)


def test_an_identifier_is_also_looked_for_as_one_plain_word_unless_it_has_underscores():
    assert [word.others for word in query_words("TypeScript e-mail file_name word C++")] == [
        ((("typescript",), 1.0),),
        ((("email",), 1.0),),
        (),
        (),
        (),
    ]


def test_scripts_without_spaces_and_symbols_are_words_of_their_own():
    surfaces = [word.surface for word in query_words("把Redis缓存 DB锁 ok🚀🔥 👨‍👩‍👧 1️⃣")]
    assert surfaces == ["把", "Redis", "缓存", "DB", "锁", "ok", "🚀", "🔥", "👨", "👩", "👧", "1️⃣"]


def test_whole_forms_of_a_document():
    assert code_tokens("Run self.getUserById in /tmp/pi/src/a.ts:42 with --no-cache, v1.2.3!") == [
        "self.getuserbyid",
        "~getuserbyid",
        "tmp/pi/src/a.ts",
        "src/a.ts",
        "tmp/pi",
        "pi/src/a.ts",
        "tmp/pi/src",
        "a.ts",
        "--no-cache",
        "no-cache",
        "~nocache",
        "1.2.3",
        "1.2",
    ]


def test_a_text_of_plain_words_is_its_own_expansion():
    text = "Nothing here, really (nothing at all) needs to be taken apart.\n"
    assert expand(text) is text
    assert analyse(text) == (text, "")


def test_plain_words_are_not_looked_at_in_bulk(monkeypatch):
    seen = []

    def look(piece):
        seen.append(piece)
        return None, ""

    monkeypatch.setattr(bulk, "look", look)
    text = "Nothing -- really (NOTHING at all) needs 100 looks... but e.g. a_b\u2028C++ caf\u00e9!"
    assert bulk.analyse(text) == (text, "")
    assert seen == ["e.g.", "a_b", "C++", "caf\u00e9"]


def test_a_path_that_is_long_has_few_forms():
    deep = "/".join(f"folder{number}" for number in range(40))
    assert len(code_tokens(deep)) < 8


@pytest.mark.parametrize(
    "unit", ["aB3/", "aB3", "x", "a.b-c_", "{a:1};", "数据", "é", "a\u0323\u0301"]
)
def test_one_endless_word_is_read_once_and_leaves_little(unit):
    text = unit * (500_000 // len(unit))
    expanded, code = analyse(text)
    assert len(expanded) <= 3 * len(text)
    assert len(code) < 1_000


def test_no_token_is_longer_than_its_bound():
    text = " ".join(
        ["x" * 119, "y" * 120, "я" * 59, "ю" * 60, "z" * 301, "a/" + "b" * 300, "f1" * 64]
    )
    assert max(len(token.encode()) for token in text_tokens(text)) == 119
    assert len(text_tokens(text)) == 3
    assert max(len(token) for token in code_tokens(text)) <= 300
    assert "f1" * 64 in code_tokens(text)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("blob", ["x" * 200, "я" * 100, "aB/" * 400, "\u0640", "\u2014", "----"])
def test_what_is_dropped_leaves_no_gap_in_a_phrase(engine, blob):
    assert found_by(engine, [f"alpha {blob} beta"], ['"alpha beta"', f'"alpha {blob} beta"']) == [
        {0},
        {0},
    ]


def test_lone_surrogates_are_only_separators():
    assert text_tokens("left\ud800right \udfff") == ["left", "right"]
    assert [word.tokens for word in query_words("left\ud800right")] == [("left", "right")]


def test_function_words_are_recognised_as_tokens():
    sentence = "Because of what you were doing, don't use this very pool again"
    content = [token for token in text_tokens(sentence) if not is_function_word(token)]
    assert content == ["use", "pool"]


def test_a_word_shows_its_parts():
    assert repr(Word("a", ("a",))) == "Word('a', ('a',), (), others=(), strict=False)"
