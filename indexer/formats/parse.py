"""The JSON of one line, and the values in it: as lenient as Node, and always valid Unicode."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timezone
else:  # the module datetime runs its Python twin first, 1.5 ms in a process that lives for 50
    from _datetime import datetime, timezone

from indexer import scan

MAX_TS_MS = 253_402_300_799_999  # the end of the year 9999
MAX_ID_CHARS = 256


class Malformed(ValueError):
    """A line that is not JSON, or too long to be read whole."""


def strict_loads(raw: bytes) -> object:
    """Parse like Node: bad UTF-8 and lone surrogates become U+FFFD.

    Raises:
        Malformed: not JSON, or beyond what any parser here takes (nesting).
    """
    text = raw.decode("utf-8", "replace")
    try:
        return scan.loads(text)
    except scan.TooMuch:
        return _hard_loads(text)
    except scan.NotJson as error:
        raise Malformed(str(error)[:120]) from None


def _hard_loads(text: str) -> object:
    """Parse what Node takes and the scanner does not: 4,301 digits, 1,000 levels."""
    try:
        return scan.loads(text, wide=True)
    except scan.NotJson as error:
        raise Malformed(str(error)[:120]) from None
    except scan.TooMuch:
        import orjson

        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise Malformed(str(error)[:120]) from None


def fast_loads() -> Callable[[bytes], object]:
    """Return a parser for bulk work: orjson, and `strict_loads` for what it refuses.

    orjson takes 20 ms to import and is 4x faster; it rejects lone surrogates (which Node
    writes when it cuts an emoji in two), 1e999 and deep nesting.
    """
    import orjson

    loads = orjson.loads

    def parse(raw: bytes) -> object:
        try:
            return loads(raw)
        except orjson.JSONDecodeError:
            return strict_loads(raw)

    return parse


def clean(text: str) -> str:
    """Return *text* with lone surrogates as U+FFFD: neither SQLite nor Tantivy takes them."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def text_of(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def id_of(value: object) -> str:
    """Return an id as it is kept: one word of bounded length, empty when *value* is none."""
    if not isinstance(value, str):
        return ""
    if len(value) <= MAX_ID_CHARS and value.isalnum() and value.isascii():  # nearly always
        return value
    return "_".join(clean(value)[:MAX_ID_CHARS].split())


def time_ms(value: object) -> int:
    """Return Unix ms of an ISO string or of a number of ms; 0 for anything else."""
    if isinstance(value, str):
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            return 0
        if when.tzinfo is None:
            when = when.replace(tzinfo=timezone.utc)
        try:
            value = int(when.timestamp() * 1000)
        except (OverflowError, ValueError):
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value <= MAX_TS_MS else 0
