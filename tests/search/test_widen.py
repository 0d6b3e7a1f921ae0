"""Wildcards and guessed spellings."""

from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.distance import distance
from tests.builders import assistant, user

words = st.text("abc", max_size=6)


def slow_distance(left, right):
    if not left or not right:
        return len(left) + len(right)
    cost = min(
        slow_distance(left[1:], right) + 1,
        slow_distance(left, right[1:]) + 1,
        slow_distance(left[1:], right[1:]) + (left[0] != right[0]),
    )
    if len(left) > 1 and len(right) > 1 and left[0] == right[1] and left[1] == right[0]:
        cost = min(cost, slow_distance(left[2:], right[2:]) + 1)
    return cost


@given(st.text("abc", max_size=4), st.text("abc", max_size=4))
def test_the_distance_is_that_of_the_definition(left, right):
    assert distance(left, right, 9) == slow_distance(left, right)


@given(words, words, st.integers(0, 3))
def test_beyond_the_bound_the_distance_is_one_more(left, right, most):
    exact = distance(left, right, 99)
    assert distance(left, right, most) == exact if exact <= most else True
    assert (distance(left, right, most) <= most) == (exact <= most)


def test_a_prefix_finds_words_in_both_stores(home):
    home.write("s.jsonl", user("the migration ran"), assistant("nothing here"))
    home.recall.remember("migrating birds")
    home.ready()
    assert {hit.kind for hit in home.hits("migra*")} == {"memory", "session"}


def test_an_unknown_word_finds_similar_ones_labelled_weak(home):
    home.write("s.jsonl", user("deploy to kubernetes"), assistant("done"))
    home.ready()
    answer = home.ask("kubrenetes")
    assert [hit.tier for hit in answer.hits] == ["weak"]
    assert any("kubernet" in note for note in answer.notes)


def test_a_guess_is_half_the_evidence_of_the_word(home):
    home.write("s.jsonl", user("deploy to kubernetes"), assistant("done"))
    home.ready()
    guessed, typed = (home.hits(word, explain=True)[0] for word in ("kubrenetes", "kubernetes"))
    assert abs(guessed.explain["text"] - typed.explain["text"] / 2) < 1e-6


def test_a_word_like_nothing_gives_an_explicit_empty(home):
    home.write("s.jsonl", user("deploy to kubernetes"), assistant("done"))
    home.ready()
    answer = home.ask("zqxjkvbn")
    assert not answer.hits
    assert answer.complete


def test_beside_other_words_a_guess_must_be_longer(home):
    home.write("s.jsonl", user("the point of jam and plums"), assistant("done"))
    home.ready()
    assert home.ask("paint").notes
    assert not home.ask("paint jam plums").notes


def test_short_and_unusual_words_are_not_guessed(home):
    home.write("s.jsonl", user("pear plum1"), assistant("done"))
    home.ready()
    assert not home.hits("bear")
    assert not home.hits("plum2")
