"""Words that the best hits have in common find further sessions."""

import pytest

from clawa_search.search import rank
from clawa_search.search.feedback import TERMS, terms
from clawa_search.search.winner import Winner
from tests.builders import Home, header, user


def test_the_words_that_tell_most_come_first_and_none_that_was_asked():
    said = {1: "zebra keel the the mast keel", 2: "zebra mast sail", 3: "zebra " * 9}
    winners = [Winner(score, 0, twin) for score, twin in ((3.0, 1), (2.0, 2), (1.0, 3))]
    found = terms(
        winners,
        {"zebra"},
        lambda one: said[one.twin].split(),
        lambda token: {"keel": 2.0, "mast": 1.0, "sail": 5.0}[token],
    )
    assert found == ["sail", "keel", "mast"]
    many = [f"word{number}" for number in range(3 * TERMS)]
    assert len(terms(winners[:1], {"zebra"}, lambda _: many, lambda _: 1.0)) == TERMS


@pytest.mark.parametrize("feedback", [0.0, rank.DEFAULT.feedback])
def test_a_session_about_the_same_is_opened_first(tmp_path, monkeypatch, feedback):
    home = Home(tmp_path)
    monkeypatch.setattr(rank.DEFAULT, "feedback", feedback)
    best = "boat repair: the keel is scraped, the mast is oiled, the sail is sewn by Olga"
    home.write("best.jsonl", *(user(f"{best}, day {number}") for number in range(24)))
    for name, more in (
        ("other", "gravel lorry ditch fence shovel"),
        ("same", "keel mast sail Olga"),
    ):
        said = user(f"boat{' boat' * (name == 'other')}, and later {more}")
        home.write(f"{name}.jsonl", said, head=header(session_id=name))
    home.reindex()
    hits = home.hits("boat repair", limit=14)
    names = [hit.path.rpartition("/")[2] for hit in hits[10:]]
    names = [name for name in names if name != "best.jsonl"]
    assert set(names) == {"other.jsonl", "same.jsonl"}
    assert (names[0] == "same.jsonl") is bool(feedback)
    home.close()
