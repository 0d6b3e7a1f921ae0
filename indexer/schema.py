"""The fields of the index and its version. The only place that names them.

`messages` holds one document an entry, `priors` one document a session file: BM25 over whole
sessions needs lengths and frequencies of its own.
"""

from __future__ import annotations

from _blake2 import blake2b

import tantivy

from indexer import analysis
from indexer.entry import ROLE_NUMBER, Entry, Line
from indexer.probe import PROBE_BYTES

SEQ_BITS = 24
"""`mid` = file id << SEQ_BITS | seq: the neighbours of an entry are mid - 1 and mid + 1."""
PRIOR_TIMES = 16
MAX_SEQ = (1 << SEQ_BITS) - 2


def messages() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=analysis.TOKENIZER)
    builder.add_text_field("code", tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("stored", stored=True)
    builder.add_integer_field("file", indexed=True)
    builder.add_integer_field("mid", indexed=True, fast=True)
    builder.add_integer_field("role", indexed=True, fast=True)
    builder.add_integer_field("ts", fast=True)
    builder.add_integer_field("twin", indexed=True, fast=True)
    return builder.build()


def priors() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=analysis.TOKENIZER, index_option="freq")
    builder.add_integer_field("file", indexed=True, fast=True)
    return builder.build()


def twin(role: str, text: str) -> int:
    """Hash what an entry says: equal for copies that forks, clones and compactions make.

    56 bits: among a million entries two different texts meet once in 100,000 histories. Reminders
    are equal that differ in numbers alone.
    """
    if is_reminder(role, text):
        text = text.translate(NO_DIGITS)
    return int.from_bytes(blake2b(f"{role}\0{text}".encode(), digest_size=7).digest(), "big")


def is_reminder(role: str, text: str) -> bool:
    """Did a program write this for the model, at every turn perhaps, so that nobody said it?"""
    return role == "custom" and REMINDER in text[:REMINDER_CHARS]


NO_DIGITS = str.maketrans("", "", "0123456789")
REMINDER, REMINDER_CHARS = "<system-reminder>", 200
QUOTE = 8
"""Added to the number of the role of an entry that repeats an answer of recall, or a reminder."""
STANDING = 16
"""Added to that of an entry in which a human says what is to be so from then on."""
MARKS = QUOTE | STANDING


def role_number(entry: Entry) -> int:
    """Return the role's number with its mark."""
    number = ROLE_NUMBER[entry.role]
    text = entry.text
    if entry.role == "user":
        from indexer.standing import is_standing

        return number | STANDING if is_standing(text) else number
    if "[mem #" in text or (".jsonl:" in text and " · " in text):
        return number | QUOTE
    if is_reminder(entry.role, text):
        return number | QUOTE
    return number


class Stored:
    """What the index keeps of an entry for those that win.

    `line` is 1-based, `offset` and `size` are bytes, `probe` is `probe.line_probe` of the line.
    """

    __slots__ = ("entry_id", "line", "offset", "probe", "size", "text")

    def __init__(self, packed: bytes) -> None:
        """Read what `pack` made.

        Raises:
            ValueError: it made something else.
        """
        line, offset, size = packed[:3]
        offset += line
        size += offset
        packed = packed[3:]
        self.line = int.from_bytes(packed[:line], "big")
        self.offset = int.from_bytes(packed[line:offset], "big")
        self.size = int.from_bytes(packed[offset:size], "big")
        self.probe = packed[size : size + PROBE_BYTES]
        self.entry_id, self.text = packed[size + PROBE_BYTES :].decode().split("\n", 1)


def pack(line: Line, entry: Entry) -> bytes:
    """Return what `Stored` reads: three numbers after their lengths, probe, id, LF, text."""
    numbers = [
        number.to_bytes((number.bit_length() + 7) >> 3, "big")
        for number in (line.number, line.offset, line.size)
    ]
    said = f"{entry.entry_id}\n{entry.text}".encode()
    return b"".join([bytes(map(len, numbers)), *numbers, line.probe, said])


def fields(file_id: int, seq: int, line: Line, entry: Entry) -> dict[str, object]:
    """Return the fields of the document of *entry* but for `text` and `code`."""
    return {
        "stored": pack(line, entry),
        "file": file_id,
        "mid": file_id << SEQ_BITS | seq,
        "role": role_number(entry),
        "ts": entry.ts_ms,
        "twin": twin(entry.role, entry.text),
    }


def prior(file_id: int, expanded: str) -> dict[str, object]:
    """Return the fields of the document of a whole session in `priors`.

    A word counts PRIOR_TIMES at most: BM25 hardly tells sixteen from eighty, and stemming a
    session's words again and again was a third of what the engine did (8 instead of 16 costs half a point).
    """
    from collections import Counter

    counts = Counter(analysis.pieces(expanded))
    pieces = list(counts)
    again = list(counts.items())
    for times in range(2, PRIOR_TIMES + 1):
        again = [(piece, count) for piece, count in again if count >= times]
        pieces += [piece for piece, _ in again]
    return {"text": " ".join(pieces), "file": file_id}
