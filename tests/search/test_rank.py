"""The recipe over numbers: parts add up, neighbours share, dates favour."""

from hypothesis import given
from hypothesis import strategies as st

from clawa_search.search.rank import DAY_MS, DEFAULT, Weights, combine
from indexer.schema import SEQ_BITS

MID = (3 << SEQ_BITS) + 10
scores = st.dictionaries(st.integers(MID, MID + 12), st.floats(0.1, 30), max_size=8)


def off():
    weights = Weights()
    weights.neighbours = weights.session = weights.user = 0.0
    weights.date = 1.0
    return weights


@given(scores, st.sets(st.integers(MID, MID + 12)), st.floats(0, 9))
def test_the_parts_of_a_score_add_up(own, users, prior):
    window = (100 * DAY_MS, 101 * DAY_MS)
    times = dict.fromkeys(own, 100 * DAY_MS)
    for entry in combine(own, users, times, {3: prior}, window, DEFAULT).values():
        assert abs(sum(entry.parts().values()) - entry.total) < 1e-9


@given(scores)
def test_with_every_step_off_the_score_is_that_of_the_text(own):
    scored = combine(own, set(own), {}, {3: 5.0}, (0, 1), off())
    assert {mid: entry.total for mid, entry in scored.items()} == own


def test_neighbours_share_a_score_and_sessions_never_touch():
    last = (4 << SEQ_BITS) - 1
    scored = combine({MID: 10.0, last: 10.0}, set(), {}, {}, None, DEFAULT)
    assert scored[MID + 1].total == scored[MID - 1].total == 4.0
    assert scored[last + 1].session == 0.0


def test_a_date_in_the_question_doubles_what_was_said_up_to_two_weeks_later():
    window = (50 * DAY_MS, 51 * DAY_MS)
    for day, factor in ((48, 1.0), (49.5, 2.0), (50, 2.0), (64, 2.0), (66, 1.0)):
        times = {MID: int(day * DAY_MS)}
        scored = combine({MID: 10.0}, set(), times, {}, window, DEFAULT)
        assert scored[MID].total == 10.0 * factor
