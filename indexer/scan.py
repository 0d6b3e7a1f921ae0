"""Read JSON with Python's C scanner alone.

`import json` brings `re` and `enum` along: 31 M instructions, where an empty Python takes 36.
"""

from __future__ import annotations

from _json import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class _Reading:
    """How `make_scanner` reads JSON: as the json module does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_constant = float

    def __init__(self, parse_int: Callable[[str], float]) -> None:
        self.parse_int = parse_int


_scan = make_scanner(_Reading(int))  # type: ignore[arg-type]  # typeshed wants itself
_scan_wide = make_scanner(_Reading(float))  # type: ignore[arg-type]


class NotJson(ValueError):
    """A text that is no JSON at all."""


class TooMuch(ValueError):
    """JSON beyond what the scanner takes: nested too deeply, a number of too many digits."""


def loads(text: str, *, wide: bool = False) -> object:
    """Return the value that *text* holds.

    Args:
        wide: whole numbers become floats, however many digits they have.

    Raises:
        NotJson, TooMuch: it cannot be read.
    """
    text = text.strip(" \t\r\n")
    try:
        value, end = (_scan_wide if wide else _scan)(text, 0)
    except (StopIteration, SystemError):
        # Before Python 3.13 the scanner can only name an error once json is imported; till then
        # it fails without one.
        raise NotJson("not JSON") from None
    except RecursionError:
        raise TooMuch("nested too deeply") from None
    except ValueError as error:
        # The scanner's own complaints are of a class derived from it.
        kind = TooMuch if type(error) is ValueError else NotJson
        raise kind(str(error)) from None
    if end != len(text):
        raise NotJson("something stands behind the JSON")
    return value
