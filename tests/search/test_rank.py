"""The recipe over numbers: parts add up, neighbours share, dates favour."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.rank import DAY_MS, DEFAULT, Recipe, Weights, in_order
from indexer.schema import SEQ_BITS
from tests.builders import user

MID = (3 << SEQ_BITS) + 10
scores = st.dictionaries(st.integers(MID, MID + 12), st.floats(0.1, 30), max_size=8)


def off():
    weights = Weights()
    weights.neighbours = weights.further = weights.session = weights.user = weights.standing = 0.0
    weights.date = 1.0
    return weights


@given(scores, st.dictionaries(st.integers(MID, MID + 12), st.booleans()), st.floats(0, 9))
def test_the_parts_of_a_score_add_up(own, users, prior):
    window = (100 * DAY_MS, 101 * DAY_MS)
    times = dict.fromkeys(own, 100 * DAY_MS)
    for personal in (False, True):
        recipe = Recipe(own, users, times, {3: prior}, window, DEFAULT, personal=personal)
        for mid, total in recipe.totals().items():
            assert abs(sum(recipe.parts(mid).values()) - total) < 1e-9


@given(scores)
def test_with_every_step_off_the_score_is_that_of_the_text(own):
    assert Recipe(own, dict.fromkeys(own, True), {}, {3: 5.0}, (0, 1), off()).totals() == own


def test_neighbours_share_a_score_and_sessions_never_touch():
    last = (4 << SEQ_BITS) - 1
    totals = Recipe({MID: 10.0, last: 10.0}, {}, {}, {3: 7.0}, None, DEFAULT).totals()
    assert totals[MID + 1] == totals[MID - 1] == 4.0 + DEFAULT.session * 7.0
    assert totals[last + 1] == 4.0  # the number is that of another session, which has no entry 0


def test_who_asks_about_themselves_finds_what_they_said_first():
    own = {MID: 10.0, MID + 7: 11.0}
    found = Recipe(own, {MID: False}, {}, {}, None, off(), personal=True).totals()
    assert found == {MID: 10.0 * (1 + DEFAULT.asker), MID + 7: 11.0}
    assert Recipe(own, {MID: False}, {}, {}, None, off()).totals() == own


def test_a_wish_that_holds_for_later_gains_and_so_do_its_neighbours():
    recipe = Recipe({MID: 10.0}, {MID: True}, {}, {}, None, DEFAULT)
    gain = 1 + DEFAULT.user + DEFAULT.standing
    wanted = {MID: 10 * gain, MID - 1: 4 * gain, MID + 1: 4 * gain}
    assert recipe.totals() == pytest.approx(wanted)
    assert recipe.parts(MID)["standing"] == recipe.speaker(MID) == 10 * DEFAULT.standing


WISH = "Always show the version numbers when we talk about a dependency."


@pytest.mark.parametrize("indexed", [True, False])
def test_a_standing_wish_stands_above_what_was_said_by_the_way(home, indexed):
    others = "our talk about a dependency took so long that the numbers were never looked at again"
    home.write("s.jsonl", user(others), user("tea"), user("milk"), user("rye"), user(WISH))
    home.write("t.jsonl", *map(user, ("bread", "beer", "a long walk", "snow")))
    if indexed:
        home.ready()
    hits = home.hits("dependency numbers talk", explain=True)
    assert hits[0].excerpt == WISH
    assert hits[0].explain["standing"] > 0
    assert "standing" not in hits[1].explain


@pytest.mark.parametrize("question", ["what did I say of versions", "versions", "my wishes"])
def test_to_explain_changes_nothing_else(home, question):
    said = ("I want versions of wishes", WISH, "what did I say", "my versions grow")
    home.write("s.jsonl", *map(user, said))
    plain = [(hit.ref, hit.score, hit.strength, hit.tier) for hit in home.hits(question)]
    told = home.hits(question, explain=True)
    assert [(hit.ref, hit.score, hit.strength, hit.tier) for hit in told] == plain


def test_who_stands_two_away_gains_a_little_and_brings_nobody_new():
    totals = Recipe({MID: 10.0, MID + 2: 5.0}, {}, {}, {}, None, DEFAULT).totals()
    assert totals == {MID - 1: 4.0, MID: 10.5, MID + 1: 6.0, MID + 2: 6.0, MID + 3: 2.0}


def test_a_date_in_the_question_doubles_what_was_said_up_to_two_weeks_later():
    window = (50 * DAY_MS, 51 * DAY_MS)
    for day, factor in ((48, 1.0), (49.5, 2.0), (50, 2.0), (64, 2.0), (66, 1.0)):
        times = {MID: int(day * DAY_MS)}
        totals = Recipe({MID: 10.0}, {}, times, {}, window, DEFAULT).totals()
        assert totals[MID] == 10.0 * factor


def test_a_sentence_copied_from_a_message_finds_it(home):
    said = "we should go over to the old house and see what they have got there"
    others = (
        "over there they have got the old one, so go and see what we should get to that house",
        "the house they see is old and we have got to go there, what should be over",
        "they got what we have there and should see to it, go over the house of the old",
    )
    home.write("s.jsonl", *map(user, (*others, "something else stands between", said, *others)))
    home.ready()
    assert home.hits("go over to the old house and see what", limit=1)[0].excerpt == said


FILLER = "module check list report order night value result later number table error branch review "


@pytest.mark.parametrize("times", [10, 100, 500])
@pytest.mark.parametrize("memories", [False, True])
def test_a_long_entry_that_holds_every_word_stands_first(home, memories, times):
    fact = "The Zephyr adapter needs firmware 3.9."
    long = FILLER * times + fact + FILLER * times
    short = [f"the adapter {n} is new" for n in range(40)] + [
        f"firmware {n} came" for n in range(40)
    ]
    if memories:
        for said in (*short, long):
            home.recall.remember(said)
    else:
        home.write("a.jsonl", *map(user, (*short, "apart", "from that", long)))
        home.ready()
    hits = home.hits("which firmware does the Zephyr adapter need?")
    assert fact[4:18] in hits[0].excerpt
    assert hits[0].tier == "match"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("backend", "A back-end bug."),
        ("username", "the user_name is missing"),
        ("what about 1.14.3 in staging", "On the staging box release 1.14.3 was fixed"),
        ("C++ compiler", "the compiler of C++ is slow"),
        ("a1b2c3d4e5", "look at commit a1b2c3d4e5 again"),
    ],
)
@pytest.mark.parametrize("memories", [False, True])
def test_a_whole_form_is_worth_the_same_wherever_it_stands(home, asked, said, memories):
    others = [f"Release 2.{n}.{n} went to staging with the compiler" for n in range(30)]
    others += [f"a plain sentence number {n} about nothing" for n in range(60)]
    if memories:
        for one in (*others, said):
            home.recall.remember(one)
    else:
        home.write("a.jsonl", *map(user, (*others, said)))
        home.ready()
    hits = home.hits(asked)
    assert hits[0].excerpt == said
    assert hits[0].tier == "match"


@given(
    st.dictionaries(st.integers(0, 30), st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.5])),
    st.integers(0, 40),
)
def test_whatever_is_sorted_apart_the_order_is_by_total_and_then_the_later_first(totals, first):
    expected = sorted(totals, key=lambda mid: (totals[mid], mid), reverse=True)
    assert list(in_order(totals, first)) == expected
