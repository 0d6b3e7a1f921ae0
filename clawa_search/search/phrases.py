"""English phrases that name days, weeks, months or years, read word by word.

Words come from `dated.words_of`: lower case, without punctuation. No regular expressions: one
import of `re` costs more than reading every question of a session.
"""

from __future__ import annotations

from clawa_search.search.dated import MONTHS, WEEKDAYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, timedelta
else:
    # `datetime` runs its Python twin first: 12 ms where this is 1 (before Python 3.12).
    from _datetime import date, timedelta

FIRST_YEAR, LAST_YEAR = 1970, 2199

# A day of the calendar says more than one that is counted from today, such as "on Tuesday".
DAY, NEAR_DAY, WEEK, MONTH, YEAR = range(5)
_UNITS = {"day": NEAR_DAY, "week": WEEK, "month": MONTH, "year": YEAR}
_UNITS.update({f"{name}s": level for name, level in _UNITS.items()})
# "two weeks ago" is not fourteen days ago: days on either side that are meant as well.
_SLACK_DAYS = {NEAR_DAY: 0, WEEK: 3, MONTH: 15, YEAR: 60}

_NUMBERS = {"a": 1, "an": 1, "couple": 2, "few": 3}
_NUMBERS.update(
    (word, value)
    for value, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), 1
    )
)
_BEFORE_TODAY = frozenset(("last", "previous", "past"))
_UP_TO_TODAY = frozenset(("on", "since", "this", "until", "by", "from"))
_BEFORE_MONTH = frozenset(("in", "during", "since", "until", "early", "mid", "late", "last"))
_BEFORE_NOUN_MONTH = frozenset(("of", "by", "this", "from", "to", "before", "after"))
_VERBS = frozenset(("may", "march"))
_BEFORE_YEAR = frozenset(
    ("in", "during", "of", "year", "since", "until", "from", "before", "after")
)
_TODAY = frozenset(("today", "tonight"))
_PARTS_OF_TODAY = frozenset(("morning", "afternoon", "evening"))


class Span:
    """What a phrase names: the days [first, end).

    Attributes:
        level: DAY, NEAR_DAY, WEEK, MONTH or YEAR; the finer, the smaller.
        words: how many words the phrase has.
    """

    __slots__ = ("end", "first", "level", "words")

    def __init__(self, words: int, level: int, first: date, end: date) -> None:
        self.words = words
        self.level = level
        self.first = first
        self.end = end


def find(words: Sequence[str], today: date) -> list[Span]:
    """Return every span that *words* name; what is no real day is left out.

    What follows `since` lasts until today; "two weeks ago" has some slack. A year that is named
    alone is that of all dates.
    """
    spans = []
    years = {year for word in words if (year := _year(word))}
    year = years.pop() if len(years) == 1 else 0
    at = 0
    while at < len(words):
        try:
            span = read(words, at, today, year)
            if span:
                _widen(span, words, at, today)
                spans.append(span)
        except (ValueError, OverflowError):
            span = None
        at += span.words if span else 1
    return spans


def _widen(span: Span, words: Sequence[str], at: int, today: date) -> None:
    if "since" in (words[at], words[at - 1] if at else ""):
        span.end = max(span.end, today + timedelta(1))
    if words[at + span.words - 1] == "ago":
        slack = timedelta(_SLACK_DAYS[span.level])
        span.first -= slack
        span.end += slack


def read(words: Sequence[str], at: int, today: date, year: int = 0) -> Span | None:
    """Return the span named by the words from *at* on, or None.

    Args:
        year: taken for dates without a year; 0 takes the most recent one.

    Raises:
        ValueError, OverflowError: a day that no calendar has.
    """
    rest = words[at : at + 6]
    return (
        _iso(rest)
        or _day_of_month(rest, today, year)
        or _month_or_year(rest, today, year)
        or _named_day(rest, today)
        or _ago(rest, today)
        or _around_now(rest, today)
    )


def months_back(day: date, count: int) -> date:
    """Return the same day of the month, *count* months earlier, or that month's last day."""
    year, month = divmod(day.year * 12 + day.month - 1 - count, 12)
    last = _next_month(date(year, month + 1, 1)) - timedelta(1)
    return last.replace(day=min(day.day, last.day))


def check_year(year: int) -> None:
    """Raise ValueError when *year* is no year of a message."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise ValueError(f"years are {FIRST_YEAR} to {LAST_YEAR}")


def _iso(words: Sequence[str]) -> Span | None:
    parts = words[0].partition("t")[0].replace("/", "-").split("-")
    if len(parts[0]) != 4 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    if len(parts) == 3 and len(parts[1]) <= 2 and len(parts[2]) <= 2:
        span = _one_day(1, date(*map(int, parts)))
    elif len(parts) == 2 and len(parts[1]) == 2:
        span = _one_month(1, date(int(parts[0]), int(parts[1]), 1))
    else:
        return None
    check_year(span.first.year)
    return span


def _day_of_month(words: Sequence[str], today: date, year: int) -> Span | None:
    """Read `8 May`, `8th of May 2023`, `May 8th, 2023`."""
    used = 2
    day = _day_number(words[0])
    if day:
        used += _at(words, 1) == "of"
        month = MONTHS.get(_at(words, used - 1), 0)
    else:
        month = MONTHS.get(words[0], 0)
        day = _day_number(_at(words, 1))
    if not (day and month):
        return None
    named = _year(_at(words, used))
    if named:
        return _one_day(used + 1, date(named, month, day))
    return _one_day(used, date(year, month, day) if year else _most_recent(month, day, today))


def _month_or_year(words: Sequence[str], today: date, year: int) -> Span | None:
    """Read `May 2023`, `in May`, `in May 2023`, `in 2023`."""
    second = _at(words, 1)
    month = MONTHS.get(words[0], 0)
    if month:
        named = _year(second)
        return _one_month(2, date(named, month, 1)) if named else None
    if words[0] in _BEFORE_YEAR and (named := _year(second)):
        return Span(2, YEAR, date(named, 1, 1), date(named + 1, 1, 1))
    month = MONTHS.get(second, 0)
    lead = words[0] in _BEFORE_MONTH or (words[0] in _BEFORE_NOUN_MONTH and second not in _VERBS)
    if not (month and lead) or _day_number(_at(words, 2)):
        return None
    if named := _year(_at(words, 2)):
        return _one_month(3, date(named, month, 1))
    return _one_month(2, date(year, month, 1) if year else _most_recent(month, 1, today))


def _named_day(words: Sequence[str], today: date) -> Span | None:
    """Read `yesterday`, `this morning`, `last night`, `last Tuesday`, `on Tuesday`."""
    first, second = words[0], _at(words, 1)
    if first in _TODAY:
        return _one_day(1, today, NEAR_DAY)
    if first == "yesterday":
        return _one_day(1, today - timedelta(1), NEAR_DAY)
    if words[:3] == ["day", "before", "yesterday"]:
        return _one_day(3, today - timedelta(2), NEAR_DAY)
    if first == "this" and second in _PARTS_OF_TODAY:
        return _one_day(2, today, NEAR_DAY)
    if first == "last" and second == "night":
        return Span(2, NEAR_DAY, today - timedelta(1), today + timedelta(1))
    if second in WEEKDAYS and (first in _BEFORE_TODAY or first in _UP_TO_TODAY):
        back = (today.weekday() - WEEKDAYS[second]) % 7
        if not back and first in _BEFORE_TODAY:
            back = 7
        return _one_day(2, today - timedelta(back), NEAR_DAY)
    return None


def _ago(words: Sequence[str], today: date) -> Span | None:
    """Read `3 days ago`, `a couple of weeks ago`."""
    count, used = _count(words)
    level = _UNITS.get(_at(words, used), -1)
    if not count or level < 0 or _at(words, used + 1) != "ago":
        return None
    return _one_day(used + 2, _back(today, level, count), level)


def _around_now(words: Sequence[str], today: date) -> Span | None:
    """Read `last week`, `this month`, `past year`, `last 3 days`, `last weekend`."""
    if words[0] not in ("last", "previous", "past", "this"):
        return None
    if words[0] in ("last", "past"):
        count, used = _count(words[1:])
        level = _UNITS.get(_at(words, used + 1), -1)
        if count and level >= 0:
            return Span(used + 2, level, _back(today, level, count), today + timedelta(1))
    second = _at(words, 1)
    if second == "weekend":
        back = (today.weekday() - 5) % 7
        if words[0] != "this" and back <= 1:  # it is the weekend now
            back += 7
        saturday = today - timedelta(back)
        return Span(2, WEEK, saturday, saturday + timedelta(2))
    level = _UNITS.get(second, -1)
    if level < WEEK or second.endswith("s"):
        return None
    if words[0] == "past":
        return Span(2, level, _back(today, level, 1), today + timedelta(1))
    start = today - timedelta(today.weekday()) if level == WEEK else today.replace(day=1)
    if level == YEAR:
        start = start.replace(month=1)
    if words[0] != "this":
        start = _back(start, level, 1)
    return Span(2, level, start, _back(start, level, -1))


def _back(day: date, level: int, count: int) -> date:
    if level in (NEAR_DAY, WEEK):
        return day - timedelta(count * (7 if level == WEEK else 1))
    return months_back(day, count * (12 if level == YEAR else 1))


def _most_recent(month: int, day: int, today: date) -> date:
    """Return the last such day that is not in the future; 29 February may be years back."""
    year = today.year - ((month, day) > (today.month, today.day))
    if (month, day) == (2, 29):
        while year % 4 or (year % 100 == 0 and year % 400):
            year -= 1
    return date(year, month, day)


def _one_day(words: int, day: date, level: int = DAY) -> Span:
    return Span(words, level, day, day + timedelta(1))


def _one_month(words: int, first: date) -> Span:
    return Span(words, MONTH, first, _next_month(first))


def _next_month(first: date) -> date:
    return first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)


def _count(words: Sequence[str]) -> tuple[int, int]:
    """Return the number that *words* begin with, 0 for none, and how many words it takes."""
    used = 0
    if _at(words, 0) == "a" and _at(words, 1) in ("few", "couple"):
        used = 1
    word = _at(words, used)
    count = _NUMBERS.get(word, 0)
    if not count and len(word) <= 5 and word.isascii() and word.isdigit():
        count = int(word)
    used += 1
    if word == "couple" and _at(words, used) == "of":
        used += 1
    return count, used


def _day_number(word: str) -> int:
    """Return 1 to 31 for `8`, `08`, `8th`, else 0."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    if len(digits) in (1, 2) and digits.isascii() and digits.isdigit() and int(digits) <= 31:
        return int(digits)
    return 0


def _year(word: str) -> int:
    if (
        len(word) == 4
        and word.isascii()
        and word.isdigit()
        and FIRST_YEAR <= int(word) <= LAST_YEAR
    ):
        return int(word)
    return 0


def _at(words: Sequence[str], index: int) -> str:
    return words[index] if index < len(words) else ""
