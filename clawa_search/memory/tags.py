"""The one rule of tags: what a tag may look like, and how a stored list of tags is read.

A tag is lower case; every run of characters outside `a-z 0-9 : _ -` becomes one dash; dashes at the
ends go; 48 characters at most. A memory has at most 12 tags, each once, in the order given.
"""

from __future__ import annotations

from _json import make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TAGS = 12
MAX_TAG_CHARACTERS = 48
_ALLOWED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789:_-")
_MAX_KNOWN = 2000  # stored lists whose tags are remembered; memories share few of them


class _Strict:
    """How `make_scanner` reads JSON: as the json module does by default."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_scan = make_scanner(_Strict())  # type: ignore[arg-type]  # typeshed wants itself
_known: dict[str, tuple[str, ...]] = {}


def normalise(tags: Iterable[str]) -> tuple[str, ...]:
    """Return *tags* as they are stored: cleaned, without empty ones and repetitions, 12 at most."""
    cleaned = dict.fromkeys(_clean(tag) for tag in tags)
    cleaned.pop("", None)
    return tuple(cleaned)[:MAX_TAGS]


def _clean(tag: str) -> str:
    tag = "".join([sign if sign in _ALLOWED else " " for sign in tag.lower()])
    return "-".join(tag.split()).strip("-")[:MAX_TAG_CHARACTERS].rstrip("-")


def parse(stored: object) -> tuple[str, ...]:
    """Return the tags of a stored JSON array; none when another program left something else."""
    if not isinstance(stored, str) or stored == "[]":
        return ()
    tags = _known.get(stored)
    if tags is None:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        tags = _known[stored] = normalise(_strings(stored))
    return tags


def _strings(stored: str) -> list[str]:
    # The C scanner alone: `import json` costs a recall 6 ms, half of an empty Python.
    stored = stored.strip(" \t\r\n")
    try:
        value, end = _scan(stored, 0)
    except (StopIteration, ValueError, RecursionError):
        return []
    if end != len(stored) or not isinstance(value, list):
        return []
    return [tag for tag in value if isinstance(tag, str)]


def dump(tags: Iterable[str]) -> str:
    """Return normalised *tags* as the JSON array that is stored; they need no escapes."""
    return "[" + ",".join([f'"{tag}"' for tag in tags]) + "]"
