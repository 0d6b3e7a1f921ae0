"""Other ways to write a day that a question names: 2026-06-08, June 8, 8th of June, 08/06/2026.

Which of two numbers is the month nobody knows, so both readings are looked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clawa_search.search.query import Query
    from clawa_search.search.vocabulary import Vocabulary
    from indexer.word import Written

from itertools import pairwise

from clawa_search.search.dated import MONTHS
from indexer import analysis
from indexer.word import Word

SURE, UNSURE, UNKNOWN_YEAR = 0.9, 0.8, 0.6
"""What a form counts of its own worth, one that may name another day, and one that names no year
though the question does."""
BOTH = 0.7
"""What a date in numbers counts for the month, and for the day, of one in words."""
NAMES: dict[int, tuple[str, ...]] = {}
for _name, _number in MONTHS.items():
    NAMES[_number] = (*NAMES.get(_number, ()), _name)
ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


def with_date_forms(query: Query, vocabulary: Vocabulary) -> list[Word]:
    """Return the words of *query*, those of dates with other ways to write them."""
    others: dict[tuple[str, ...], list[Written]] = {}
    for word in query.typed:
        for year, month, day in _numbers(word):
            others.setdefault(word.tokens, []).extend(_spelt(year, month, day))
            others[word.tokens] += _numeric(year, month, day)
    for month_word, day_word, month, day, year in _spelt_days(query.typed):
        numeric = [(tokens, share * BOTH) for tokens, share in _numeric(year, month, day)]
        names = [(tokens, SURE) for tokens in _tokens(NAMES[month])]
        days = [(tokens, SURE) for tokens in _tokens((str(day), _ordinal(day)))]
        others.setdefault(month_word.tokens, []).extend(names + numeric)
        others.setdefault(day_word.tokens, []).extend(days + numeric)
    counts = vocabulary.counts(
        {token for some in others.values() for tokens, _ in some for token in tokens}
    )
    if vocabulary.is_partial:  # nobody knows what is held
        counts = dict.fromkeys(counts, 1)
    return [_also(word, others.get(word.tokens, ()), counts) for word in query.words]


def _also(word: Word, others: Iterable[Written], counts: dict[str, int]) -> Word:
    best: dict[tuple[str, ...], float] = {}
    for tokens, share in others:
        if tokens != word.tokens and all(map(counts.__getitem__, tokens)):
            best[tokens] = max(share, best.get(tokens, 0.0))
    if not best:
        return word
    # 08.06.2026 looks like a version, of which only the whole form counts.
    others = (*word.others, *best.items())
    return Word(word.surface, word.tokens, word.codes, others=others)


def _numbers(word: Word) -> list[tuple[int, int, int]]:
    """Return the days (year, month, day) that three numbers may name."""
    if len(word.tokens) != 3 or not all(token.isdecimal() for token in word.tokens):
        return []
    one, two, three = map(int, word.tokens)
    if len(word.tokens[0]) == 4:
        found = [(one, two, three)]
    elif len(word.tokens[2]) == 4:
        found = [(three, one, two), (three, two, one)]
    else:
        return []
    return [(year, month, day) for year, month, day in found if 0 < month < 13 and 0 < day < 32]


def _spelt_days(typed: list[Word]) -> Iterator[tuple[Word, Word, int, int, int]]:
    """Yield the words of a month and of its day, month, day, and year (0: not named)."""
    years = [
        int(word.surface) for word in typed if len(word.surface) == 4 and word.surface.isdecimal()
    ]
    year = years[0] if len(years) == 1 else 0
    words = [word for word in typed if word.surface.lower() != "of"]
    for left, right in pairwise(words):
        for name, number in ((left, right), (right, left)):
            month, day = MONTHS.get(name.surface.lower(), 0), _day(number.surface.lower())
            if month and day:
                yield name, number, month, day, year


def _day(written: str) -> int:
    digits = written[:-2] if written[-2:] in ("st", "nd", "rd", "th") else written
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 0 < int(digits) < 32 else 0


def _ordinal(day: int) -> str:
    return f"{day}{ORDINALS.get(day, 'th')}"


def _spelt(year: int, month: int, day: int) -> list[Written]:
    """Return the ways to write a day in words, with its year and without."""
    forms = []
    for name in NAMES[month]:
        for number in (str(day), _ordinal(day)):
            forms += [f"{name} {number}", f"{number} {name}", f"{number} of {name}"]
    found = [(tokens, UNKNOWN_YEAR) for tokens in _tokens(forms)]
    return [((*tokens, str(year)), SURE) for tokens, _ in found] + found


def _numeric(year: int, month: int, day: int) -> list[Written]:
    """Return the ways to write a day in numbers; within those of any year, if it is not known."""
    if not year:
        return [((f"{month:02}", f"{day:02}"), SURE), ((f"{day:02}", f"{month:02}"), UNSURE)]
    found: list[Written] = [((str(year), f"{month:02}", f"{day:02}"), SURE)]
    for one, two in ((month, day), (day, month)):
        found.append(((f"{one:02}", f"{two:02}", str(year)), UNSURE))
        found.append(((str(one), str(two), str(year)), UNSURE))
    return found


def _tokens(forms: Iterable[str]) -> list[tuple[str, ...]]:
    return [tuple(analysis.text_tokens(form)) for form in forms]
