"""What is typed or pasted as one piece: paths, places, addresses, code with quotation marks."""

import pytest

from clawa_search.search.compounds import with_parts
from clawa_search.search.query import parse
from clawa_search.search.question import Question
from indexer import analysis
from tests.builders import assistant, chain, entry, user

SAID = (
    "The relay in src/core/pump-driver.ts:41 sticks. Error: net::ERR_PUMP_STALLED",
    "see https://example.org/go/3 and install pump-driver@1.4.2",
    "it listens on localhost:9090",
    '{"code":"E_PUMP","message":"pump 3 stalled after 900 ms"} came up in the log',
    "The kettle whistles at ninety degrees.",
)


@pytest.fixture
def talk(either):
    either.write("a.jsonl", *chain(*map(user, SAID)))
    either.ready()
    return either


def first_line(home, query):
    hits = home.hits(query)
    return hits[0].line if hits else None


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("/home/me/x/src/core/pump-driver.ts", 2),
        ("/opt/other/core/pump-driver.ts", 2),
        ("pump-driver.ts:77", 2),
        ("ERR_PUMP_STALLED:8080", 2),
        ("https://example.org/go/7", 3),
        ("pump-driver@2.0.0", 3),
        ("http://localhost:8080", 4),
        ("client.pumpDriver.start()", 3),
    ],
)
def test_what_names_more_than_was_said_finds_it(talk, query, line):
    assert first_line(talk, query) == line


def test_the_whole_stands_above_its_parts(either):
    either.write(
        "a.jsonl",
        *chain(
            user("main.py of the tools was renamed"),
            user("lib/deep/main.py is where it starts"),
            user("the main.py here is another one"),
        ),
    )
    either.ready()
    assert first_line(either, "lib/deep/main.py") == 3


@pytest.mark.parametrize("word", ["lib/main.py", "3.14.15", "12:30:45", "getUserById", "tea"])
def test_what_has_no_telling_part_stays_as_it_is(word):
    words = analysis.query_words(word)
    before = [one.others for one in words]
    assert [one.others for one in with_parts(words)] == before


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ('{"code":"E_PUMP","message":"pump 7 stalled after 1200 ms"}', 5),
        ('error: cannot open "/opt/x/pump-driver.ts"', 2),
        ('pump log -m "some other words"', 5),
    ],
)
def test_quotation_marks_of_code_ask_for_no_phrase(talk, query, line):
    assert first_line(talk, query) == line


@pytest.mark.parametrize(
    "query",
    [
        '"stalled pump"',
        'kettle "stalled pump"',
        '"stalled pump", "kettle whistles"',
        '"src/core/pump.ts"',
    ],
)
def test_a_persons_quotation_marks_still_do(talk, query):
    assert parse(query).phrases or parse(query).words
    assert talk.hits(query) == []


def test_what_is_left_out_in_quotation_marks_stays_out(talk):
    assert talk.hits("relay pump") != []
    lines = [hit.line for hit in talk.hits('pump -"src/core/pump-driver.ts"')]
    assert lines
    assert 2 not in lines
    assert parse('tea ("tide tables" moon)').phrases


@pytest.mark.parametrize("query", ["*now* or never", "**bold** words", "never *ever*"])
def test_emphasis_is_no_wildcard(query):
    parsed = parse(query)
    assert not parsed.prefixes
    assert not parsed.notes


def test_an_excerpt_shows_the_whole_identifier_wherever_it_stands(either):
    text = "tank was cleaned and use was low. " * 40 + "The field tank_use counts litres. "
    either.write("a.jsonl", user(text + "More on pumps. " * 40))
    either.ready()
    (hit,) = either.hits("tank_use")
    assert "tank_use counts litres" in hit.excerpt


def test_a_number_is_shown_whole_or_not_at_all(either):
    text = "archive-2021.csv holds the old ones. " * 40 + "From 2026-05-04 on it is new. "
    either.write("a.jsonl", user(text + "More on pumps. " * 40))
    either.ready()
    assert "2026-05-04" in either.hits("2026-05-04")[0].excerpt


@pytest.mark.parametrize("query", ["commit 9f8e7d6", "release 7.8.9 commit", "JIRA-4521 commit"])
def test_a_name_with_a_number_that_nobody_said_makes_no_match(either, query):
    said = (
        "commit early, commit often",
        "then commit it",
        "the release was a commit of 4521 lines",
    )
    either.write("a.jsonl", *chain(*map(user, said)))
    either.ready()
    assert {hit.tier for hit in either.hits(query)} <= {"weak"}


def test_one_that_was_said_still_does(either):
    either.write("a.jsonl", *chain(user("commit 9f8e7d6 fixes it"), user("commit early")))
    either.ready()
    hit = either.hits("commit 9f8e7d6")[0]
    assert (hit.line, hit.tier) == (2, "match")


def test_words_of_two_syllables_that_nobody_said_make_no_match(either):
    either.write("a.jsonl", *chain(user("서버 점검을 했다"), user("다른 이야기")))
    either.ready()
    assert {hit.tier for hit in either.hits("서버 배포 일정 담당")} <= {"weak"}


def test_what_did_i_say_about_it_looks_for_it(either):
    either.write(
        "a.jsonl",
        *chain(
            assistant("Say hello to the postman."),
            user("I want the tank kept at 21 degrees"),
            user("It says 40 watts on the lamp"),
        ),
    )
    either.ready()
    assert first_line(either, "what did I say about the tank?") == 3
    assert [hit.line for hit in either.hits("say hello")][:1] == [2]


def test_reminders_that_a_program_repeats_are_one_hit_below_what_was_said(either):
    reminders = [
        entry(
            "custom_message",
            customType="ctx",
            display=False,
            content=f"<system-reminder>\ntank.csv {n}.1KB {n * 3}m ago\n</system-reminder>",
        )
        for n in range(8)
    ]
    either.write("a.jsonl", *chain(user("tank.csv holds the litres"), *reminders))
    either.ready()
    first, second = either.hits("tank.csv")
    assert (first.line, first.copies) == (2, 1)
    assert second.copies == 8


def test_reminders_of_different_things_stay_apart(either):
    reminders = [
        entry(
            "custom_message",
            customType="r",
            content=f"<system-reminder> src/{name}.ts was modified",
        )
        for name in ("kettle", "teapot")
    ]
    either.write("a.jsonl", *chain(*reminders))
    either.ready()
    (hit,) = either.hits("teapot.ts")
    assert (hit.line, hit.copies) == (3, 1)
    assert len(either.hits("modified")) == 2


def test_of_a_list_that_is_typed_as_one_word_some_parts_are_looked_for():
    (word,) = with_parts(parse(":".join(f"x/y{n}/z{n}" for n in range(1500))).words)
    assert len(word.others) <= 16


def test_an_empty_answer_says_that_this_home_has_no_sessions(home):
    assert "this home has no session yet" in home.recall.search(Question("tea")).notes[0]
    home.write("a.jsonl", user("coffee"))
    assert home.recall.search(Question("tea")).notes == []
