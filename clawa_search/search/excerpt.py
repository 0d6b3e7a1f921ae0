"""The part of a text that shows why it was found."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.analysis import Word

    Needle = tuple[int, str, frozenset[str]]
    """Number of a word, how it begins, and the tokens of which one must stand there (none: any)."""

EXCERPT_CHARS = 500
MAX_SCAN_CHARS = 200_000
MAX_NEEDLE_CHARS = 200
MAX_ANALYSED_CHARS = 20_000
MAX_SPOTS_OF_A_WORD = 100
MAX_TRIES = 1000
"""Places of a first token at which the others are looked for."""
MAX_INSIDE = 5_000
"""Places inside of words, which are passed over."""
MAX_PARTS = 64
"""Tokens of one word or phrase that are looked for."""
MAX_BETWEEN = 8
"""Characters between the beginnings of two tokens that follow one another: an ending, a separator."""
LAST_CHARS = 20
"""Of the last word in a window, which is known by its beginning."""
MAX_PIECES = 2000
MAX_WORD_CHARS = 100
UNSPACED = "\u0e00"
"""Letters from here on are of scripts that put no spaces between words, for the most part."""
ELLIPSIS = "…"


ANY = frozenset[str]()


class Needles:
    """What the words of a question look like in a text; made once, for all texts of an answer."""

    __slots__ = (
        "_analysed",
        "_firsts",
        "_lower",
        "_needles",
        "_parts",
        "_runs",
        "_shown",
        "_text",
        "_words",
    )

    def __init__(self, words: Iterable[Word]) -> None:
        self._words = list(words)
        self._needles = [
            (number, needle, _tokens_of(word))
            for number, word in enumerate(self._words)
            for needle in _needles_of(word)
        ]
        self._runs = [
            (number, run)
            for number, word in enumerate(self._words)
            if not word.unspaced
            for run in (word.tokens, *(tokens for tokens, _ in word.others))
            if 1 < len(run) <= MAX_PARTS
        ]
        self._parts = [
            (number, _beginning(token), frozenset((token,)))
            for number, word in enumerate(self._words)
            if len(word.tokens) > 1 and not word.unspaced
            for token in word.tokens[:MAX_PARTS]
        ]
        self._parts += [
            (number, word.surface.lower(), ANY)
            for number, word in enumerate(self._words)
            if word.plain and word.surface
        ]
        self._text = self._lower = ""
        self._analysed: dict[str, frozenset[str]] = {}
        self._firsts: list[tuple[Needle, int]] = []
        self._shown: list[tuple[int, int]] = []

    def found(self, text: str) -> set[int]:
        """Return the numbers of the words that *text* shows, as far as a string search tells."""
        self._look(text[: MAX_SCAN_CHARS + MAX_NEEDLE_CHARS])
        found = {needle[0] for needle, _ in self._firsts} | {number for _, number in self._shown}
        return found or {number for _, number in _analysed_spots(self._text, self._words)}

    def spots(self, text: str) -> list[tuple[int, int]]:
        """Find where the words stand: `(offset, number of the word)`.

        Looks for the beginnings of tokens with plain string search, further down only where none
        stand before; only a text that shows none of them that way (accents, other widths) is
        analysed piece by piece.
        """
        for begin in range(0, len(text), MAX_SCAN_CHARS):
            self._look(text[begin : begin + MAX_SCAN_CHARS + MAX_NEEDLE_CHARS])
            if spots := self._spots():
                return [(begin + at, number) for at, number in spots]
        return _analysed_spots(text[:MAX_SCAN_CHARS], self._words)

    def _spots(self) -> list[tuple[int, int]]:
        spots = list(self._shown)
        held = {number for _, number in spots} | {needle[0] for needle, _ in self._firsts}
        # Parts of an identifier, or a longer word, show it only where nothing shows all of it.
        missing = [part for part in self._parts if part[0] not in held]
        told = {part[1:]: part for part in missing}  # many words may have the same parts
        firsts = {key: self._next(part) for key, part in told.items()}
        parts = [(part, firsts[part[1:]]) for part in missing if firsts[part[1:]] >= 0]
        for needle, first in self._firsts + parts:
            at = first
            for _ in range(MAX_SPOTS_OF_A_WORD):
                spots.append((at, needle[0]))
                at = self._next(needle, at + len(needle[1]))
                if at < 0:
                    break
        return spots

    def _next(self, needle: Needle, start: int = 0) -> int:
        """Return where *needle* stands next, as the beginning of one of its own words; or -1."""
        _, beginning, tokens = needle
        at = _first(self._lower, self._text, beginning, start)
        for _ in range(MAX_TRIES):
            if at < 0 or not tokens or not tokens.isdisjoint(self._tokens_at(at, len(beginning))):
                return at
            at = _first(self._lower, self._text, beginning, at + len(beginning))
        return -1

    def _tokens_at(self, start: int, least: int) -> frozenset[str]:
        """Return the tokens of the word at *start*: "use" begins "user" as well, which is another."""
        text, end = self._text, start + least
        while end < len(text) and end < start + MAX_WORD_CHARS and text[end].isalnum():
            end += 1
        word = text[start:end]
        tokens = self._analysed.get(word)
        if tokens is None:
            from indexer import analysis  # it brings the engine along, and most texts need it not

            tokens = self._analysed[word] = frozenset(analysis.text_tokens(word))
        return tokens

    def _look(self, text: str) -> None:
        """Find where each needle stands first; a hit is weighed and shown by the same text."""
        if text is self._text:
            return
        self._text, self._lower = text, _lowered(text)
        self._analysed.clear()
        firsts = ((needle, self._next(needle)) for needle in self._needles)
        self._firsts = [first for first in firsts if first[1] >= 0]
        self._shown = [
            (at, number) for number, run in self._runs for at in _places(self._lower, text, run)
        ]


NOTHING = Needles(())
"""For a text that is shown from its beginning."""


def excerpt(text: str, needles: Needles = NOTHING, limit: int = EXCERPT_CHARS) -> tuple[str, bool]:
    """Return at most *limit* characters of *text* around its best match, and whether it was cut.

    Cuts stand between words where there are any, never inside a character and what belongs to
    it (combining marks, joiners, variation selectors).
    """
    if len(text) <= limit:
        return text, False
    room = max(limit - 2 * len(ELLIPSIS), 1)
    start, first = _best_start(needles.spots(text), room)
    stop = min(len(text), start + room)
    start = _word_start(text, start, min(stop, first + 1))
    stop = _word_stop(text, start, stop)
    before = ELLIPSIS if start else ""
    after = ELLIPSIS if stop < len(text) else ""
    return before + text[start:stop].strip() + after, True


def _best_start(spots: list[tuple[int, int]], room: int) -> tuple[int, int]:
    """Return where the window with the most different words begins, and its first word."""
    spots.sort()
    if not spots:
        return 0, 0
    best, found, narrowest = 0, 0, 0  # of windows: first spot, different words, width
    left = 0
    inside: dict[int, int] = {}
    for position, word in spots:
        inside[word] = inside.get(word, 0) + 1
        while position - spots[left][0] > room:
            old = spots[left][1]
            inside[old] -= 1
            if not inside[old]:
                del inside[old]
            left += 1
        while inside[spots[left][1]] > 1 and spots[left][0] < position:
            inside[spots[left][1]] -= 1
            left += 1
        width = position - spots[left][0]
        if len(inside) > found or (len(inside) == found and width < narrowest):
            found, best, narrowest = len(inside), left, width
    first = spots[best][0]
    # Some of what stands before is shown too, as far as that does not push the last word out.
    spare = max(0, room - narrowest - LAST_CHARS)
    if first < min(room // 2, spare):
        return 0, first
    return max(0, first - min(room // 5, spare)), first


def _lowered(text: str) -> str:
    """Return *text* in small letters, of the same length."""
    lower = text.lower()
    if len(lower) != len(text):  # some capitals have a longer small form
        lower = "".join(small if len(small := c.lower()) == 1 else c for c in text)
    return lower


def _needles_of(word: Word) -> list[str]:
    """Return beginnings of words that show *word*, without those that another one begins."""
    tokens = word.tokens[:MAX_PARTS]
    found = dict.fromkeys((word.surface.lower(),))
    if len(tokens) == 1 or word.unspaced:
        found |= dict.fromkeys(map(_beginning, tokens))
    found |= {_beginning(other[0]): None for other, _ in word.others if len(other) == 1}
    found.pop("", None)
    return [one for one in found if not any(one.startswith(two) for two in found if two != one)]


def _tokens_of(word: Word) -> frozenset[str]:
    """Return the tokens of which one shows *word*; none when only its surface does."""
    if not word.plain or word.unspaced:
        return ANY
    return frozenset((word.tokens[0], *(other[0] for other, _ in word.others if len(other) == 1)))


def _beginning(token: str) -> str:
    """Return what a word of this stem begins with: a stem may end otherwise (happi, happy)."""
    return token[:-1] if len(token) > 3 and token.isascii() and token.isalpha() else token


def _places(lower: str, text: str, run: tuple[str, ...]) -> list[int]:
    """Return where the tokens of *run* follow one another, whatever joins them."""
    head, *rest = map(_beginning, run)
    places: list[int] = []
    if not all(part in lower for part in rest):  # the usual case, and the quick one
        return places
    at = _first(lower, text, head)
    for _ in range(MAX_TRIES):
        if at < 0 or len(places) == MAX_SPOTS_OF_A_WORD:
            break
        end = at + len(head)
        for part in rest:
            end = lower.find(part, end, end + len(part) + MAX_BETWEEN)
            if end < 0:
                break
            end += len(part)
        if end >= 0:
            places.append(at)
        at = _first(lower, text, head, at + len(head))
    return places


def _first(lower: str, text: str, needle: str, start: int = 0) -> int:
    """Return where *needle* stands at the beginning of a word, from *start* on; -1 if nowhere."""
    position = lower.find(needle, start)
    if not (needle[0].isascii() and needle[0].isalnum()):
        return position
    for _ in range(MAX_INSIDE):
        before = lower[position - 1] if position > 0 else ""
        if not before.isalnum() or before >= UNSPACED or text[position].isupper():
            return position  # no word goes on here that began before
        position = lower.find(needle, position + len(needle))
    return -1


def _analysed_spots(text: str, words: list[Word]) -> list[tuple[int, int]]:
    from indexer import analysis  # it brings the engine along, and most texts need it not

    by_token = {
        token: number
        for number, word in enumerate(words)
        if len(word.tokens) == 1 or word.unspaced
        for token in word.tokens
    }
    if by_token.keys().isdisjoint(analysis.text_tokens(text[:MAX_ANALYSED_CHARS])):
        return []
    spots = []
    position = 0
    for piece in text.split()[:MAX_PIECES]:
        position = text.index(piece, position)
        for token in analysis.text_tokens(piece[:100]):
            if token in by_token:
                spots.append((position, by_token[token]))
                break
        position += len(piece)
    return spots


def is_joined(text: str, position: int) -> bool:
    """Would a cut before *position* part a character from what belongs to it?"""
    if not 0 < position < len(text):
        return False
    after, before = text[position], text[position - 1]
    if after.isascii() and before.isascii():
        return before == "\r" and after == "\n"
    from clawa_search.graphemes import is_boundary

    return not is_boundary(text, position)


def _word_start(text: str, start: int, stop: int) -> int:
    if start == 0:
        return 0
    for position in range(start, min(start + 30, stop)):
        if text[position - 1].isspace():
            return position
    while start < stop and is_joined(text, start):
        start += 1
    return start


def _word_stop(text: str, start: int, stop: int) -> int:
    if stop >= len(text):
        return len(text)
    for position in range(stop, max(stop - 30, start + 1), -1):
        if text[position].isspace():
            return position
    while stop > start + 1 and is_joined(text, stop):
        stop -= 1
    return stop
