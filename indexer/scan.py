"""Read small JSON with the C scanner alone: `import json` would cost a cold recall 6 ms."""

from __future__ import annotations

from _json import make_scanner


class _Strict:
    """How `make_scanner` reads JSON: as the json module does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan = make_scanner(_Strict())  # type: ignore[arg-type]  # typeshed wants itself


def loads(text: str) -> object:
    """Return the value that *text* holds.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    text = text.strip(" \t\r\n")
    try:
        value, end = _scan(text, 0)
    except (StopIteration, RecursionError) as error:
        raise ValueError("not JSON") from error
    if end != len(text):
        raise ValueError("something stands behind the JSON")
    return value
