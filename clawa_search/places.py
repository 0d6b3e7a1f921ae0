"""Where things are: home, memories, index, session files. Flags beat environment beats default.

On the path of every recall, so no pathlib, json or platformdirs.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from indexer.discover import Listing

HOME_MARKS = (".git", ".pi/claw.jsonc", ".pi/settings.json")
DATABASE = ".pi/clawa-memory.sqlite"
WORKER_DEPTH = 4
"""Workers' homes are looked for this many folders below the home."""


LOOKED_THROUGH = "home:"
"""No path: paths are absolute."""


class Places:
    """Every path that clawa-search uses, absolute.

    Attributes:
        home: the agent's home; workers below it share its memories.
        database: the memory database.
        index_dir: the cache that holds the index, one per user.
        agent_dir: Pi's own folder.
        explicit: session folders given by flag; they replace every other root.
        current_file: the session that we are called from, or empty.
        cwd: where the caller stands.
    """

    __slots__ = (
        "agent_dir",
        "current_file",
        "cwd",
        "database",
        "env_dir",
        "explicit",
        "home",
        "index_dir",
        "user_home",
    )

    def __init__(
        self,
        home: str | None = None,
        index_dir: str | None = None,
        sessions_dirs: Iterable[str] = (),
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        env = os.environ if env is None else env
        self.user_home = user_folder(env)
        self.cwd = os.path.abspath(cwd) if cwd else working_folder()
        self.home = self.absolute(
            home or env.get("CLAWA_HOME") or env.get("PI_CLAW_PROJECT_ROOT") or find_home(self.cwd)
        )
        self.database = f"{self.home}/{DATABASE}"
        self.index_dir = self.absolute(
            index_dir or env.get("CLAWA_INDEX_DIR") or cache_folder(self.user_home, env)
        )
        self.agent_dir = self.absolute(
            env.get("PI_CODING_AGENT_DIR") or f"{self.user_home}/.pi/agent"
        )
        if isinstance(sessions_dirs, str):
            sessions_dirs = [sessions_dirs]
        self.explicit = [self.absolute(path) for path in sessions_dirs]
        self.env_dir = env.get("PI_CODING_AGENT_SESSION_DIR") or ""
        self.current_file = env.get("PI_SESSION_FILE") or ""

    @property
    def _pi_sessions(self) -> str:
        return f"{self.agent_dir}/sessions"

    @property
    def looked_through(self) -> str:
        """What stands among the roots once the home was looked through for workers' homes."""
        return LOOKED_THROUGH + self.home

    def absolute(self, path: str | os.PathLike[str], base: str | None = None) -> str:
        """Return *path* as an absolute one, from *base* or the cwd; `~` is the user's home.

        As Pi does, it takes a `file://` URL for the path that it names.
        """
        path = os.fspath(path)
        if path.startswith("file://"):
            from urllib.parse import unquote

            _, slash, rest = path[7:].partition("/")
            path = slash + unquote(rest) if slash else path  # of no path: a name like any other
        if path == "~" or path.startswith("~/"):
            path = self.user_home + path[1:]
        path = path.replace("\0", "\ufffd")
        try:
            os.fsencode(path)
        except UnicodeEncodeError:  # no file can have such a name, and no call takes it
            path = path.encode("utf-8", "replace").decode()
        return os.path.normpath(os.path.join(base or self.cwd, path))

    def current_sessions(self, known: Mapping[str, str] | None = None) -> Listing:
        """List the session files of the current Clawa, the active one included.

        Pi's precedence: explicit folder, environment, project setting, global setting,
        default folder of the home (and of the cwd). Files lie flat in a folder that is
        named, or one level below when it is Pi's own tree.
        """
        from indexer.discover import Listing

        listing = Listing(known)
        if self.explicit:
            for folder in self.explicit:
                listing.walk(folder, named=True)
        else:
            named = [self.absolute(self.env_dir)] if self.env_dir else self._named_dirs()[:1]
            for folder in named or self._default_dirs():
                listing.walk(folder, flat=True)
            # Of Pi's own folders each is of one project.
            listing.shared = any(os.path.dirname(one) != self._pi_sessions for one in named)
        if self.current_file and os.path.exists(self.current_file) and not self.explicit:
            listing.walk(os.path.dirname(self.absolute(self.current_file)), flat=True)
        return listing

    def _named_dirs(self) -> list[str]:
        """Return the folders that settings name: the project's own first."""
        bases = dict.fromkeys((self.home, self.cwd))
        settings = [(f"{base}/.pi/settings.json", base) for base in bases]
        settings.append((f"{self.agent_dir}/settings.json", self.home))
        named = [(session_setting(path), base) for path, base in settings]
        return [self.absolute(folder, base) for folder, base in named if folder]

    def _default_dirs(self) -> list[str]:
        spots = (self.home, os.path.realpath(self.home), self.cwd, os.path.realpath(self.cwd))
        return [f"{self._pi_sessions}/{folder_name(spot)}" for spot in dict.fromkeys(spots)]

    def all_sessions(
        self,
        known_roots: Iterable[str] = (),
        *,
        thorough: bool = True,
        known: Mapping[str, str] | None = None,
        indexed: Collection[str] = (),
    ) -> Listing:
        """List the files below every session root: Pi's, those named, those indexed before.

        Args:
            known_roots: roots of earlier runs.
            thorough: also look for workers' homes below the home, which takes a while; what
                is found there becomes a known root once it is indexed. Done in any case while
                no known root says that it was done before.
            known: status of indexed files by path, see `Listing`.
            indexed: files of an index, of which some may lie below no root.
        """
        from indexer.discover import Listing

        if self.explicit:
            return self.current_sessions(known)
        listing = Listing(known)
        roots = [self._pi_sessions, *known_roots]
        thorough = thorough or self.looked_through not in roots
        if self.env_dir:
            roots.append(self.absolute(self.env_dir))
        roots += self._named_dirs()
        if thorough:
            roots += worker_folders(self.home)
            listing.roots.append(self.looked_through)
        for root in dict.fromkeys(roots):
            if not root.startswith(LOOKED_THROUGH):
                listing.walk(root)
        # Pi 0.30 wrote sessions straight into its own folder.
        listing.walk(self.agent_dir, flat=True)
        if self.current_file and os.path.exists(self.current_file):
            listing.walk(os.path.dirname(self.absolute(self.current_file)), flat=True)
        listing.keep_others(indexed)
        return listing

    def listing_of(self, paths: Iterable[str]) -> Listing:
        """List the files that *paths* name: files, or folders with all that is below them."""
        from indexer.discover import Listing

        listing = Listing()
        for path in paths:
            absolute = self.absolute(path)
            if os.path.isdir(absolute):
                listing.walk(absolute)
            else:
                listing.add(absolute)
        return listing


def working_folder() -> str:
    """Return the cwd, also when it was removed under us."""
    try:
        return os.getcwd()
    except OSError:
        known = os.environ.get("PWD") or ""
        return known if known.startswith("/") else "/"


def user_folder(env: Mapping[str, str]) -> str:
    """Return the user's home folder; `/`, where nothing can be written, when there is none."""
    found = env.get("HOME") or os.path.expanduser("~")
    return found if found.startswith("/") else "/"


def find_home(cwd: str) -> str:
    """Return the nearest folder from *cwd* upward that looks like a home, else *cwd*."""
    folder = cwd
    while True:
        for mark in HOME_MARKS:
            if os.path.exists(f"{folder}/{mark}"):
                return folder
        above = os.path.dirname(folder)
        if above == folder:
            return cwd
        folder = above


def cache_folder(user_home: str, env: Mapping[str, str]) -> str:
    """Return the platform's cache folder for us.

    The same as platformdirs says (a test compares them), whose import would cost a cold
    recall as much as everything else in this module together.
    """
    if sys.platform == "darwin":
        return f"{user_home}/Library/Caches/clawa-search"
    base = env.get("XDG_CACHE_HOME") or ""
    return f"{base if base.startswith('/') else f'{user_home}/.cache'}/clawa-search"


def folder_name(cwd: str) -> str:
    """Return the folder name that Pi gives to the sessions of *cwd* (lossy: see the header)."""
    name = cwd[1:] if cwd[:1] in ("/", "\\") else cwd
    for character in "/\\:":
        name = name.replace(character, "-")
    return f"--{name}--"


def session_setting(path: str) -> str:
    """Return `sessionDir` of a Pi settings file, or an empty string."""
    try:
        # A link to a pipe would be waited for, and one to stdin would swallow the query.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            regular = os.fstat(fd).st_mode & 0o170000 == 0o100000  # `stat` is one import more
            raw = os.read(fd, 1 << 20) if regular else b""
        finally:
            os.close(fd)
    except OSError:
        return ""
    if b'"sessionDir"' not in raw:
        return ""
    from indexer.scan import loads

    try:
        value = loads(raw.decode("utf-8", "replace").removeprefix("\ufeff"))
    except ValueError:
        return ""
    found = value.get("sessionDir") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def worker_folders(home: str) -> list[str]:
    """Return the session folders of the home and of the workers' homes below it."""
    found = []
    level = [home]
    for _ in range(WORKER_DEPTH + 1):
        below = []
        for folder in level:
            own = (f"{folder}/.pi/sessions", f"{folder}/.pi/clawas/sessions")
            found += [path for path in own if os.path.isdir(path)]
            try:
                with os.scandir(folder) as entries:
                    below += [
                        entry.path
                        for entry in entries
                        if entry.is_dir(follow_symlinks=False)
                        and not entry.name.startswith(".")
                        and entry.name not in ("node_modules", "__pycache__", "dist", "target")
                    ]
            except OSError:
                continue
            if len(below) > 2000:  # a home is no file server
                break
        level = below
    return found
