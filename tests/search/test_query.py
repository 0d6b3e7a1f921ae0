"""A user's text is never an error, and means what it says."""

from os.path import abspath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search import irregular
from clawa_search.search.filters import take_filters
from clawa_search.search.query import MAX_PAIRS, MAX_WORDS, keep_rarest, parse
from clawa_search.search.question import Question
from indexer.analysis import Word, text_tokens

DAY_MS = 86_400_000


def surfaces(text):
    return [word.surface for word in parse(text).words]


@given(st.text(max_size=300))
def test_no_text_raises(text):
    query = parse(text)
    take_filters(query, Question(text, now_ms=1_767_323_045_000), abspath)
    keep_rarest(query, lambda _field, _token: 1)


@given(
    st.lists(st.sampled_from(['"', "-", "NOT", "*", "~", "role:", "a", "(", ":", "the", "no-go"]))
)
def test_no_row_of_signs_raises(signs):
    parse(" ".join(signs))


def test_function_words_are_dropped_unless_nothing_is_left():
    assert surfaces("where did the human put the keys") == ["human", "put", "keys"]
    assert surfaces("how many different keys might either have") == ["different", "keys"]
    assert surfaces("to be or not to be") == ["to", "be", "or", "not"]


def test_forms_of_one_word_are_asked_for_once():
    assert surfaces("dogs and a dog") == ["dogs"]
    assert surfaces("userId user_id") == ["userId", "user_id"]


def test_a_question_in_the_first_person_is_personal_and_long_talk_is_not():
    assert parse("which colour did I choose").personal
    assert parse("what's my quota").personal
    assert not parse("which colour did she choose").personal
    assert not parse(f"I think {' '.join(f'word{n}' for n in range(12))}").personal


def test_scripts_typed_as_one_word_belong_together():
    assert parse("redis缓存").together
    assert parse("role:user DB锁").together
    assert not parse("redis 缓存").together
    assert not parse("redis缓存 配置").together
    assert not parse("React组件性能问题怎么解决").together


def test_a_quoted_phrase_must_stand_together():
    query = parse('"connection pool" redis')
    assert [word.tokens for word in query.phrases] == [("connect", "pool")]
    assert [word.surface for word in query.words] == ["redis"]


def test_in_prose_quotation_marks_are_no_operators():
    query = parse('When did Melanie read the book "nothing is impossible"?')
    assert not query.phrases
    assert "impossible" in [word.surface for word in query.words]


def test_curly_quotes_are_quotes():
    assert [word.tokens for word in parse("“connection pool”").phrases] == [("connect", "pool")]


def test_a_lone_quote_is_an_ordinary_sign():
    assert surfaces('5" nails') == ["5", "nails"]


def test_a_quoted_phrase_after_a_dash_or_not_is_excluded():
    for text in ('redis -"connection pool"', 'redis NOT "connection pool"'):
        query = parse(text)
        assert [word.tokens for word in query.excluded] == [("connect", "pool")]
        assert [word.surface for word in query.words] == ["redis"]


@pytest.mark.parametrize("text", ["docker build --no-cache", "git log -p", "rm -rf"])
def test_flags_are_words(text):
    query = parse(text)
    assert not query.excluded
    assert any(word.surface.startswith("-") or word.codes for word in query.words)


def test_not_in_a_sentence_is_a_word_and_at_the_end_of_a_list_an_operator():
    assert not parse("do NOT deploy on Friday").excluded
    assert not parse("we should NOT merge").excluded
    excluded = parse("redis cache NOT cluster").excluded
    assert [word.tokens for word in excluded] == [("cluster",)]


def test_filters_take_only_known_names_and_values():
    question = Question("x", now_ms=10 * DAY_MS)
    query = parse("role:user tag:Human since:2d until:nonsense key:value role:nobody x")
    take_filters(query, question, abspath)
    assert question.roles == ("user",)
    assert question.tags == ("human",)
    assert question.since_ms == 8 * DAY_MS
    assert question.until_ms is None
    kept = {word.surface for word in query.words}
    assert {"until:nonsense", "key:value", "role:nobody", "x"} <= kept


def test_wildcards_are_prefixes_and_near_words():
    query = parse("migra* kubernets~")
    assert query.prefixes == ["migra"]
    assert query.fuzzies == ["kubernet"]
    assert not query.words


def test_a_prefix_longer_than_the_stem_is_cut_to_what_tokens_share():
    assert parse("migrations*").prefixes == ["migrat"]


def test_a_star_alone_and_blanks_hold_no_word():
    for text in ("*", "   ", '"', "()", "%"):
        assert parse(text).empty


def test_of_a_long_question_the_rarest_words_are_kept():
    words = [f"word{'x' * number}" for number in range(60)]
    query = parse(" ".join(words))
    keep_rarest(query, lambda _field, token: max(len(token), 1))
    assert len(query.words) == MAX_WORDS
    assert {word.surface for word in query.words} == set(words[:MAX_WORDS])


def test_of_many_pairs_the_rarest_are_kept():
    words = [f"word{letter}" for letter in "abcdefghijklmnop"]
    query = parse(" ".join(words))
    pairs = list(query.pairs)
    assert len(pairs) == len(words) - 1
    common = {token: 99 for pair in pairs[:4] for token in pair}
    keep_rarest(query, lambda _field, token: common.get(token, 1))
    assert len(query.words) == len(words)
    assert set(query.pairs) == set(pairs[4 : 4 + MAX_PAIRS])


def test_a_quoted_name_with_signs_or_one_character_is_looked_for_as_a_whole():
    for text in ('"C++"', '"猫"', '"0.26.1"'):
        query = parse(text)
        assert [word.codes for word in query.phrases] == [(text.strip('"').lower(),)]
        assert [word.surface for word in query.words] == [text.strip('"')]  # they rank


def test_no_irregular_form_is_passed_over():
    for group in irregular.FORMS.split(";"):
        forms = {tokens[0]: word for word in group.split() if (tokens := text_tokens(word))}
        for stem in forms:
            (word,) = irregular.with_forms([Word(stem, (stem,))])
            assert {other for (other,), _ in word.others} >= set(forms) - {stem}, forms
    plain = [Word(token, (token,)) for token in ("factori", "zeppelin", "", "日本")]
    assert irregular.with_forms(plain) == plain


def test_an_irregular_form_that_is_asked_for_itself_is_no_other_form():
    go, went, old = irregular.with_forms([Word(token, (token,)) for token in ("go", "went", "old")])
    assert go.others == went.others == ((("gone",), irregular.SHARE),)
    assert not old.others


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ('-"number 3" alpha', [("number", "3")]),
        ('alpha -"number 3"', [("number", "3")]),
        ('NOT "number 3" alpha', [("number", "3")]),
        ('-"number 3" "alpha beta"', [("number", "3")]),
        ('-"number 3"', []),
        ('-"number 3" -"number 4"', []),
        ('--flag"number 3" alpha', []),
    ],
)
def test_a_phrase_is_excluded_wherever_it_stands_unless_nothing_else_is_asked(text, excluded):
    query = parse(text)
    assert [word.tokens for word in query.excluded] == excluded
    assert query.words or query.phrases
