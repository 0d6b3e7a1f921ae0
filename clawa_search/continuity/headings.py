"""List the headings of a Markdown text within a budget of characters."""

from __future__ import annotations

import re

from clawa_search.graphemes import cut

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING_CHARS = 80


def outline(text: str, budget: int) -> list[str]:
    """Return one indented line a heading of *text*, *budget* characters at most, newlines counted.

    Lines inside code fences are no headings; what does not fit is counted in the last line.
    """
    found = _headings(text)
    lines: list[str] = []
    left = budget - len(_more(len(found))) - 1
    for number, (level, title) in enumerate(found):
        line = f"  {'#' * level} {title}"
        if len(line) + 1 > left:
            return [*lines, _more(len(found) - number)]
        lines.append(line)
        left -= len(line) + 1
    return lines


def _more(count: int) -> str:
    return f"  (and {count:,} more)"


def _headings(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            title = " ".join(heading[2].rstrip("# \t\r").split())
            shown = cut(title, _HEADING_CHARS)
            found.append((len(heading[1]), shown if shown == title else shown + "…"))
    return [(level, title) for level, title in found if title]
