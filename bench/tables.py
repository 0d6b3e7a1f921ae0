"""Plain tables on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def show(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print *rows* under *columns*: the first column to the left, the others to the right."""
    cells = [list(columns), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    print(f"\n{title}" if title else "")
    for number, row in enumerate(cells):
        first, *rest = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        tail = (cell.strip().rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        print("  ".join((first, *tail)).rstrip())
        if not number:
            print("  ".join("-" * width for width in widths))


def _text(cell: object) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:,.1f}" if abs(cell) < 1000 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
