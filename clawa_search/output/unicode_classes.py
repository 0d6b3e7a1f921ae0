"""The class of a character as the split of o200k_base sees it (classes: see `tokens`).

tiktoken's tables are Unicode 16. Python brings its own version (3.11: Unicode 14), so letters,
marks and numbers that came between are listed here; every other newcomer is a symbol to both.
`bench/tokens.py` compares all code points with tiktoken.
"""

from __future__ import annotations

from unicodedata import category

_OF_CATEGORY = {
    "Lu": "U",
    "Lt": "U",
    "Ll": "l",
    "Lm": "B",
    "Lo": "B",
    "Mn": "M",
    "Mc": "M",
    "Me": "M",
    "Nd": "9",
    "Nl": "9",
    "No": "9",
    "Zs": "t",
    "Zl": "t",
    "Zp": "t",
}
_UNASSIGNED = "Cn"

# Unicode 15.0 to 16.0, hexadecimal, ranges inclusive.
_NEWER = {
    "U": "1C89 A7CB-A7CC A7DA A7DC 10D50-10D65",
    "l": "1C8A A7CD A7DB 10D70-10D85 1DF25-1DF2A",
    "B": (
        "105C0-105F3 10D4A-10D4F 10D6F 10EC2-10EC4 1123F-11240 11380-11389 1138B 1138E "
        "11390-113B5 113B7 113D1 113D3 11BC0-11BE0 11F02 11F04-11F10 11F12-11F33 1342F "
        "13441-13446 13460-143FA 16100-1611D 16D40-16D6C 18CFF 1B132 1B155 1E030-1E06D "
        "1E4D0-1E4EB 1E5D0-1E5ED 1E5F0 2B739 2EBF0-2EE5D 31350-323AF"
    ),
    "M": (
        "897 CF3 ECE 10D69-10D6D 10EFC-10EFF 11241 113B8-113C0 113C2 113C5 113C7-113CA "
        "113CC-113D0 113D2 113E1-113E2 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A 13440 "
        "13447-13455 1611E-1612F 1E08F 1E4EC-1E4EF 1E5EE-1E5EF"
    ),
    "9": (
        "10D40-10D49 116D0-116E3 11BF0-11BF9 11F50-11F59 16130-16139 16D70-16D79 1CCF0-1CCF9 "
        "1D2C0-1D2D3 1E4F0-1E4F9 1E5F1-1E5FA"
    ),
}


def class_of(point: int) -> str:
    """Return the class of the character at code point *point*, which is not ASCII."""
    if point == 0x85:  # a blank to a regular expression, a control character to Unicode
        return "t"
    kind = category(chr(point))
    if kind == _UNASSIGNED:
        return _newer_class(point)
    return _OF_CATEGORY.get(kind, ".")


def _newer_class(point: int) -> str:
    for code, ranges in _NEWER.items():
        for item in ranges.split():
            first, _, last = item.partition("-")
            if int(first, 16) <= point <= int(last or first, 16):
                return code
    return "."
