"""A day is found however it was written, in memories, fresh and indexed."""

import pytest

from clawa_search.search.date_forms import _day, _numbers
from clawa_search.search.dated import may_name_day
from indexer.analysis import query_words
from tests.builders import home_of

SAID = {
    "The audit is set for 2027-09-14.": [
        "what is set for September 14, 2027?",
        "audit on 14 sept",
        "what happens on the 14th of September 2027",
        "14/09/2027",
        "14.09.2027",
        "9/14/2027",
    ],
    "Grandma comes on October 3rd.": [
        "who comes on 2027-10-03?",
        "who comes on 3 oct?",
        "10/3/2027",
        "03.10.2027",
    ],
    "The lease ends 21.11.2027.": ["what ends on 2027-11-21", "when is the 21st of november"],
    "Invoice due 7/22/2028 at noon.": ["2028-07-22 due", "what is due on July 22nd, 2028?"],
}
OTHERS = [
    f"The {thing} is set for {day}."
    for thing in ("audit", "lease", "visit", "invoice")
    for day in ("2027-09-15", "October 4th", "22.11.2027", "7/23/2028", "3 November", "2027-05-30")
]
PAIRS = [(said, asked) for said, questions in SAID.items() for asked in questions]


@pytest.fixture(scope="module", params=["memories", "fresh", "indexed"])
def home(request, tmp_path_factory):
    made = home_of([*OTHERS, *SAID], tmp_path_factory.mktemp("dates"), request.param)
    yield made
    made.close()


@pytest.mark.parametrize(("said", "asked"), PAIRS)
def test_the_day_stands_first_and_is_a_match(home, said, asked):
    hit = home.ask(asked, everything=True).hits[0]
    assert (hit.excerpt, hit.tier) == (said, "match")


def test_another_day_is_not_the_day(home):
    answer = home.ask("2027-09-16", everything=True)
    assert not any("2027-09-1" in hit.excerpt for hit in answer.hits)


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("2027-09-14", [(2027, 9, 14)]),
        ("2027/9/14", [(2027, 9, 14)]),
        ("03/10/2027", [(2027, 3, 10), (2027, 10, 3)]),
        ("14.09.2027", [(2027, 9, 14)]),
        ("2027-14-09", []),
        ("1.2.3", []),
        ("192.168.2027", []),
        ("0.26.1", []),
        ("tea", []),
    ],
)
def test_three_numbers_may_name_a_day(written, days):
    (word,) = query_words(written)
    assert _numbers(word) == days


@pytest.mark.parametrize("asked", [asked for _, asked in PAIRS])
def test_who_names_a_day_is_looked_at_closely(asked):
    assert may_name_day(query_words(asked))


@pytest.mark.parametrize("asked", ["may I come in", "march to the 2 towers", "port 8080", ""])
def test_who_names_none_mostly_is_not(asked):
    assert may_name_day(query_words(asked)) is ("march" in asked)


@pytest.mark.parametrize(
    ("written", "day"),
    [("3", 3), ("03", 3), ("3rd", 3), ("21st", 21), ("32", 0), ("0", 0), ("th", 0), ("²", 0)],
)
def test_a_day_of_the_month_may_have_its_ending(written, day):
    assert _day(written) == day
