"""The records that travel from a session file to the index."""

from __future__ import annotations

ROLES = ("user", "assistant", "custom", "compaction", "branch")
"""Who speaks; the position in this tuple is the number stored in the index."""

ROLE_NUMBER = {role: number for number, role in enumerate(ROLES)}


class Entry:
    """One thing that was said: never tool output, never empty.

    A plain slotted class: it is made once per indexed line, and `dataclasses` alone
    would cost a cold recall 15 ms of import.

    Attributes:
        role: one of `ROLES`.
        text: valid Unicode without lone surrogates, stripped.
        ts_ms: Unix milliseconds, 0 when unknown.
        entry_id: the id that the agent gave it; copied by forks, so unique within one file
            only; empty in old files.
    """

    __slots__ = ("entry_id", "role", "text", "ts_ms")

    def __init__(self, role: str, text: str, ts_ms: int, entry_id: str) -> None:
        self.role = role
        self.text = text
        self.ts_ms = ts_ms
        self.entry_id = entry_id

    def __repr__(self) -> str:
        return f"Entry({self.role!r}, {self.text!r}, {self.ts_ms}, {self.entry_id!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entry):
            return NotImplemented
        return (self.role, self.text, self.ts_ms, self.entry_id) == (
            other.role,
            other.text,
            other.ts_ms,
            other.entry_id,
        )

    __hash__ = None  # type: ignore[assignment]  # mutable on purpose, see above


class Session:
    """What a session file says of itself, as far as it was read.

    Attributes:
        is_session: None until the first readable line decided it.
        session_id, cwd, parent, name: empty when not said. `cwd` is the project.
        started_ms: header time, 0 when unknown.
        last_id: id of the last entry read, the leaf of the live branch.
        linear: every entry read so far follows the one before it, the first one `last_id`.
        edited: `id@line` of each entry that a `context_edit` at that line took out of the model's
            context, on the branch that the edit is on.
    """

    __slots__ = (
        "cwd",
        "edited",
        "is_session",
        "last_id",
        "linear",
        "name",
        "parent",
        "session_id",
        "started_ms",
    )

    def __init__(self) -> None:
        self.is_session: bool | None = None
        self.session_id = ""
        self.cwd = ""
        self.parent = ""
        self.name = ""
        self.started_ms = 0
        self.last_id = ""
        self.linear = True
        self.edited: set[str] = set()


class Line:
    """One physical line (ended by LF) of a file.

    Attributes:
        number: 1-based.
        offset: byte offset of its first byte.
        raw: its bytes without the LF; of a line longer than a block, images are left out; of
            one that is still too long, only the head.
        size: bytes of the whole line in the file, without the LF.
        probe: hash of the whole line, see `probe.line_probe`.
        cut: `raw` is only the head of the line.
    """

    __slots__ = ("_probe", "cut", "number", "offset", "raw", "size")

    def __init__(
        self, number: int, offset: int, raw: bytes, size: int, *, probe: bytes | None, cut: bool
    ) -> None:
        self.number = number
        self.offset = offset
        self.raw = raw
        self.size = size
        self._probe = probe
        self.cut = cut

    def forget_bytes(self) -> None:
        """Let go of the bytes once the line was read; its hash stays known."""
        self._probe = self.probe
        self.raw = b""

    @property
    def probe(self) -> bytes:
        if self._probe is None:
            from indexer.probe import line_probe

            self._probe = line_probe(self.raw)
        return self._probe
