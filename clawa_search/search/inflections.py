"""Other forms of the words of languages that the stemmer does not know: кошка for кошки.

Forms of a word begin alike. So what a question in another language than English asks for is also
looked for as the words that are written nearly so, and as part of longer ones (Server in
Serverraum, and the other way round), where a text holds them. English has its stemmer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from clawa_search.search.query import Query
    from clawa_search.search.vocabulary import Vocabulary
    from indexer.word import Word

FORM, PART = 0.8, 0.6
"""What another form, and what a part or a whole of a compound, counts of its own worth."""
LEAST = 4
"""Letters of a word of which other forms are looked for."""
MOST_ENDING = 3
"""Letters by which two forms of a word may differ at the end."""
LEAST_ALIKE = 0.6
"""Share of the longer form that both begin with."""
MAX_FORMS = 20
LEAST_HEAD, LEAST_MORE = 5, 4
"""Letters of a word that others may begin with, and of what they add to it."""
LEAST_COMPOUND, LEAST_PART = 9, 4
LINKS = ("", "s", "n", "es", "en", "e")
"""Letters between the parts of a compound."""


def with_inflections(query: Query, vocabulary: Vocabulary) -> list[Word]:
    """Return the words of *query*, with other forms of those that are plain."""
    found = []
    for word in query.words:
        token = word.tokens[0] if word.plain and not word.unspaced else ""
        if len(token) >= LEAST and token.isalpha():
            others = dict.fromkeys(_forms(token, vocabulary), FORM)
            for other in (*_wholes(token, vocabulary), *_parts(token, vocabulary)):
                others.setdefault(other, PART)
            some = list(others.items())[:MAX_FORMS]
            word = word.also([((other,), share) for other, share in some])  # noqa: PLW2901
        found.append(word)
    return found


def _forms(token: str, vocabulary: Vocabulary) -> Iterator[str]:
    size = len(token)
    begin = token[: max(3, size - MOST_ENDING)] if size >= 2 * MOST_ENDING else token[:-1]
    for other in vocabulary.beginning(begin):
        if other != token and other.isalpha() and _are_forms(token, other):
            yield other


def _are_forms(one: str, two: str) -> bool:
    """Tell whether two words may be forms of one: they differ in a short ending only."""
    alike = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        alike += 1
    longer = max(len(one), len(two))
    if longer - alike > MOST_ENDING or alike < LEAST_ALIKE * longer:
        return False
    if alike > 3:
        return True
    # Of so short words the endings of an alphabet of syllables and cases are told apart best.
    return alike == 3 and longer <= 5 and (not one.isascii() or alike in (len(one), len(two)))


def _wholes(token: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield compounds that begin with *token*."""
    if len(token) >= LEAST_HEAD:
        for other in vocabulary.beginning(token):
            if len(other) >= len(token) + LEAST_MORE and other.isalpha():
                yield other


def _parts(token: str, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the parts of a compound that nobody ever wrote, if both are known."""
    if len(token) < LEAST_COMPOUND or not vocabulary.unknown([token]):
        return
    cuts = [(token[:at], token[at:]) for at in range(LEAST_PART, len(token) - LEAST_PART + 1)]
    pairs = [
        (head.removesuffix(link), rest)
        for head, rest in cuts
        for link in LINKS
        if head.endswith(link) and len(head) - len(link) >= LEAST_PART - 1
    ]
    unknown = vocabulary.unknown({part for pair in pairs for part in pair})
    for pair in pairs:
        if unknown.isdisjoint(pair):
            yield from pair
