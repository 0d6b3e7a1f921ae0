"""Cut text between characters as people see them, with the standard library's tables only.

The rules are those of UAX #29 (extended grapheme clusters), erring towards "no boundary here":
after every zero-width joiner, around every spacing mark, and before code points that this Python
does not know yet. A cut may so fall a little earlier than allowed, but never inside a cluster.
"""

from __future__ import annotations

import unicodedata

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_VIRAMA_CLASS = 9
# Prepended_Concatenation_Mark and the few letters that UAX #29 joins to what follows them.
_PREPEND = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e"
    "\U000110bd\U000110cd\U000111c2\U000111c3\U0001193f\U00011941\U00011a3a\U00011a84"
    "\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)
# Not of a mark category, and yet part of the cluster before them.
_EXTEND = frozenset("\u0e33\u0eb3\uff9e\uff9f") | frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def cut(text: str, limit: int) -> str:
    """Return the longest prefix of *text* that ends between clusters, *limit* code points at most.

    A text whose very first cluster is longer than *limit* gives the empty string.
    """
    if len(text) <= limit:
        return text
    end = max(limit, 0)
    while end > 0 and not is_boundary(text, end):
        end -= 1
    return text[:end]


def is_boundary(text: str, at: int) -> bool:
    """Tell whether a cluster may end before index *at* of *text*."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if _is_control(before) or _is_control(after):
        return True
    if before == _ZWJ or before in _PREPEND or _extends(after):
        return False
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, at) % 2 == 0
    return not (_hangul_joins(before, after) or _conjunct(text, at))


def _is_control(char: str) -> bool:
    if char in (_ZWNJ, _ZWJ) or char in _PREPEND or _is_tag(char):
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def _extends(char: str) -> bool:
    if char < "\u0300":
        return False
    known = unicodedata.category(char)
    # Cn: unassigned here, perhaps a mark in a newer Unicode.
    return (
        known in ("Mn", "Mc", "Me", "Cn")
        or char in (_ZWJ, _ZWNJ)
        or char in _EXTEND
        or _is_tag(char)
    )


def _is_tag(char: str) -> bool:
    return "\U000e0020" <= char <= "\U000e007f"


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regionals_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return at - start


def _hangul_joins(before: str, after: str) -> bool:
    left, right = _jamo(before), _jamo(after)
    if left == "L":
        return right in ("L", "V", "LV", "LVT")
    if left in ("LV", "V"):
        return right in ("V", "T")
    return left in ("LVT", "T") and right == "T"


def _jamo(char: str) -> str:
    if "\uac00" <= char <= "\ud7a3":
        return "LV" if (ord(char) - 0xAC00) % 28 == 0 else "LVT"
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    return ""


def _conjunct(text: str, at: int) -> bool:
    """Tell whether a virama among the marks before *at* joins the letter at *at*."""
    if unicodedata.category(text[at]) != "Lo":
        return False
    index = at - 1
    while index >= 0 and unicodedata.category(text[index]) == "Mn":
        if unicodedata.combining(text[index]) == _VIRAMA_CLASS:
            return True
        index -= 1
    return False
