"""The question sets: messages, questions and memories as JSON lines, one folder a set.

The data stay where they are (`--data DIR`); their licences forbid shipping them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORK = "-fork"  # between the name of a session and the number of its copy
# BEAM questions without one evident message (abstention, ordering, summaries) are left out.
_BEAM = {
    "contradiction_resolution",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "temporal_reasoning",
    "preference_following",
}


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said.

    Attributes:
        key: names the message in the set's evidence lists.
        role: user or assistant, as a Pi session stores it.
        text: what is indexed; a caption of a shared picture is appended.
        order: number of the session in its conversation where the set has one, else -1.
    """

    key: str
    session: str
    speaker: str
    role: str
    text: str
    ts_ms: int
    order: int = -1


@dataclass(frozen=True, slots=True)
class Query:
    """One question with its evidence.

    Attributes:
        evidence: keys of messages; empty where the set names sessions only.
        sessions: names of the sessions that hold the evidence.
        before: only sessions with a lower `Message.order` may be searched; -1 for all.
    """

    key: str
    category: str
    text: str
    evidence: tuple[str, ...]
    sessions: tuple[str, ...]
    before: int = -1


@dataclass(frozen=True, slots=True)
class Note:
    """A memory made from some messages (*source* holds their keys)."""

    session: str
    text: str
    source: tuple[str, ...]
    ts_ms: int


@dataclass(slots=True)
class Conversation:
    """One haystack and the questions asked of it."""

    name: str
    messages: list[Message] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def sessions(self) -> list[str]:
        """Return the names of the sessions in the order of the data."""
        return list(dict.fromkeys(message.session for message in self.messages))


def available(data: Path) -> list[str]:
    """Return the names of the sets under *data*.

    Raises:
        FileNotFoundError: there is none.
    """
    names = sorted(path.parent.name for path in data.glob("*/queries.jsonl"))
    if not names:
        raise FileNotFoundError(f"{data}: no NAME/queries.jsonl here; give --data DIR")
    return names


def load(data: Path, name: str) -> list[Conversation]:
    """Return the conversations of set *name*; questions without usable evidence are left out."""
    found: dict[str, Conversation] = {}
    first: dict[str, str] = {}
    for row in _rows(data / name / "messages.jsonl"):
        conv = found.setdefault(row["conv"], Conversation(row["conv"]))
        conv.messages.append(_message(row, first.setdefault(row["conv"], row["speaker"])))
    known = {message.key: message.session for conv in found.values() for message in conv.messages}
    for row in _rows(data / name / "queries.jsonl"):
        if name.startswith("beam") and row["category"] not in _BEAM:
            continue
        query = _query(row, known)
        if query.sessions:
            found[row["conv"]].queries.append(query)
    if (data / name / "memories.jsonl").exists():
        for row in _rows(data / name / "memories.jsonl"):
            if row.get("source"):
                note = Note(row["session"], row["text"], tuple(row["source"]), _ms(row.get("ts")))
                found[row["conv"]].notes.append(note)
    return list(found.values())


def pooled(conversations: list[Conversation]) -> list[Conversation]:
    """Return one conversation that holds all of them."""
    whole = Conversation("pooled")
    for conv in conversations:
        whole.messages += conv.messages
        whole.queries += conv.queries
        whole.notes += conv.notes
    return [whole]


def forked(conversations: list[Conversation], chosen: set[str]) -> list[Conversation]:
    """Return the conversations with every session in *chosen* copied twice under a new name.

    The copies keep the messages' keys: a copy of the evidence is as good as the evidence.
    """
    out = []
    for conv in conversations:
        copy = Conversation(conv.name, list(conv.messages), conv.queries, conv.notes)
        for number in (1, 2):
            copy.messages += [
                replace(message, session=f"{message.session}{FORK}{number}")
                for message in conv.messages
                if message.session in chosen
            ]
        out.append(copy)
    return out


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _message(row: dict[str, Any], first_speaker: str) -> Message:
    speaker, text = row["speaker"], row["text"]
    if row.get("caption"):
        text = f"{text} {row['caption']}"
    role = speaker
    if speaker not in ("user", "assistant"):
        # People with names: the name is part of what is said, the first one to speak is the user.
        role = "user" if speaker == first_speaker else "assistant"
        text = f"{speaker}: {text}"
    return Message(
        row["id"], row["session"], speaker, role, text, _ms(row.get("ts")), row.get("sn", -1)
    )


def _query(row: dict[str, Any], known: dict[str, str]) -> Query:
    evidence = tuple(key for key in row.get("evidence", ()) if key in known)
    sessions = row.get("evidence_sessions") or dict.fromkeys(known[key] for key in evidence)
    return Query(
        row["qid"],
        str(row["category"]),
        row["question"],
        evidence,
        tuple(sessions),
        row.get("sn", -1),
    )


def _ms(stamp: str | None) -> int:
    """Return Unix milliseconds of an ISO time without zone, taken as UTC; 0 for none."""
    if not stamp:
        return 0
    return int(datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp() * 1000)
