"""What the extension says with every request about the session it stands in."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clawa_search.errors import InvalidInputError
from clawa_search.places import Places
from indexer.discover import is_text

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Where:
    """A place in Pi's world. Nothing is remembered between requests: each one says all of it.

    Attributes:
        cwd: the project's folder, absolute.
        session_file: the session; empty for an ephemeral one. Pi names it before it exists.
        session_dir: the folder of this Clawa's sessions; empty for an ephemeral session.
        leaf_id: the newest entry on the branch; None when the conversation is empty.
    """

    cwd: str
    session_file: str = ""
    session_dir: str = ""
    leaf_id: str | None = None

    @classmethod
    def of(cls, params: Mapping[str, object]) -> Where:
        """Read `cwd`, `sessionFile`, `sessionDir`, `leafId`.

        Raises:
            InvalidInputError: a value has the wrong type, or `cwd` is not absolute. What else is
                not absolute is meant from there: Pi names a session as it was named.
        """
        cwd = _text(params, "cwd")
        if not os.path.isabs(cwd):
            raise InvalidInputError("cwd: must be an absolute path")
        file, folder = (
            os.path.join(cwd, named) if named else ""
            for named in (_text(params, "sessionFile"), _text(params, "sessionDir"))
        )
        return cls(cwd, file, folder, _text(params, "leafId") or None)

    def places(self) -> Places:
        """Return where this Clawa's files are: the folder that Pi uses beats every setting.

        But a folder around the project or the user's home is only where a file lay that was
        opened by its name (`pi --session ~/x.jsonl`), and not to be searched through.
        """
        env = dict(os.environ)
        env["PI_SESSION_FILE"] = self.session_file
        usual = Places(cwd=self.cwd, env=env)
        below = (usual.home, usual.cwd, usual.user_home)
        folder = os.path.join(os.path.normpath(self.session_dir), "")
        if not self.session_dir or any(f"{one}/".startswith(folder) for one in below):
            return usual
        env["PI_CODING_AGENT_SESSION_DIR"] = self.session_dir
        return Places(cwd=self.cwd, env=env)


def _text(params: Mapping[str, object], name: str) -> str:
    value = params.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or "\0" in value or not is_text(value):
        raise InvalidInputError(f"{name}: must be text")
    return value
