"""Dates in questions and in flags: local days, inclusive ends, and errors that name the value."""

import subprocess
import sys
import time
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.errors import InvalidInputError
from clawa_search.search.dated import MONTHS, WEEKDAYS, looks_dated
from clawa_search.search.dates import parse_when, window

LOS_ANGELES = ZoneInfo("America/Los_Angeles")
KOLKATA = ZoneInfo("Asia/Kolkata")
BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from([LOS_ANGELES, KOLKATA, BERLIN, UTC, ZoneInfo("America/Sao_Paulo")])
NOW = datetime(2026, 5, 20, 15, 30, tzinfo=LOS_ANGELES)  # a Wednesday
NOW_MS = int(NOW.timestamp() * 1000)
DAY_MS = 86_400_000

PIECES = st.sampled_from(
    "last this past on in since a few couple of two 3 31 99999999999 day days week month years ago "
    "may march 8th 30 february 2023 2026-02-30 2026-05 0000-00-00 9999-12-31 yesterday weekend "
    "tuesday night 7d -2d 36h 3mo 1y 2026-05-01T10:00+99:99 2026-13-01 12:00 z now . ² ٣ 1779300000".split()
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=7).map(" ".join))
DAYS = st.dates(date(1980, 1, 1), date(2100, 12, 31))


def at(year, month, day, hour=0, minute=0, second=0, zone=LOS_ANGELES) -> int:
    return int(datetime(year, month, day, hour, minute, second, tzinfo=zone).timestamp() * 1000)


def bounds(text: str, zone=LOS_ANGELES, now_ms: int = NOW_MS) -> tuple[int, int]:
    since = parse_when(text, now_ms=now_ms, end=False, zone=zone)
    return since, parse_when(text, now_ms=now_ms, end=True, zone=zone)


# parse_when


@settings(max_examples=1000)
@given(TEXTS, st.booleans(), ZONES | st.none())
def test_any_text_is_a_time_or_a_clear_error(text, end, zone):
    try:
        found = parse_when(text, now_ms=NOW_MS, end=end, zone=zone)
    except InvalidInputError as error:
        message, hint = str(error), error.hint
    else:
        assert isinstance(found, int)
        return
    shown = text if len(text) <= 60 else text[:60] + "…"
    assert message.startswith(f"{'until' if end else 'since'} {shown!r}: ")
    assert "2026-05-01" in hint


@given(DAYS, ZONES)
def test_a_date_is_its_whole_local_day(day, zone):
    since, until = bounds(day.isoformat(), zone)
    first = datetime.fromtimestamp(since / 1000, zone)
    last = datetime.fromtimestamp(until / 1000, zone)
    assert first.date() == last.date() == day
    assert datetime.fromtimestamp(since / 1000 - 0.001, zone).date() == day - timedelta(1)
    assert datetime.fromtimestamp((until + 1) / 1000, zone).date() == day + timedelta(1)


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("2026-05-01", (2026, 5, 1), (2026, 5, 2)),
        ("today", (2026, 5, 20), (2026, 5, 21)),
        ("Yesterday", (2026, 5, 19), (2026, 5, 20)),
        ("wednesday", (2026, 5, 20), (2026, 5, 21)),
        ("tue", (2026, 5, 19), (2026, 5, 20)),
        ("last tuesday", (2026, 5, 19), (2026, 5, 20)),
        ("last Wednesday", (2026, 5, 13), (2026, 5, 14)),
        ("last week", (2026, 5, 11), (2026, 5, 18)),
        ("this week", (2026, 5, 18), (2026, 5, 25)),
        ("last month", (2026, 4, 1), (2026, 5, 1)),
        ("last year", (2025, 1, 1), (2026, 1, 1)),
        ("3 days ago", (2026, 5, 17), (2026, 5, 18)),
        ("3 days", (2026, 5, 17), (2026, 5, 18)),
        ("two weeks ago", (2026, 5, 6), (2026, 5, 7)),
        ("3 months ago", (2026, 2, 20), (2026, 2, 21)),
        ("15 May", (2026, 5, 15), (2026, 5, 16)),
        ("May 25th", (2025, 5, 25), (2025, 5, 26)),
        ("29 Feb", (2024, 2, 29), (2024, 3, 1)),
        ("May 2026", (2026, 5, 1), (2026, 6, 1)),
        ("December", (2025, 12, 1), (2026, 1, 1)),
        ("2026-02", (2026, 2, 1), (2026, 3, 1)),
        ("2025", (2025, 1, 1), (2026, 1, 1)),
        ("20260501", (2026, 5, 1), (2026, 5, 2)),
        ("2026-W18-5", (2026, 5, 1), (2026, 5, 2)),
        ("2026-05-01T09", (2026, 5, 1, 9), (2026, 5, 1, 10)),
        ("20260501T0930", (2026, 5, 1, 9, 30), (2026, 5, 1, 9, 31)),
        ("20260501T093015", (2026, 5, 1, 9, 30, 15), (2026, 5, 1, 9, 30, 16)),
        ("2026-05-01T1430", (2026, 5, 1, 14, 30), (2026, 5, 1, 14, 31)),
    ],
)
def test_a_span_gives_its_first_and_its_last_millisecond(text, first, end):
    assert bounds(text) == (at(*first), at(*end) - 1)


@pytest.mark.parametrize(
    ("text", "ago_ms"),
    [
        ("now", 0),
        ("7d", 7 * DAY_MS),
        ("-2d", 2 * DAY_MS),
        ("36h", 36 * 3_600_000),
        ("90m", 90 * 60_000),
        ("90 minutes ago", 90 * 60_000),
        ("2W", 14 * DAY_MS),
    ],
)
def test_a_distance_is_exact_for_both_bounds(text, ago_ms):
    assert bounds(text) == (NOW_MS - ago_ms, NOW_MS - ago_ms)


@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("3mo", datetime(2026, 2, 20, 15, 30, tzinfo=LOS_ANGELES)),
        ("1y", datetime(2025, 5, 20, 15, 30, tzinfo=LOS_ANGELES)),
    ],
)
def test_months_and_years_back_keep_the_local_time_of_day(text, then):
    assert bounds(text)[0] == int(then.timestamp() * 1000)


def test_a_month_back_from_its_31st_is_the_last_day_there_is():
    now_ms = at(2026, 3, 31, 12)
    assert bounds("1mo", now_ms=now_ms)[0] == at(2026, 2, 28, 12)


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026-05-01T14:30", at(2026, 5, 1, 14, 30), at(2026, 5, 1, 14, 31) - 1),
        ("2026-05-01 14:30:07", at(2026, 5, 1, 14, 30) + 7000, at(2026, 5, 1, 14, 30) + 7999),
        ("2026-05-01t14:30:07.125z", 1777645807125, 1777645807125),
        ("2026-05-01T14:30:07+05:30", 1777626007000, 1777626007999),
        ("2026-05-01 14:30:07 -0700", 1777671007000, 1777671007999),
        ("1777645807", 1777645807000, 1777645807999),
        ("1777645807125", 1777645807125, 1777645807125),
    ],
)
def test_a_moment_is_read_with_its_offset_and_ends_with_what_it_names(text, since, until):
    assert bounds(text) == (since, until)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a date or time"),
        ("soonish", "not a date or time"),
        ("2026-02-30", "day is out of range"),
        ("2026-13-01", "month must be in"),
        ("2026-02-30T10:00", "day is out of range"),
        ("2026-05-01T25:00", "hour must be in"),
        ("2026-05-01T143", "colon"),
        ("2026-W54-1", "Invalid"),
        ("2026-W18", "not a date or time"),
        ("20261301", "month must be in"),
        ("31 April 2026", "day is out of range"),
        ("1850", "years are 1970 to 2199"),
        ("9999-01-01", "years are 1970 to 2199"),
        ("0001-01-01T00:00", "years are 1970 to 2199"),
        ("99y", "years are 1970 to 2199"),
        ("9999999d", "before 1970"),
        ("2026050", "neither a year nor Unix"),
        ("7d and more", "not a date or time"),
        ("last tuesday or so", "not a date or time"),
    ],
)
def test_what_is_no_time_is_refused_by_value_and_reason(text, why):
    with pytest.raises(InvalidInputError, match=why) as raised:
        parse_when(text, now_ms=NOW_MS, end=True, zone=LOS_ANGELES)
    assert str(raised.value).startswith(f"until {text!r}: ")


def test_a_very_long_value_is_shortened_in_the_error():
    with pytest.raises(InvalidInputError) as raised:
        parse_when("x" * 100_000, now_ms=NOW_MS, end=False)
    assert len(str(raised.value)) < 120


# Zones


def test_the_day_of_a_late_message_includes_it(monkeypatch):
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    try:
        late = int(datetime(2026, 1, 2, 23, 30, tzinfo=LOS_ANGELES).timestamp() * 1000)
        since, until = bounds("2026-01-02", None)
        assert since <= late <= until
        found = window("what was it on 2026-01-02?", now_ms=NOW_MS)
        assert found == (since, until + 1)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_days_on_which_clocks_change_are_23_and_25_hours_long():
    for day, hours in (("2026-03-29", 23), ("2026-10-25", 25), ("2026-05-01", 24)):
        since, until = bounds(day, BERLIN)
        assert until + 1 - since == hours * 3_600_000


def test_a_day_without_midnight_begins_when_the_clocks_change():
    since, until = bounds("2018-11-04", ZoneInfo("America/Sao_Paulo"))
    assert datetime.fromtimestamp(since / 1000, ZoneInfo("America/Sao_Paulo")).hour == 1
    assert until + 1 - since == 23 * 3_600_000


def test_an_hour_that_comes_twice_is_taken_whole():
    since, until = bounds("2026-10-25T02:30", BERLIN)
    assert until + 1 - since == 3_600_000 + 60_000


def test_an_hour_that_is_left_out_bounds_what_lies_on_either_side():
    for minute in (0, 30, 59):
        told = f"2026-03-08T02:{minute:02}"  # clocks go from 02:00 to 03:00
        since = parse_when(told, now_ms=NOW_MS, end=False, zone=LOS_ANGELES)
        until = parse_when(told, now_ms=NOW_MS, end=True, zone=LOS_ANGELES)
        assert since <= at(2026, 3, 8, 3, 10)
        assert at(2026, 3, 8, 1, 45) <= until
        assert until - since == 61 * 60_000 - 1  # either clock may be meant


def test_today_is_the_day_where_the_user_is():
    now_ms = int(datetime(2026, 5, 20, 20, tzinfo=UTC).timestamp() * 1000)
    assert bounds("today", KOLKATA, now_ms)[0] == at(2026, 5, 21, zone=KOLKATA)
    assert bounds("today", LOS_ANGELES, now_ms)[0] == at(2026, 5, 20, zone=LOS_ANGELES)


# window


@settings(max_examples=1000)
@given(TEXTS, ZONES)
def test_a_window_is_none_or_a_span_and_only_of_texts_that_look_dated(text, zone):
    found = window(text, now_ms=NOW_MS, zone=zone)
    if found is not None:
        assert found[0] < found[1]
        assert looks_dated(text)


@given(st.integers(-(10**20), 10**20), TEXTS)
def test_no_clock_makes_a_window_raise(now_ms, text):
    window(text, now_ms=now_ms)


FORMATS = st.sampled_from(
    [
        "{d:%Y-%m-%d}",
        "on {d.day} {d:%B} {d.year}",
        "{d:%b} {d.day}, {d.year}",
        "the {d.day}th of {d:%B} {d.year}",
        "{d:%B} {d.year}",
        "{d:%Y-%m}",
        "in {d.year}",
    ]
)


@given(DAYS, FORMATS, ZONES)
def test_a_window_contains_the_date_it_is_named_for(day, form, zone):
    text = f"What did we decide {form.format(d=day)}?"
    found = window(text, now_ms=NOW_MS, zone=zone)
    assert found is not None
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=zone).timestamp() * 1000
    assert found[0] <= noon < found[1]


@given(DAYS, DAYS, ZONES)
def test_a_window_spans_all_days_that_are_named(one, other, zone):
    found = window(f"from {one} to {other}", now_ms=NOW_MS, zone=zone)
    first, last = sorted((one, other))
    assert found is not None
    assert datetime.fromtimestamp(found[0] / 1000, zone).date() == first
    assert datetime.fromtimestamp(found[1] / 1000 - 0.001, zone).date() == last


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("what did I say yesterday?", (2026, 5, 19), (2026, 5, 20)),
        ("the day before yesterday", (2026, 5, 18), (2026, 5, 19)),
        ("today's plan", (2026, 5, 20), (2026, 5, 21)),
        ("what happened last night", (2026, 5, 19), (2026, 5, 21)),
        ("Where was Joanna on Monday?", (2026, 5, 18), (2026, 5, 19)),
        ("last Friday's lunch", (2026, 5, 15), (2026, 5, 16)),
        ("two weeks ago", (2026, 5, 3), (2026, 5, 10)),
        ("a couple of days ago", (2026, 5, 18), (2026, 5, 19)),
        ("a few months ago", (2026, 2, 5), (2026, 3, 8)),
        ("over the last 3 days", (2026, 5, 17), (2026, 5, 21)),
        ("in the past week", (2026, 5, 13), (2026, 5, 21)),
        ("last weekend", (2026, 5, 16), (2026, 5, 18)),
        ("what did we do this month", (2026, 5, 1), (2026, 6, 1)),
        ("the trip in June", (2025, 6, 1), (2025, 7, 1)),
        ("the trip in May", (2026, 5, 1), (2026, 6, 1)),
        ("everything since Monday", (2026, 5, 18), (2026, 5, 21)),
        ("from May 3 to May 10, 2023", (2023, 5, 3), (2023, 5, 11)),
        ("in 2023, on 8 May", (2023, 5, 8), (2023, 5, 9)),
        ("between March and May 2024, in July", (2024, 5, 1), (2024, 8, 1)),
        ("on Monday you said 8 May 2023", (2023, 5, 8), (2023, 5, 9)),
        ("last year's budget", (2025, 1, 1), (2026, 1, 1)),
        ("log line 2026-05-08T10:00:00Z", (2026, 5, 8), (2026, 5, 9)),
    ],
)
def test_relative_and_partial_dates_count_from_now(text, first, end):
    assert window(text, now_ms=NOW_MS, zone=LOS_ANGELES) == (at(*first), at(*end))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May I march on?",
        "how may this may be used",
        "port 2024 is taken",
        "the last commit of this branch",
        "31 February",
        "2026-02-30",
        "version 3.14.15",
        "days of our lives",
    ],
)
def test_a_text_without_a_date_has_no_window(text):
    assert window(text, now_ms=NOW_MS, zone=LOS_ANGELES) is None


@pytest.mark.parametrize("text", ["how do I rename a branch", "", "2 apples", "ISO 8601", "mayor"])
def test_an_ordinary_question_does_not_look_dated(text):
    assert not looks_dated(text)


@pytest.mark.parametrize("word", [*MONTHS, *WEEKDAYS, "yesterday", "2023", "2023-05-08", "ago"])
def test_the_words_of_dates_look_dated(word):
    assert looks_dated(f"What was ({word.title()}), then?")


def test_the_cheap_test_loads_nothing():
    code = (
        "import sys; before = set(sys.modules); from clawa_search.search.dated import looks_dated;"
        "looks_dated('last week'); print(sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = ran.stdout
    assert "datetime" not in loaded
    assert "'re'" not in loaded
