"""A memory as it is stored, read whatever types another program gave its columns."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

from clawa_search.memory.tags import parse

MEMORY = "id, ts, text, tags"  # the columns that `read` takes
END_OF_TIME = 1 << 53  # ms; beyond it JavaScript and JSON cannot count


class Memory:
    """One memory.

    Attributes:
        id: its number, never used again.
        ts_ms: when it was written or last changed, Unix ms; 0 when another program left no time.
        text: what is remembered.
        tags: its tags, normalised.
    """

    __slots__ = ("id", "tags", "text", "ts_ms")

    def __init__(self, number: int, ts_ms: int, text: str, tags: tuple[str, ...]) -> None:
        self.id = number
        self.ts_ms = ts_ms
        self.text = text
        self.tags = tags

    def __repr__(self) -> str:
        return f"Memory({self.id!r}, {self.ts_ms!r}, {self.text!r}, {self.tags!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memory) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def _fields(self) -> tuple[int, int, str, tuple[str, ...]]:
        return self.id, self.ts_ms, self.text, self.tags


def read(row: Sequence[object]) -> Memory:
    """Return the memory of a row of the columns MEMORY.

    Raises:
        StoreError: its id is none.
    """
    number, ts, text, tags = row
    if type(text) is not str:
        text = plain_text(text)
    if type(number) is not int:
        from clawa_search.errors import StoreError

        raise StoreError(
            "the table memories is not ours: an id is no whole number",
            hint="move the file away, or set --home to another folder; nothing was changed",
        )
    return Memory(number, plain_time(ts), text, parse(tags))


def plain_text(value: object) -> str:
    """Return a stored text as text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else "" if value is None else str(value)


def plain_time(value: object) -> int:
    """Return a stored time in Unix ms; 0 (unknown) for what is no time."""
    return int(value) if isinstance(value, (int, float)) and abs(value) < END_OF_TIME else 0
