"""The one rule of tags: what a tag may look like, and how a stored list of tags is read.

A tag is lower case; every run of characters outside `a-z 0-9 : _ -` becomes one dash; dashes at the
ends go; 48 characters at most. A memory has at most 12 tags, each once, in the order given.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


MAX_TAGS = 12
MAX_TAG_CHARACTERS = 48
NOTHING_LEFT = "no letter a-z and no digit in it"
_ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789:_-"
_MAX_KNOWN = 2000  # stored lists whose tags are remembered; memories share few of them


_known: dict[str, tuple[str, ...]] = {}


def several(given: Iterable[str]) -> tuple[str, ...]:
    """Return what a caller gave as a list; one string is one thing, not its letters."""
    return (given,) if isinstance(given, str) else tuple(given)


def normalise(tags: Iterable[str]) -> tuple[str, ...]:
    """Return *tags* as they are stored: cleaned, without empty ones and repetitions, 12 at most."""
    return cleaned(tags)[:MAX_TAGS]


def cleaned(tags: Iterable[str]) -> tuple[str, ...]:
    """Return all of *tags* as a search compares them: one that is left out would widen it."""
    found = dict.fromkeys(_clean(tag) for tag in several(tags))
    found.pop("", None)
    return tuple(found)


def left_out(tags: Iterable[str]) -> str:
    """Say which of *tags* a memory cannot have; empty when it has them all."""
    tags = several(tags)
    notes = [f"tag {tag!r} was left out: {NOTHING_LEFT}" for tag in tags if not _clean(tag)]
    kept = dict.fromkeys(tag for tag in map(_clean, tags) if tag)
    more = list(kept)[MAX_TAGS:]
    if more:
        notes.append(f"a memory has at most {MAX_TAGS} tags; left out: {', '.join(more)}")
    return "; ".join(notes)


def wanted_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return *tags* as a search wants them.

    Raises:
        InvalidInputError: nothing is left of one; dropped silently, it would widen the search.
    """
    for tag in (tags := several(tags)):
        if not normalise([tag]):
            from clawa_search.errors import InvalidInputError

            raise InvalidInputError(f"tag: {NOTHING_LEFT}: {tag!r}")
    return cleaned(tags)


def _clean(tag: str) -> str:
    if tag.strip(_ALLOWED):  # something else is in it
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
    inner = stored[2:-2].replace('", "', '","')  # as Python's json writes them
    if (
        stored[:2] == '["'
        and stored[-2:] == '"]'
        and "\\" not in inner
        and inner.count('"') == 2 * inner.count('","')
    ):
        return inner.split('","')  # as `dump` writes them: nothing to load the scanner for
    from indexer.scan import loads

    try:
        value = loads(stored)
    except ValueError:
        return []
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []


def dump(tags: Iterable[str]) -> str:
    """Return normalised *tags* as the JSON array that is stored; they need no escapes."""
    return "[" + ",".join([f'"{tag}"' for tag in tags]) + "]"
