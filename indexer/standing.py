"""Whether a human's words hold for later: an order for every time, or what they prefer.

Such a wish is often said once, in other words than the question it bears on. English only, as
the stemmer and the function words are.
"""

from __future__ import annotations

MAX_CHARS = 4_000
"""Looked at from the start: what stands further down was pasted rather than wished."""
_ANYWHERE = ("from now on", "when i ask", "whenever i ask", "my preference")
_SENTENCE_ENDS = ".!?:;-*\u2022\u2026"
_ASKING = frozenset({"do", "did", "would", "should", "could", "can", "will"})
_ADVERBS = 2  # between "I" and "prefer"


def is_standing(text: str) -> bool:
    """Tell whether *text*, said by a human, is a standing wish."""
    said = text[:MAX_CHARS].lower()
    return any(phrase in said for phrase in _ANYWHERE) or _is_order(said) or _prefers(said)


def _is_order(said: str) -> bool:
    """Does a sentence begin with always or never? "I always do" is no order."""
    for word in ("always", "never"):
        for at in _places(said, word):
            before = said[:at].rstrip(" \t\"'(")
            if not before or before[-1] == "\n" or before[-1] in _SENTENCE_ENDS:
                return True
            if before.endswith("please"):
                return True
    return False


def _prefers(said: str) -> bool:
    """Do they say that they prefer something? "What do I prefer" asks for it."""
    for at in _places(said, "prefer"):
        before = said[max(at - 60, 0) : at].split()
        for back in range(1, min(len(before), _ADVERBS + 2) + 1):
            if before[-back] in ("i", "i'd", "i\u2019d"):
                if not _ASKING.intersection(before[-back - 1 : -back]):
                    return True
                break
    return False


def _places(said: str, word: str) -> list[int]:
    """Return where *word* stands as a whole word."""
    found = []
    at = said.find(word)
    while at >= 0:
        end = at + len(word)
        if not said[end : end + 1].isalnum() and not said[at - 1 : at].isalnum():
            found.append(at)
        at = said.find(word, end)
    return found
