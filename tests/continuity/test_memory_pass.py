"""Laws of the memory pass, and a scripted host that tries to make it run twice."""

import json
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.continuity.memory_pass import (
    DEFAULT_RESERVE,
    PROMPT,
    Situation,
    as_json,
    decide,
    threshold,
)

WINDOWS = st.integers(1_000, 2_000_000)


@pytest.mark.parametrize(
    ("window", "reserve", "expected"),
    [
        (1_000_000, None, 900_000),
        (200_000, None, 177_616),
        (128_000, None, 107_776),  # Pi compacts at 111,616: 90 % would never be reached
        (128_000, 0, 115_200),  # a host that never compacts
        (20_000, 1_000, 18_000),
        (8_000, None, 4_000),  # the reserve is larger than the window
    ],
)
def test_thresholds_of_usual_windows(window, reserve, expected):
    assert threshold(window, reserve) == expected


@given(WINDOWS, st.none() | st.integers(0, 100_000))
def test_the_threshold_is_at_most_90_percent_and_before_the_hosts_compaction(window, reserve):
    found = threshold(window, reserve)
    assert window // 2 <= found <= window * 9 // 10
    limit = window - (DEFAULT_RESERVE if reserve is None else reserve)
    assert reserve == 0 or found < limit or found == window // 2


@given(WINDOWS, st.integers(0, 2_000_000))
def test_it_is_due_exactly_from_the_threshold_on(window, tokens):
    assert decide(Situation(tokens, window)).due == (tokens >= threshold(window))


DUE = Situation(950_000, 1_000_000)


@pytest.mark.parametrize(
    "why_not",
    [
        {"has_ui": False},
        {"tokens": None},
        {"window": 0},
        {"stop_reason": "aborted"},
        {"stop_reason": "error"},
        {"cycle": 2, "done": (0, 2)},
    ],
)
def test_it_is_not_due_without_a_human_a_number_a_good_end_or_twice_in_a_cycle(why_not):
    assert decide(DUE).due
    assert not decide(replace(DUE, **why_not)).due


def test_the_prompt_bounds_what_is_remembered_and_allows_nothing():
    for words in (
        'limit": 5',
        "at most 5",
        "routine completion",
        "living files",
        "good result",
        "only once",
    ):
        assert words in PROMPT


def test_the_json_object_has_the_fields_of_the_contract():
    found = json.loads(json.dumps(as_json(120_000, 128_000)))
    assert found == {"due": True, "threshold": 107_776, "prompt": PROMPT}
    assert as_json(120_000, 200_000, 30_000)["due"] is False


@dataclass
class Host:
    """A host that compacts by its own rule and keeps a branch of ("turn" | "pass" | "compaction") entries."""

    window: int
    reserve: int
    branch: list[tuple[str, int]] = field(default_factory=list)
    tokens: int | None = 0

    def ask(self, stop_reason: str = "stop") -> None:
        cycle = sum(kind == "compaction" for kind, _ in self.branch)
        done = [number for kind, number in self.branch if kind == "pass"]
        found = decide(Situation(self.tokens, self.window, self.reserve, cycle, done, stop_reason))
        if found.due:
            self.branch.append(("pass", found.cycle))

    def turn(self, tokens: int, stop_reason: str = "stop") -> None:
        self.tokens = (self.tokens or 0) + tokens
        self.branch.append(("turn", 0))
        self.ask(stop_reason)
        if self.tokens > self.window - self.reserve:
            self.compact()

    def compact(self) -> None:
        self.branch.append(("compaction", 0))
        self.tokens = None

    def fork(self, place: int) -> None:
        self.branch = self.branch[: place % (len(self.branch) + 1)]
        self.tokens = min(self.tokens or 0, self.window // 4)


small, jump = st.integers(1, 30), st.integers(31, 140)  # percent of the window
steps = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), small | jump),
        st.tuples(st.just("abort"), small),
        st.tuples(st.just("compact"), st.just(0)),
        st.tuples(st.just("fork"), st.integers(0, 100)),
        st.tuples(st.just("model"), st.integers(0, 3)),
    ),
    max_size=40,
)


@given(
    steps,
    st.sampled_from([20_000, 128_000, 200_000, 1_000_000]),
    st.sampled_from([1_000, DEFAULT_RESERVE]),
)
def test_a_scripted_host_sees_at_most_one_pass_a_cycle(script, window, reserve):
    host = Host(window, reserve)
    for kind, number in script:
        match kind:
            case "turn":
                host.turn(number * host.window // 100)
            case "abort":
                host.turn(number * host.window // 100, "aborted")
            case "compact":
                host.compact()
            case "fork":
                host.fork(number)
            case "model":
                host.window = (20_000, 128_000, 200_000, 1_000_000)[number]
            case _:
                pytest.fail(f"unknown step {kind}")
        passes = [number for kind, number in host.branch if kind == "pass"]
        assert len(passes) == len(set(passes))


@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=200),
    st.sampled_from([128_000, 200_000, 1_000_000]),
)
def test_a_host_that_grows_in_small_steps_never_compacts_before_the_pass(steps, window):
    host = Host(window, DEFAULT_RESERVE)
    for step in steps:
        host.turn(step * window // 10_000)  # up to 3 % of the window in one run
    kinds = [kind for kind, _ in host.branch if kind != "turn"]
    assert kinds == (["pass", "compaction"] * len(kinds))[: len(kinds)]
