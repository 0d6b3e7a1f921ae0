"""The files of the extension, as they lie in this package."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FILES = ("clawa.ts", "tools.json", "package.json")


def read(name: str) -> bytes:
    """Return the content of one of `FILES`."""
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        return file.read()


def tools() -> list[dict[str, object]]:
    """Return the tools as they are declared to the model: names, texts, schemas."""
    found = json.loads(read("tools.json"))
    assert isinstance(found, list)
    return found


def stamp() -> str:
    """Return the mark of this package's extension; the running copy tells its own in `hello`."""
    return stamp_of(read(name) for name in FILES[:2])


def stamp_of(contents: Iterable[bytes]) -> str:
    """Return the mark of an extension made of these contents: `clawa.ts`, then `tools.json`."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
        digest.update(b"\0")
    return digest.hexdigest()[:16]
