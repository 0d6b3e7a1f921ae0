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
    from indexer.word import Word, Written

    Others = dict[int, list[Written]]
    """What was found for a word, by its id()."""

from indexer import analysis

LEAST_JOINED, LEAST_PART, MOST_PARTICLE = 4, 2, 3
"""Letters of a word that is written apart, of a part, and of a function word (in, up, off) that makes
the second part."""
LEAST_CUT, MOST_CUT = 5, 24
"""Letters of a word that is looked for in two parts."""
SHARE, BOTH = 0.9, 0.7
"""What another way counts of the worth of a word: what was typed comes first; and a joined word for
each of the two that it is made of, which it must not count twice."""
RARE = 10
"""A word that more entries hold is written as they write it."""
ENDINGS = (
    ("our", "or"), ("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"),
    ("yse", "yze"), ("ysing", "yzing"), ("ysed", "yzed"), ("tre", "ter"), ("ogue", "og"),
    ("ence", "ense"), ("lled", "led"), ("lling", "ling"), ("ller", "ler"), ("gramme", "gram"),
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
    others: Others = {id(word): [] for word in query.words if _is_letters(word)}
    if not others:
        return query.words
    for left, right in zip(query.typed, query.typed[1:], strict=False):
        _join(left, right, others)
    plain = [word for word in query.words if id(word) in others]
    for word in plain:
        spelt = dict.fromkeys(_respelt(word.surface.lower()))
        others[id(word)] += [(tuple(analysis.text_tokens(one)), SHARE) for one in spelt]
    cuts = {word.tokens[0]: word for word in plain if _may_be_cut(word)}
    counts = vocabulary.counts(cuts.keys() | _tokens(others))
    for token, word in cuts.items():
        if counts[token] <= RARE:
            others[id(word)] += [(parts, SHARE) for parts in _cut(word)]
    counts |= vocabulary.counts(_tokens(others) - counts.keys())

    def is_held(tokens: tuple[str, ...]) -> bool:
        unsure = vocabulary.is_partial and len(tokens) == 1
        return unsure or all(map(counts.__getitem__, tokens))

    found = []
    for word in query.words:
        some = [
            one for one in others.get(id(word), ()) if one[0] != word.tokens and is_held(one[0])
        ]
        found.append(word.also(some) if some else word)
    return found


def _tokens(others: Others) -> set[str]:
    return {token for some in others.values() for tokens, _ in some for token in tokens}


def _is_letters(word: Word) -> bool:
    return word.plain and not word.unspaced and word.surface.isalnum()


def _join(left: Word, right: Word, others: Others) -> None:
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
            others[id(word)].append((tokens, SHARE if len(fit) == 1 else BOTH))


def _may_be_cut(word: Word) -> bool:
    return len(word.surface) <= MOST_CUT and (
        len(word.surface) >= LEAST_CUT or not (word.surface.isalpha() or word.surface.isdigit())
    )


def _cut(word: Word) -> list[tuple[str, ...]]:
    """Return *word* in two words, a number and its unit, perhaps."""
    written = word.surface.lower()
    cuts = list(range(LEAST_PART, len(written) - LEAST_PART + 1))
    if not written.isalpha():
        digits = [sign.isdigit() for sign in written]
        cuts = [at for at in range(1, len(written)) if digits[at - 1] != digits[at]]
        cuts = cuts if len(cuts) == 1 else []
    parts = [tuple(analysis.text_tokens(f"{written[:at]} {written[at:]}")) for at in cuts]
    return [two for two in parts if len(two) == 2 and _are_parts(*two)]


def _are_parts(first: str, second: str) -> bool:
    """Tell whether two tokens may be a word in two parts: land as is land, but login as log in."""
    if analysis.is_function_word(first):
        return False
    return len(second) <= MOST_PARTICLE or not analysis.is_function_word(second)


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
