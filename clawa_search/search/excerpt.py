"""The part of a text that shows why it was found."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.analysis import Word

from indexer import analysis

EXCERPT_CHARS = 500
MAX_SCAN_CHARS = 200_000
ELLIPSIS = "…"


def excerpt(text: str, words: Iterable[Word], limit: int = EXCERPT_CHARS) -> tuple[str, bool]:
    """Return at most *limit* characters of *text* around its best match, and whether it was cut.

    Cuts stand between words where there are any, never inside a character and what belongs to
    it (combining marks, joiners, variation selectors).
    """
    if len(text) <= limit:
        return text, False
    room = max(limit - 2 * len(ELLIPSIS), 1)
    start = _best_start(text[:MAX_SCAN_CHARS], list(words), room)
    stop = min(len(text), start + room)
    start = _word_start(text, start, stop)
    stop = _word_stop(text, start, stop)
    before = ELLIPSIS if start else ""
    after = ELLIPSIS if stop < len(text) else ""
    return before + text[start:stop].strip() + after, True


def _best_start(text: str, words: list[Word], room: int) -> int:
    """Return where the window with the most different words of the question begins."""
    spots = sorted(_spots(text, words))
    if not spots:
        return 0
    best, found = 0, 0
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
        if len(inside) > found:
            found, best = len(inside), left
    first = spots[best][0]
    if first < room // 2:
        return 0
    return max(0, first - room // 5)


def _spots(text: str, words: list[Word]) -> list[tuple[int, int]]:
    """Find where the words of the question stand: `(offset, number of the word)`."""
    by_token: dict[str, int] = {}
    spots = []
    lower = text.lower()
    aligned = len(lower) == len(text)
    for number, word in enumerate(words):
        for token in word.tokens:
            by_token.setdefault(token, number)
        for form in word.codes:
            by_token.setdefault(form, number)
        surface = word.surface.lower()
        position = lower.find(surface) if aligned and surface else -1
        if position >= 0:
            spots.append((position, number))
    if len(spots) == len(words):
        return spots
    position = 0
    for piece in text.split():
        position = text.index(piece, position)
        if len(piece) <= 100:
            for token in analysis.text_tokens(piece):
                if token in by_token:
                    spots.append((position, by_token[token]))
                    break
        position += len(piece)
        if len(spots) > 2000:
            break
    return spots


def is_joined(text: str, position: int) -> bool:
    """Would a cut before *position* part a character from what belongs to it?"""
    if not 0 < position < len(text):
        return False
    after, before = text[position], text[position - 1]
    if after.isascii() and before.isascii():
        return before == "\r" and after == "\n"
    from unicodedata import category

    return (
        category(after) in ("Mn", "Me", "Mc")
        or "\u200d" in (before, after)
        or "\ufe00" <= after <= "\ufe0f"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
        or ("\U0001f1e6" <= after <= "\U0001f1ff" and "\U0001f1e6" <= before <= "\U0001f1ff")
        or "\u1160" <= after <= "\u11ff"
    )


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
