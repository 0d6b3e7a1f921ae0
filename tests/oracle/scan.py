"""The linear scan that recall replaces, as an oracle: every line, lower-case substrings.

Its entries: user, assistant, custom messages, compactions and branch summaries; text blocks alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def content_text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    blocks = content if isinstance(content, list) else []
    texts = [b["text"].strip() for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(filter(None, texts))


def said_by(entry: dict[str, Any]) -> str:
    kind = entry.get("type")
    if kind == "message":
        message = entry.get("message") or {}
        if message.get("role") in ("user", "assistant"):
            return content_text(message.get("content"))
    elif kind == "custom_message":
        label = f"[{entry['customType']}] " if "customType" in entry else ""
        return label + content_text(entry.get("content"))
    elif kind in ("compaction", "branch_summary"):
        return str(entry.get("summary") or "").strip()
    return ""


def scan(paths: Iterable[Path], word: str) -> set[str]:
    """Return `path:line` of every entry whose text holds *word*, in any case."""
    found = set()
    for path in paths:
        for number, raw in enumerate(path.read_bytes().split(b"\n"), 1):
            if raw.strip() and word.lower() in said_by(json.loads(raw)).lower():
                found.add(f"{path}:{number}")
    return found
