"""What non-ASCII text is reduced to before it is cut into tokens; ASCII text never comes here.

Compatibility forms, accents, vowel points, invisible characters and Latin letters beyond A-Z are
folded away. Scripts written without spaces are cut out as runs, symbols one by one.
"""

from __future__ import annotations

import unicodedata
from itertools import groupby

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from indexer.forms import HARD, PIECE, RUN, SYMBOL

_KANA_MARKS = ("\u3099", "\u309a")
_DROPPED = frozenset("\u0640\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")  # tatweel …
_HYPHENS = frozenset("\u2010\u2011")
# One code point range per script, first and last. Whoever writes these does not put spaces between
# words (Hangul does, but glues particles to them), so overlapping pairs stand for words.
_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul jamo
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x1B00, 0x1B7F),  # Balinese
    (0x2E80, 0x31FF),  # radicals, kana, Bopomofo, Hangul letters, strokes
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),  # Hangul jamo
    (0xA980, 0xAA7F),  # Javanese, Myanmar, Cham
    (0xAA80, 0xAADF),  # Tai Viet
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # Han
)
# Frames, bars and spinners of terminals: nobody searches for them.
_DRAWING = ((0x2500, 0x259F), (0x2800, 0x28FF), (0xFFFC, 0xFFFD))
_REGIONS = (0x1F1E6, 0x1F1FF)  # two of these make a flag
_CHUNK = 1_024  # characters; normalising is quadratic in the length of a run of marks


def parts_of(piece: str) -> list[tuple[int, str]]:
    """Fold *piece* and cut it into pieces, runs of scripts without spaces, and symbols."""
    found: list[tuple[int, str]] = []
    for word in fold(piece).split():
        kinds = {PIECE} if word.isascii() else set(map(_KINDS.__getitem__, word))
        if len(kinds) == 1 and SYMBOL not in kinds:
            found.append((kinds.pop(), word))
            continue
        for kind, characters in groupby(word, _KINDS.__getitem__):
            part = "".join(characters)
            if kind == SYMBOL:
                found += [(SYMBOL, symbol) for symbol in _symbols(part)]
            else:
                found.append((kind, part))
    return found


def fold(text: str) -> str:
    """Return *text* folded, its case kept; hard separators and other punctuation become spaces."""
    folded = text.translate(_FOLDED)
    if not unicodedata.is_normalized("NFC", folded):
        chunks = (folded[at : at + _CHUNK] for at in range(0, len(folded), _CHUNK))
        folded = "".join([unicodedata.normalize("NFC", chunk) for chunk in chunks])
    for mark in _KANA_MARKS:  # those left belong to no letter that has them
        folded = folded.replace(mark, "")
    return folded


def _symbols(text: str) -> list[str]:
    """Split a run of symbols: flags are pairs of letters, the others stand alone."""
    symbols: list[str] = []
    for character in text:
        half = symbols and _is_region(symbols[-1]) and _is_region(character)
        if half:
            symbols[-1] += character
        else:
            symbols.append(character)
    return symbols


def _is_region(text: str) -> bool:
    return len(text) == 1 and _within(ord(text), (_REGIONS,))


def _within(code_point: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code_point <= last for first, last in ranges)


class _Folded(dict[int, str]):
    """Code point -> what is left of it; filled on demand, so never larger than Unicode."""

    def __init__(self) -> None:
        super().__init__()
        # The tokenizer itself is asked what belongs to a word: Python's isalnum() disagrees with
        # it on 1,300 vowel signs.
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.ascii_fold())
        self._words = builder.build()

    def __missing__(self, code_point: int) -> str:
        folded = self._fold(chr(code_point))
        self[code_point] = folded
        return folded

    def _fold(self, character: str) -> str:
        if _within(ord(character), ((0xAC00, 0xD7A3), (0xD800, 0xDFFF))):
            return " " if character < "\uac00" or character > "\ud7a3" else character
        decomposed = unicodedata.normalize("NFKD", character)
        return unicodedata.normalize("NFC", "".join(map(self._one, decomposed)))

    def _one(self, character: str) -> str:
        if character.isascii():
            return " " if character in HARD else character
        if character in _KANA_MARKS:
            return character
        category = unicodedata.category(character)
        if character in _DROPPED or category == "Cf":
            return ""
        word = self._words.analyze(character)
        if category[0] == "M":
            return word[0] if word and not _is_point(character) else ""
        if word:
            return word[0]
        if character in _HYPHENS:
            return "-"
        symbol = category in {"So", "Sm", "Sc"} and not _within(ord(character), _DRAWING)
        return character if symbol else " "


def _is_point(mark: str) -> bool:
    """Tell whether *mark* is an accent or a vowel point, which writers leave out."""
    position = unicodedata.combining(mark)
    return 10 <= position <= 36 or position >= 200  # Hebrew, Arabic, Syriac; above and below


class _Kinds(dict[str, int]):
    """Folded character -> PIECE, RUN or SYMBOL; filled on demand."""

    def __missing__(self, character: str) -> int:
        kind = self._kind(character)
        self[character] = kind
        return kind

    def _kind(self, character: str) -> int:
        if unicodedata.category(character) in {"So", "Sm", "Sc"}:
            return SYMBOL
        return RUN if _within(ord(character), _WITHOUT_SPACES) else PIECE


_FOLDED = _Folded()
_KINDS = _Kinds()
