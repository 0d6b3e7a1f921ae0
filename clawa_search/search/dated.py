"""Whether a question may name a date: decided without the parser, which most need not load."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.word import Word

MONTHS = {
    "january": 1,
    "february": 2,
    "march": 3,
    "april": 4,
    "may": 5,
    "june": 6,
    "july": 7,
    "august": 8,
    "september": 9,
    "october": 10,
    "november": 11,
    "december": 12,
}
MONTHS.update({name[:3]: number for name, number in MONTHS.items()}, sept=9)
WEEKDAYS = {
    "monday": 0,
    "tuesday": 1,
    "wednesday": 2,
    "thursday": 3,
    "friday": 4,
    "saturday": 5,
    "sunday": 6,
}

_AROUND = " .,;:!?()[]{}<>\"'`“”‘’…*_"
_OTHERS = (
    "today tonight yesterday morning afternoon evening night ago "
    "day days week weeks weekend month months year years"
)
_HINTS = frozenset((*MONTHS, *WEEKDAYS, *_OTHERS.split()))


def words_of(text: str) -> list[str]:
    """Return the words of *text*, lower case, without punctuation around them or a final `'s`."""
    words = []
    for word in text.replace(",", " ").lower().split():
        stripped = word.strip(_AROUND).removesuffix("'s").removesuffix("’s")
        if stripped:
            words.append(stripped)
    return words


def looks_dated(text: str) -> bool:
    """Tell whether *text* may name a date: False is certain, True is worth a parser's while."""
    for word in words_of(text):
        if word in _HINTS:
            return True
        if word[:2] in ("19", "20", "21") and word[:4].isdigit() and not word[4:5].isdigit():
            return True
    return False


def may_name_day(words: Iterable[Word]) -> bool:
    """Tell whether words of a question may name a day of the calendar: False is certain."""
    month = number = False
    for word in words:
        if len(word.tokens) == 3 and word.tokens[0].isdecimal():
            return True
        month = month or word.surface.lower() in MONTHS
        number = number or word.surface[:1].isdecimal()
    return month and number
