"""The best of many sources: as if everything was sorted, the first of each set of twins kept."""

from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.merge import BEST_FIRST, best, broaden
from clawa_search.search.winner import Winner

entries = st.lists(
    st.tuples(
        st.one_of(st.sampled_from([0.0, 1.0, 2.5]), st.floats(0, 100)),
        st.integers(0, 3),
        st.integers(-3, 12),
    ),
    max_size=60,
).map(lambda rows: [Winner(*row) for row in rows])


def best_by_sorting(ranked, limit):
    kept, twins = [], set()
    for entry in sorted(ranked, key=lambda entry: (-entry.score, -entry.ts_ms)):
        if entry.twin not in twins:
            twins.add(entry.twin)
            kept.append(entry)
    return kept[:limit]


@given(entries, st.integers(0, 70))
def test_the_heap_agrees_with_sorting_everything(ranked, limit):
    assert best(iter(ranked), limit) == best_by_sorting(ranked, limit)


@given(entries, st.integers(1, 70))
def test_no_two_hits_say_the_same(ranked, limit):
    twins = [entry.twin for entry in best(ranked, limit)]
    assert len(twins) == len(set(twins))


def test_ties_are_broken_by_time_then_by_who_came_first():
    a, b, c, like_a = Winner(1.0, 5, 1), Winner(1.0, 9, 2), Winner(1.0, 5, 3), Winner(1.0, 9, 1)
    assert best([a, b, c, like_a], 4) == [b, like_a, c]


@given(entries, st.integers(1, 70), st.integers(1, 5))
def test_breadth_keeps_the_best_first_and_loses_or_doubles_nothing(ranked, limit, groups):
    ranked = best(ranked, len(ranked))
    chosen = broaden(
        ranked, limit, lambda entry: entry.twin % groups, lambda entries: entries[0].score
    )
    first = min(limit, BEST_FIRST)
    assert chosen[:first] == ranked[:first]
    assert len(chosen) == min(limit, len(ranked))
    assert len({entry.twin for entry in chosen}) == len(chosen)
    assert set(chosen) <= set(ranked)


def test_a_group_is_opened_by_its_own_rank_and_every_second_place_goes_by_score():
    ranked = [Winner(100.0 - number, 0, number) for number in range(20)]
    last = {19: 3.0, 12: 2.0, 15: 1.0}
    chosen = broaden(
        ranked,
        16,
        lambda entry: entry.twin if entry.twin in last else "the rest",
        lambda entries: last.get(entries[0].twin, 0.0),
    )
    assert [entry.twin for entry in chosen] == [*range(10), 19, 10, 12, 11, 15, 13]
