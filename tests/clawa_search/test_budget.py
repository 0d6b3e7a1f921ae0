"""A packed answer never has more tokens than allowed, and drops a hit only when it must."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.errors import InvalidInputError
from clawa_search.output import tokens
from clawa_search.output.budget import SHORTEST_CHARS, pack

EMPTY = 40  # tokens that any answer without hits stays below

Hit = tuple[str, str]  # anchor, excerpt


def shrink(hit: Hit, chars: int) -> Hit:
    anchor, excerpt = hit
    return hit if len(excerpt) <= chars else (anchor, excerpt[: chars - 1] + "…")


def render_json(total: int) -> Callable[[list[Hit]], str]:
    def render(hits: list[Hit]) -> str:
        notes = [] if len(hits) == total else [f"{len(hits)} of {total} hits shown"]
        shown = [{"ref": anchor, "excerpt": excerpt} for anchor, excerpt in hits]
        return json.dumps({"hits": shown, "notes": notes}, ensure_ascii=False)

    return render


def packed(hits: list[Hit], budget: int) -> str:
    longest = max((len(excerpt) for _, excerpt in hits), default=0)
    return pack(hits, budget, render=render_json(len(hits)), shrink=shrink, longest=longest)


EXCERPTS = st.one_of(
    st.text(max_size=600),
    st.sampled_from(['"\\\n\t' * 150, "日本語" * 200, "the quick brown fox " * 30, "a" * 600]),
)
HITS = st.lists(EXCERPTS, max_size=12).map(
    lambda texts: [(f"/home/someone/sessions/file{n}.jsonl:{n}", t) for n, t in enumerate(texts)]
)


@settings(max_examples=250, deadline=None)
@given(HITS, st.integers(EMPTY, 1500))
def test_an_answer_never_exceeds_its_budget_and_keeps_the_best_hits_whole(hits, budget):
    answer = packed(hits, budget)
    assert tokens.count(answer) <= budget
    shown = json.loads(answer)["hits"]
    for hit, (anchor, excerpt) in zip(shown, hits, strict=False):
        assert hit["ref"] == anchor
        assert hit["excerpt"] == excerpt or len(hit["excerpt"]) >= SHORTEST_CHARS


@settings(max_examples=100, deadline=None)
@given(HITS, st.integers(EMPTY, 1500))
def test_a_hit_is_dropped_only_when_all_quotations_are_as_short_as_can_be(hits, budget):
    shown = len(json.loads(packed(hits, budget))["hits"])
    if shown < len(hits):
        fewest = [shrink(hit, SHORTEST_CHARS) for hit in hits]
        assert tokens.count(render_json(len(hits))(fewest)) > budget


def test_an_answer_that_fits_is_left_alone():
    hits = [("a:1", "short"), ("a:2", "x" * 300)]
    assert packed(hits, 1000) == render_json(2)(hits)


def test_the_budget_is_used_up():
    hits = [(f"a.jsonl:{n}", "the quick brown fox jumps over the lazy dog " * 20) for n in range(5)]
    answer = packed(hits, 500)
    assert len(json.loads(answer)["hits"]) == 5
    assert 450 <= tokens.count(answer) <= 500


def test_the_room_of_a_dropped_hit_goes_to_the_others():
    hits = [("x" * 90 + f":{n}", "the quick brown fox jumps over it " * 20) for n in range(9)]
    shown = json.loads(packed(hits, 150))["hits"]
    assert 0 < len(shown) < 9
    assert all(len(hit["excerpt"]) > SHORTEST_CHARS for hit in shown)


def test_no_hit_is_shown_when_the_best_does_not_fit_at_its_shortest():
    hits = [("x" * 3000, "text")]
    assert json.loads(packed(hits, 50)) == {"hits": [], "notes": ["0 of 1 hits shown"]}


def test_a_budget_below_an_empty_answer_is_refused_with_the_number_needed():
    with pytest.raises(InvalidInputError, match=r"--max-tokens 3: .* already has 1\d"):
        packed([("a:1", "x" * 1000)], 3)


def test_few_renderings_are_counted():
    rendered = []
    render = render_json(100)
    hits = [(f"a:{n}", "words and words " * 40) for n in range(100)]

    def counting(some: list[Hit]) -> str:
        rendered.append(len(some))
        return render(some)

    pack(hits, 800, render=counting, shrink=shrink, longest=640)
    assert len(rendered) <= 17
