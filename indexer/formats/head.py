"""What the first bytes of a line prove of a message of Pi, without a parse.

Most of a history are tool results and calls; looking at a few keys of theirs is 20 times as fast
as parsing them. No regular expressions: the module `re` costs a cold process more than a recall's
own code. A JSON string holds no bare quote, so keys in their places prove type and role; anything
written otherwise gets a full parse. Not covered, because no JSON writer does it: a key given
twice, and a "text" whose letters are escaped.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.entry import Line

from indexer.formats.parse import MAX_ID_CHARS, id_of

LAST_IDS_BYTES = 700
SECOND_ENTRY = b'"timestamp":"'
"""Entries have one time of this kind, messages a number: a second one tells of a torn line that
the next one was glued to (or of such a time inside a tool result). Only a full parse decides."""

# The keys of a message in the order in which Pi writes them, each from the quote that ends the
# value before it to the one that begins its own.
_ID = b'{"type":"message","id":"'
_PARENT = b'","parentId":"'
_TIME = b'","timestamp":"'
_NO_PARENT = b'","parentId":null,"timestamp":"'
_NO_IDS = b'{"type":"message","timestamp":"'
_ROLE = b'","message":{"role":"'
_TOOL = (b'toolResult"', b'bashExecution"')
_ASSISTANT = b'assistant","content":['
# Behind the last id of migrated files, without the value.
_LAST_WITH_PARENT = b'","parentId":""}'.split(b'"')
_LAST_WITHOUT_PARENT = b'","parentId":null}'.split(b'"')


class Head:
    """A line that begins like a message of a tool, or of the assistant.

    Attributes:
        entry_id, parent: raw; None when they do not stand here, or are null.
        tool: it is the output of a tool or of the user's shell.
        end: bytes of the line that were looked at.
    """

    __slots__ = ("end", "entry_id", "parent", "tool")

    def __init__(
        self,
        entry_id: bytes | None,
        parent: bytes | None,
        end: int,
        tool: bool,
    ) -> None:
        self.entry_id = entry_id
        self.parent = parent
        self.end = end
        self.tool = tool


def head_of(raw: bytes) -> Head | None:
    """Return the head of the line *raw*; None when only a full parse tells what it is."""
    entry_id = parent = None
    if raw.startswith(_ID):
        id_end = raw.find(b'"', len(_ID))
        entry_id = raw[len(_ID) : id_end]
        if raw.startswith(_PARENT, id_end):
            begin = id_end + len(_PARENT)
            parent_end = raw.find(b'"', begin)
            if not raw.startswith(_TIME, parent_end):
                return None
            parent = raw[begin:parent_end]
            time = parent_end + len(_TIME)
        elif raw.startswith(_NO_PARENT, id_end):
            time = id_end + len(_NO_PARENT)
        else:
            return None
    elif raw.startswith(_NO_IDS):
        time = len(_NO_IDS)
    else:
        return None
    time_end = raw.find(b'"', time)
    end = time_end + len(_ROLE)
    tool = raw.startswith(_TOOL, end)
    if not (raw.startswith(_ROLE, time_end) and (tool or raw.startswith(_ASSISTANT, end))):
        return None
    # Behind a backslash a quote ends nothing.
    return Head(entry_id, parent, end, tool) if raw.find(b"\\", 0, time_end) < 0 else None


def holds_no_text(line: Line, head: Head) -> bool:
    """Prove by the raw bytes of the line of *head* that it holds no entry."""
    if line.cut:
        return head.tool
    return (head.tool or line.raw.find(b'"text"', head.end) < 0) and is_one(line, head)


def is_one(line: Line, head: Head) -> bool:
    """Tell whether the line of *head*, which was read whole, ends well and is one entry.

    A torn line must not be passed over in silence.
    """
    return line.raw.endswith(b"}") and line.raw.find(SECOND_ENTRY, head.end) < 0


def known_ids(line: Line, head: Head) -> tuple[str, str] | None:
    """Return the ids of entry and parent of the line of *head*.

    Empty when it has none, None when only a full parse can tell.
    """
    if head.entry_id is not None:
        return _id(head.entry_id), _id(head.parent)
    return _last_ids(line.raw) or (("", "") if line.cut or line.raw.endswith(b"}}") else None)


def _last_ids(raw: bytes) -> tuple[str, str] | None:
    """Return the ids where migrated files have them: behind the message."""
    tail = raw[-LAST_IDS_BYTES:]
    before, _, after = tail.rpartition(b',"id":"')
    parts = after.split(b'"')
    if not before or b"\\" in after:
        return None
    entry_id, parent = parts[0], b""
    parts[0] = b""
    if len(parts) == len(_LAST_WITH_PARENT):
        parent, parts[4] = parts[4], b""
    if parts not in (_LAST_WITH_PARENT, _LAST_WITHOUT_PARENT):
        return None
    return _id(entry_id), _id(parent)


def _id(raw: bytes | None) -> str:
    if not raw:
        return ""
    if raw.isalnum() and len(raw) <= MAX_ID_CHARS:  # nearly always, and three times as fast
        return raw.decode("ascii")
    return id_of(raw.decode("utf-8", "replace"))
