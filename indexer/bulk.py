"""Analyse much text, 40 % faster than `analysis` does: apart, since it loads `re`."""

from __future__ import annotations

import re

from indexer.analysis import each_once, look
from indexer.forms import HARD, MAX_PLAIN, SOFT

_APART = rf"{re.escape(HARD)}\s"
_WORD = rf"[A-Z]?[a-z]{{1,{MAX_PLAIN - 1}}}+|[A-Z]{{1,{MAX_PLAIN}}}+|[0-9]{{1,{MAX_PLAIN}}}+"
_PLAIN = rf"(?:(?:{_WORD})\.*+|[{re.escape(SOFT)}]++)"
# Skips plain words and bare signs up to a piece that is neither, or to the end: nothing is found there.
_NEXT_ODD = re.compile(rf"(?:[{_APART}]*+{_PLAIN}(?![^{_APART}]))*+[{_APART}]*+([^{_APART}]*+)")


def analyse(text: str) -> tuple[str, str]:
    """Return what `analysis.analyse` does, but for what stands between the words.

    Only pieces that are no plain words are looked at, and only where they must be taken apart
    is the text put together anew.
    """
    expanded: list[str] = []
    codes: list[str] = []
    end = 0
    for match in _NEXT_ODD.finditer(text):
        piece = match[1]
        if not piece:
            continue
        apart, coded = look(piece)
        if apart is not None:
            expanded += (text[end : match.start(1)], apart)
            end = match.end()
        if coded:
            codes.append(coded)
    return "".join(expanded) + text[end:] if expanded else text, each_once(codes)
