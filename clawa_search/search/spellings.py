"""Other ways in which a text may write what was asked: whitespace for white space, colour for color.

What is written apart or together, numbers with their units, and spellings of both sides of the
ocean. They are looked for like the words themselves, where anything holds them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from clawa_search.search.query import Query
    from clawa_search.search.vocabulary import Vocabulary
    from indexer.word import Word

    Others = list[tuple[tuple[str, ...], float]]

from indexer import analysis

MAX_SPELT = 12
"""A longer question says enough in the spelling that it has."""
LEAST_JOINED, LEAST_CUT, LEAST_PART, MOST_PARTICLE = 4, 5, 2, 3
"""Letters of a word that is written apart, of one that is looked for in two parts, of a part, and of
a function word (in, up, off) that makes the second part."""
BOTH = 0.7
"""What the joined word counts for each of two words: it must not count twice what both do."""
RARE = 10
"""A word that more entries hold is written as they write it."""
ENDINGS = (
    ("our", "or"), ("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"),
    ("yse", "yze"), ("ysing", "yzing"), ("ysed", "yzed"), ("tre", "ter"), ("ogue", "og"),
    ("ence", "ense"), ("lled", "led"), ("lling", "ling"), ("ller", "ler"), ("mme", "m"),
)  # fmt: skip
LEAST_STEM, MOST_AFTER = 3, 3
"""Letters before an ending, and behind it (colour-ful): hour is not hor."""
PAIRS = (
    "grey gray;practise practice;aluminium aluminum;judgement judgment;jewellery jewelry;cheque check;"
    "tyre tire;kerb curb;plough plow;sceptic skeptic;aeroplane airplane;pyjamas pajamas;storey story"
)
_pairs = dict[str, str]()


def with_spellings(query: Query, vocabulary: Vocabulary) -> list[Word]:
    """Return the words of *query*, with other ways to write those that are plain."""
    if len(query.words) > MAX_SPELT:
        return query.words
    others: dict[int, Others] = {id(word): [] for word in query.words if _is_letters(word)}
    for left, right in zip(query.typed, query.typed[1:], strict=False):
        _join(left, right, others)
    for word in query.words:
        if id(word) in others:
            spelt = dict.fromkeys(_respelt(word.surface.lower()))
            others[id(word)] += [(tuple(analysis.text_tokens(one)), 1.0) for one in spelt]
            others[id(word)] += [(parts, 1.0) for parts in _cut(word, vocabulary)]
    return [_also(word, others.get(id(word), []), vocabulary) for word in query.words]


def _also(word: Word, others: Others, vocabulary: Vocabulary) -> Word:
    found = [one for one in others if one[0] != word.tokens and vocabulary.may_hold(one[0])]
    return word.also(found) if found else word


def _is_letters(word: Word) -> bool:
    return word.plain and not word.unspaced and word.surface.isalnum()


def _join(left: Word, right: Word, others: dict[int, Others]) -> None:
    """Let two neighbours be written as one word; the second may be a function word: log in."""
    if id(left) not in others or not _is_letters(right):
        return
    fit = [word for word in (left, right) if id(word) in others]
    joined = f"{left.surface}{right.surface}".lower()
    if len(joined) < LEAST_JOINED or (len(fit) == 1 and len(right.surface) > MOST_PARTICLE):
        return
    tokens = tuple(analysis.text_tokens(joined))
    if len(tokens) == 1:
        for word in fit:
            others[id(word)].append((tokens, 1.0 if len(fit) == 1 else BOTH))


def _cut(word: Word, vocabulary: Vocabulary) -> list[tuple[str, ...]]:
    """Return *word* in two words that are known, a number and its unit, perhaps."""
    written = word.surface.lower()
    cuts: list[int] = []
    if not (written.isalpha() or written.isdigit()):
        cuts = [
            at
            for at in range(1, len(written))
            if written[at - 1].isdigit() != written[at].isdigit()
        ]
        cuts = cuts if len(cuts) == 1 else []
    elif len(written) >= LEAST_CUT and vocabulary.is_rare(word.tokens[0], RARE):
        cuts = list(range(LEAST_PART, len(written) - LEAST_PART + 1))
    parts = [tuple(analysis.text_tokens(f"{written[:at]} {written[at:]}")) for at in cuts]
    unknown = vocabulary.unknown({token for two in parts for token in two}, thorough=False)
    return [two for two in parts if len(two) == 2 and unknown.isdisjoint(two)]


def _respelt(written: str) -> Iterator[str]:
    """Yield British for American spellings and American for British ones."""
    if not _pairs:
        for pair in PAIRS.split(";"):
            one, two = pair.split()
            _pairs.update({one: two, two: one})
    if written in _pairs:
        yield _pairs[written]
    for british, american in ENDINGS:
        for ending, other in ((british, american), (american, british)):
            at = written.rfind(ending)
            after = at + len(ending)
            if at >= LEAST_STEM and len(written) - after <= MOST_AFTER:
                yield written[:at] + other + written[after:]
