"""What leaves the program for a terminal holds nothing that could command it."""

from __future__ import annotations

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROLS: dict[int, str | None] = dict.fromkeys([*range(32), *range(127, 160), *map(ord, BIDI)])
_CONTROLS.update({10: "\n", 9: "\t", 13: "\n"})


def for_terminal(text: str) -> str:
    """Return *text* without control characters (but newline and tab) and bidi controls.

    Escape sequences lose their ESC and stay as harmless text; CR becomes a newline.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_CONTROLS)
