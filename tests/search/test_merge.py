"""The best of many sources: as if everything was sorted, the first of each set of twins kept."""

from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.merge import BEST_FIRST, best, broaden

entries = st.lists(
    st.tuples(
        st.one_of(st.sampled_from([0.0, 1.0, 2.5]), st.floats(0, 100)),
        st.integers(0, 3),
        st.integers(-3, 12),
    ),
    max_size=60,
).map(lambda rows: [(*row, number) for number, row in enumerate(rows)])


def best_by_sorting(ranked, limit):
    kept, twins = [], set()
    for entry in sorted(ranked, key=lambda entry: (-entry[0], -entry[1], entry[3])):
        if entry[2] not in twins:
            twins.add(entry[2])
            kept.append(entry)
    return kept[:limit]


@given(entries, st.integers(0, 70))
def test_the_heap_agrees_with_sorting_everything(ranked, limit):
    assert best(iter(ranked), limit) == best_by_sorting(ranked, limit)


@given(entries, st.integers(1, 70))
def test_no_two_hits_say_the_same(ranked, limit):
    twins = [entry[2] for entry in best(ranked, limit)]
    assert len(twins) == len(set(twins))


def test_ties_are_broken_by_time_then_by_who_came_first():
    ranked = [(1.0, 5, 1, "a"), (1.0, 9, 2, "b"), (1.0, 5, 3, "c"), (1.0, 9, 1, "twin of a")]
    assert [what for *_, what in best(ranked, 4)] == ["b", "twin of a", "c"]


@given(entries, st.integers(1, 70), st.integers(1, 5))
def test_breadth_keeps_the_best_first_and_loses_or_doubles_nothing(ranked, limit, groups):
    ranked = best(ranked, len(ranked))
    chosen = broaden(ranked, limit, lambda entry: entry[2] % groups)
    first = min(limit, BEST_FIRST)
    assert chosen[:first] == ranked[:first]
    assert len(chosen) == min(limit, len(ranked))
    assert len({entry[2] for entry in chosen}) == len(chosen)
    assert set(chosen) <= set(ranked)
