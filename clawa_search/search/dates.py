"""Dates that people write, as Unix milliseconds; days begin at local midnight.

`window` finds the dates that a question names, `parse_when` reads the value of `--since` and
`--until`. Both read the same English phrases and ISO dates (`phrases`).
"""

from __future__ import annotations

from clawa_search.errors import InvalidInputError
from clawa_search.search import phrases
from clawa_search.search.dated import WEEKDAYS, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, datetime, tzinfo
else:
    from _datetime import datetime  # see phrases

EXAMPLES = "2026-05-01, 2026-05-01T14:30, 2026-05, 7d, 36h, yesterday, last tuesday, 15 May 2026"

_SHORT_WEEKDAYS = {name[:3]: name for name in WEEKDAYS}
_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
_UNIT_MS = {
    name: milliseconds
    for names, milliseconds in (
        ("s sec second seconds", _SECOND),
        ("m min minute minutes", _MINUTE),
        ("h hr hour hours", _HOUR),
        ("d", _DAY),
        ("w", 7 * _DAY),
    )
    for name in names.split()
}
_UNIT_MONTHS = {"mo": 1, "y": 12}


def window(text: str, *, now_ms: int, zone: tzinfo | None = None) -> tuple[int, int] | None:
    """Return the time [start, end) in Unix ms that *text* names, or None when it names none.

    Of several dates the finest kind counts (days before weeks, months, years), from the first to
    the last of them. A date without a year takes the only year named beside it, else it is the
    most recent one. Never raises.

    Args:
        text: a question, read as English.
        now_ms: the time of asking.
        zone: whose midnights count; None is the zone of this machine.
    """
    try:
        today = _local(now_ms, zone).date()
        found = phrases.find(words_of(text), today)
        if not found:
            return None
        finest = min(span.level for span in found)
        spans = [span for span in found if span.level == finest]
        first = min(span.first for span in spans)
        return _midnight(first, zone), _midnight(max(span.end for span in spans), zone)
    except (ValueError, OverflowError, OSError):  # outside of what a calendar or clock holds
        return None


def parse_when(text: str, *, now_ms: int, end: bool, zone: tzinfo | None = None) -> int:
    """Return the time that *text* names, in Unix ms.

    A span (a day, `last week`, `2026`) gives its first millisecond, or its last one when *end*:
    both bounds are inclusive. So does a time of day given to the minute or second. `7d` and `36h`
    are exact; `7 days ago` is that day.

    Args:
        text: see EXAMPLES; also `now`, weekdays, `3 days ago`, `last month`, Unix seconds or ms.
        now_ms: the time of asking.
        end: the value is an upper bound.
        zone: for values without an offset; None is the zone of this machine.

    Raises:
        InvalidInputError: anything else, a day that does not exist, a year before 1970.
    """
    try:
        return _parse(text.strip(), now_ms, end, zone)
    except (ValueError, OverflowError, OSError) as error:
        name = "until" if end else "since"
        shown = text if len(text) <= 60 else text[:60] + "…"
        raise InvalidInputError(
            f"{name} {shown!r}: {error}", hint=f"for example {EXAMPLES}"
        ) from error


def _parse(text: str, now_ms: int, end: bool, zone: tzinfo | None) -> int:
    if text.lower() == "now":
        return now_ms
    text = _extended(text)
    if text.isascii() and text.isdigit():
        if len(text) != 4:
            return _unix_ms(text, end)
        phrases.check_year(int(text))
    if len(text) > 10 and text[4] == text[7] == "-" and text[10] in "Tt ":
        return _date_time_ms(text, end, zone)
    back = _ago_ms(text.lower().removeprefix("-").replace(" ", ""), now_ms, zone)
    if back is not None:
        return back
    span = _whole_span(text, _local(now_ms, zone).date())
    return _midnight(span.end, zone) - 1 if end else _midnight(span.first, zone)


def _extended(text: str) -> str:
    """Write an ISO date, with a time or without, in its usual form: 20260102T0304, 2026-W01-5."""
    day, mark, clock = text[:10], text[10:11], text[11:]
    if len(text) >= 8 and text[:8].isdigit() and text[8:9] in ("", "T", "t"):
        day, mark, clock = f"{text[:4]}-{text[4:6]}-{text[6:8]}", text[8:9], text[9:]
    elif text[4:6] in ("-W", "-w") and text[8:9] == "-":
        day = datetime.fromisoformat(day.upper()).date().isoformat()
    elif not (text[4:5] == text[7:8] == "-"):
        return text
    digits = clock[: len(clock) - len(clock.lstrip("0123456789"))]
    if len(digits) in (4, 6):
        clock = (
            f"{digits[:2]}:{digits[2:4]}{':' * (len(digits) > 4)}{digits[4:]}{clock[len(digits) :]}"
        )
    return day + mark + clock


def _unix_ms(text: str, end: bool) -> int:
    if 9 <= len(text) <= 11:
        return int(text) * _SECOND + (_SECOND - 1 if end else 0)
    if 12 <= len(text) <= 14:
        return int(text)
    raise ValueError("neither a year nor Unix seconds or milliseconds")


def _date_time_ms(text: str, end: bool, zone: tzinfo | None) -> int:
    """Read an ISO date and time; *end* takes all of the minute or second that is named."""
    text = text[:10] + "T" + text[11:].replace(" ", "").upper()
    clock = text[11:].partition("Z")[0].partition("+")[0].partition("-")[0]
    hour_only = len(clock) == 2
    if hour_only:
        text = text[:13] + ":00" + text[13:]
    elif ":" not in clock:
        raise ValueError("the time of day wants a colon: 14:30")
    moment = datetime.fromisoformat(text)
    phrases.check_year(moment.year)
    seconds = [moment.timestamp()]
    if moment.tzinfo is None:
        # When clocks go back an hour comes twice, when they go forward one is left out: a lower
        # bound takes the earlier of what may be meant, an upper one the later.
        seconds = [moment.replace(tzinfo=zone, fold=fold).timestamp() for fold in (0, 1)]
    named = 1 if "." in clock or "," in clock else _MINUTE if clock.count(":") == 1 else _SECOND
    named = _HOUR if hour_only else named
    return round(max(seconds) * 1000) + named - 1 if end else round(min(seconds) * 1000)


def _ago_ms(text: str, now_ms: int, zone: tzinfo | None) -> int | None:
    """Return the time `7d`, `36h`, `3mo` ago; None when *text* is not of that form."""
    unit = text.lstrip("0123456789")
    digits = text[: len(text) - len(unit)]
    if not digits:
        return None
    count = int(digits.lstrip("0")[:10] or "0")
    unit = unit.removesuffix("ago")
    if unit in _UNIT_MS:
        past_ms = now_ms - count * _UNIT_MS[unit]
        if past_ms < 0:
            raise ValueError("that is before 1970")
        return past_ms
    if unit in _UNIT_MONTHS:
        now = _local(now_ms, zone)
        day = phrases.months_back(now.date(), count * _UNIT_MONTHS[unit])
        phrases.check_year(day.year)
        moment = datetime.combine(day, now.time(), zone)
        return round(moment.timestamp() * 1000)
    return None


def _whole_span(text: str, today: date) -> phrases.Span:
    """Return the span that *text* names, completed where it says less than a sentence would."""
    words = [_SHORT_WEEKDAYS.get(word, word) for word in words_of(text)]
    for phrase in (words, ["on", *words], ["in", *words], [*words, "ago"]):
        span = phrases.read(phrase, 0, today) if words else None
        if span and span.words == len(phrase):
            return span
    raise ValueError("not a date or time")


def _local(time_ms: int, zone: tzinfo | None) -> datetime:
    return datetime.fromtimestamp(time_ms / 1000, zone)


def _midnight(day: date, zone: tzinfo | None) -> int:
    """Return when *day* begins; where clocks skip midnight, when they do."""
    return int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)
