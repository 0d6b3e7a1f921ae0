"""The plan reads few memories and yet finds what ranking all of them would."""

import itertools
import random
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.memory import plan as plan_module
from clawa_search.memory.store import MemoryStore
from indexer.analysis import Word

ROWS = 3000
VOCABULARY = [f"w{number}" for number in range(400)]
WEIGHTS = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(VOCABULARY))))
# Small enough that a store of 3,000 memories takes every path that one of a million takes.
SMALL = {"BUDGET": 900, "FIRST": 40, "WINDOW": 64, "NARROW": 50, "MAX_PAIRED": 300, "CHUNK": 16}


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    rng = random.Random(4)
    path = str(tmp_path_factory.mktemp("big") / "m.sqlite")
    with MemoryStore(path) as store:
        store.remember("seed")
        con = sqlite3.connect(path)
        rows = [
            (
                1000 + number,
                " ".join(rng.choices(VOCABULARY, cum_weights=WEIGHTS, k=rng.randrange(3, 25))),
                '["rare"]' if number % 100 == 0 else '["half"]' if number % 2 else "[]",
            )
            for number in range(ROWS)
        ]
        con.executemany("INSERT INTO memories (ts, text, tags) VALUES (?, ?, ?)", rows)
        con.commit()
        con.close()
        store.refresh()
        assert store.integrity() == []
        yield store


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for name, value in SMALL.items():
        monkeypatch.setattr(plan_module, name, value)


def words(names):
    return [Word(name, (name,)) for name in names]


def by_fts5(store, names, limit=10, condition="1", values=()):
    """Rank everything with FTS5, as a plain query would."""
    con = sqlite3.connect(store.path)
    match = " OR ".join(f'({{text tags}} : "{name}")' for name in names)
    try:
        return con.execute(
            f"""SELECT m.id, bm25(memories_fts, 1.0, 1.0, 1.0, 0.0) AS worth FROM memories_fts
            JOIN memories m ON m.id = memories_fts.rowid WHERE memories_fts MATCH ? AND {condition}
            ORDER BY worth, m.id DESC LIMIT ?""",
            (match, *values, limit),
        ).fetchall()
    finally:
        con.close()


def scores(found):
    return [round(row.score, 6) for row in found[:10]]


# Words of every commonness: half of the ranks are below 20.
rank = st.one_of(st.integers(0, 19), st.integers(0, len(VOCABULARY) - 1))


@settings(max_examples=300)
@given(ranks=st.lists(rank, min_size=1, max_size=5, unique=True), limit=st.sampled_from([10, 50]))
def test_the_first_ten_are_those_of_ranking_everything(big, ranks, limit):
    names = [VOCABULARY[rank] for rank in ranks]
    answer = big.candidates(words(names), limit=limit)
    expected = by_fts5(big, names)
    if answer.notes:  # too common for the small budget: good matches, not all the best
        assert len(answer.rows) >= len(expected)
        return
    assert scores(answer.rows) == [round(-worth, 6) for _, worth in expected]
    ids = [row.id for row in answer.rows]
    assert len(set(ids)) == len(ids)


def test_a_rare_word_decides_among_common_ones(big):
    names = [VOCABULARY[rank] for rank in (0, 1, 2, 390)]
    answer = big.candidates(words(names))
    assert scores(answer.rows) == [round(-worth, 6) for _, worth in by_fts5(big, names)]


def test_only_common_words_give_the_newest_and_a_note(big):
    answer = big.candidates(words(["w0"]), limit=20)
    (note,) = answer.notes
    assert "w0" in note
    assert answer.complete
    newest = {row for (row,) in ids_of(big, '"w0"', 64)}
    assert {row.id for row in answer.rows} <= newest
    assert len(answer.rows) == 20


def test_memories_with_all_of_the_common_words_are_found_however_old(big):
    answer = big.candidates(words(["w0", "w1", "w2"]), limit=50)
    assert answer.notes
    together = ids_of(big, '"w0" AND "w1" AND "w2"', 1)
    assert together[0][0] in {row.id for row in answer.rows} or len(answer.rows) == 50


def ids_of(store, match, limit):
    con = sqlite3.connect(store.path)
    try:
        return con.execute(
            "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
            (match, limit),
        ).fetchall()
    finally:
        con.close()


@pytest.mark.parametrize("tag", ["rare", "half"])
@pytest.mark.parametrize("names", [["w3"], ["w5", "w300"], ["w0", "w1"]])
def test_a_tag_limits_before_ranking(big, tag, names):
    answer = big.candidates(words(names), tags=[tag], limit=10)
    expected = by_fts5(big, names, 10, "m.tags = ?", (f'["{tag}"]',))
    assert {row.tags for row in answer.rows} == {(tag,)}
    assert len(answer.rows) == len(expected)
    if not answer.notes:
        assert scores(answer.rows) == [round(-worth, 6) for _, worth in expected]


@pytest.mark.parametrize("span", [(1000, 1030), (2000, 2600), (1000, 1000 + ROWS)])
@pytest.mark.parametrize("names", [["w40"], ["w5", "w300"]])
def test_a_time_limits_before_ranking(big, span, names):
    answer = big.candidates(words(names), since_ms=span[0], until_ms=span[1], limit=10)
    expected = by_fts5(big, names, 10, "m.ts BETWEEN ? AND ?", span)
    assert len(answer.rows) == len(expected)
    if not answer.notes:
        assert scores(answer.rows) == [round(-worth, 6) for _, worth in expected]


@pytest.mark.parametrize("phrase", [("w0", "w1"), ("w20", "w0"), ("w0",)])
def test_a_phrase_limits_and_words_lift(big, phrase):
    answer = big.candidates(words(["w9"]), phrases=[Word("", phrase)], limit=10)
    assert answer.rows
    joined = f" {' '.join(phrase)} "
    assert all(joined in f" {row.text} " for row in answer.rows)
    matching = ids_of(big, f'"{" ".join(phrase)}"', -1)
    assert len(answer.rows) == min(10, len(matching))


@settings(max_examples=40)
@given(rank=st.integers(0, 399), other=st.integers(0, 399), tag=st.sampled_from([(), ("half",)]))
def test_what_is_excluded_is_never_found(big, rank, other, tag):
    name, without = VOCABULARY[rank], VOCABULARY[other]
    answer = big.candidates(words([name]), excluded=[Word("", (without,))], tags=tag)
    assert all(without not in row.text.split() for row in answer.rows)
    assert all(name in row.text.split() for row in answer.rows)


@settings(max_examples=30)
@given(rank=st.integers(0, 399))
def test_frequencies_are_counts(big, rank):
    name = VOCABULARY[rank]
    answer = big.candidates(words([name]))
    assert answer.df[name] == len(ids_of(big, f'{{text tags}} : "{name}"', -1))
    assert answer.total_rows == ROWS + 1


def test_how_much_is_read_does_not_grow_with_the_matches(big, monkeypatch):
    read = []
    load = plan_module.Plan._load

    def counted(self, ids):
        ids = list(ids)
        read.append(len(ids))
        return load(self, ids)

    monkeypatch.setattr(plan_module.Plan, "_load", counted)
    big.candidates(words(["w0", "w1", "w390"]), limit=10)
    assert 0 < sum(read) <= 4 * SMALL["WINDOW"]


def test_newest_with_a_tag_comes_from_the_tags_own_index(big):
    con = sqlite3.connect(big.path)
    try:
        plan = con.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM memories_tags WHERE tag = 'rare'"
            " ORDER BY ts DESC, id DESC LIMIT 5"
        ).fetchall()
    finally:
        con.close()
    assert not any("TEMP B-TREE" in step[3] for step in plan)
    found = big.newest(5, ["rare"])
    assert [memory.tags for memory in found] == [("rare",)] * 5
    assert [memory.ts_ms for memory in found] == [1000 + 2900 - 100 * at for at in range(5)]
    assert big.newest(5, ["rare", "half"]) == []
