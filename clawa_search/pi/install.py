"""Put the extension where Pi finds it, and take it away again.

Pi loads every folder of `<agent dir>/extensions/`. Ours holds copies of the packaged files and
`command.json`, the absolute command of the interpreter that installed it: Pi's PATH may lead to
another Python, or to none.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import dataclass
from typing import Literal

from clawa_search.continuity.files import NotReadableError, read_regular
from clawa_search.errors import InvalidInputError
from clawa_search.pi import assets
from indexer import files

FOLDER = "extensions/clawa-search"
COMMAND = "command.json"
MAX_BYTES = 1 << 20
"""Of one of our files; none comes near it."""

_OURS = (*assets.FILES, COMMAND)
_MARK = "package.json"
_NAME = "clawa-search-pi"

State = Literal["absent", "current", "outdated", "broken", "foreign"]


@dataclass(frozen=True, slots=True)
class Status:
    """What lies where the extension belongs.

    Attributes:
        state: `absent`: nothing of ours is there. `current`: as this package has it, with the
            command of this interpreter. `outdated`: copied by another version. `broken`: files are
            missing, or the command leads nowhere. `foreign`: not made by us.
        folder: the extension's folder, absolute, whether it exists or not.
        detail: what is wrong and what to do; empty when nothing is.
    """

    state: State
    folder: str
    detail: str = ""


def command() -> list[str]:
    """Return the command that starts the bridge with this interpreter.

    `-P`: Pi starts it in the user's project, and a `json.py` there must not become ours.
    """
    return [sys.executable, "-P", "-m", "clawa_search", "bridge"]


def status(agent_dir: str) -> Status:
    """Tell whether the installed copy matches this package."""
    folder = os.path.join(agent_dir, FOLDER)
    absent = Status("absent", folder, "run `clawa-search setup pi`")
    if not os.path.lexists(folder):
        return absent
    if not _is_ours(folder):
        return Status("foreign", folder, f"{folder}: was not made by clawa-search; move it away")
    if not any(os.path.lexists(os.path.join(folder, name)) for name in _OURS):
        return absent
    again = "run `clawa-search setup pi` again"
    found = {name: _read(os.path.join(folder, name)) for name in _OURS}
    missing = [name for name, content in found.items() if content is None]
    if missing:
        return Status("broken", folder, f"{', '.join(missing)}: missing; {again}")
    written = _words(found[COMMAND] or b"")
    program = written[0] if written else ""
    if not os.access(program, os.X_OK):
        return Status("broken", folder, f"{program or COMMAND}: is no program any more; {again}")
    if any(found[name] != assets.read(name) for name in assets.FILES) or not _is_this(written):
        return Status("outdated", folder, f"was installed by another clawa-search; {again}")
    return Status("current", folder)


def install(agent_dir: str) -> Status:
    """Copy the extension, or bring the copy up to date; doing it twice changes nothing.

    Raises:
        InvalidInputError: something that is not ours is in the way; nothing was changed.
        OSError: the folder cannot be written.
    """
    before = _checked(agent_dir)
    if before.state != "current":
        os.makedirs(before.folder, mode=0o700, exist_ok=True)
        contents = {name: assets.read(name) for name in assets.FILES}
        contents[COMMAND] = json.dumps(command()).encode() + b"\n"
        for name in sorted(contents, key=lambda one: one != _MARK):  # the mark first
            files.replace(os.path.join(before.folder, name), contents[name])
    return status(agent_dir)


def remove(agent_dir: str) -> Status:
    """Take our files away; what others put into the folder stays.

    Raises:
        InvalidInputError: the folder is not ours; nothing was changed.
        OSError: a file cannot be removed.
    """
    before = _checked(agent_dir)
    if before.state == "absent":
        return before
    for name in sorted(_OURS, key=lambda one: one == _MARK):  # the mark last
        path = os.path.join(before.folder, name)
        if os.path.lexists(path):
            os.unlink(path)
    if not os.listdir(before.folder):
        os.rmdir(before.folder)
    return status(agent_dir)


def _checked(agent_dir: str) -> Status:
    found = status(agent_dir)
    if found.state == "foreign":
        raise InvalidInputError(
            f"{found.folder}: was not made by clawa-search and stays as it is",
            hint="move it away, then run `clawa-search setup pi` again",
        )
    return found


def _is_ours(folder: str) -> bool:
    """A real folder that bears our mark, or nothing of ours and nothing that Pi would load."""
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        return False
    marked = _read(os.path.join(folder, _MARK))
    if marked is None:
        return not any(
            name in _OURS or name.endswith((".ts", ".js")) for name in os.listdir(folder)
        )
    try:
        about = json.loads(marked)
    except (ValueError, RecursionError):
        return False
    return isinstance(about, dict) and about.get("name") == _NAME


def _is_this(written: list[str]) -> bool:
    """Is it our command, whichever name of the interpreter it was installed with (python3)?

    The folder counts as well: the interpreters of several environments are one program.
    """
    program, *words = command()
    if written[1:] != words or os.path.dirname(written[0]) != os.path.dirname(program):
        return False
    return os.path.samefile(written[0], program)


def _words(written: bytes) -> list[str]:
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return []
    return [str(word) for word in found] if isinstance(found, list) else []


def _read(path: str) -> bytes | None:
    try:
        found = read_regular(path, MAX_BYTES)
    except NotReadableError:
        return None
    return found[0] if found else None
