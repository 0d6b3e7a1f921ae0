"""Which files may be session files, and how recent they are. Opens nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 12


class Found:
    """A regular file that may be a session.

    Attributes:
        path: absolute, as reached (symlinks are not resolved in it).
        stat: its status; what it points to, for a symlink.
    """

    __slots__ = ("path", "stat")

    def __init__(self, path: str, stat: os.stat_result) -> None:
        self.path = path
        self.stat = stat


class Listing:
    """What a walk over session roots saw.

    Attributes:
        files: each file once, however many links lead to it.
        notes: `(path, why)` of what could not be looked at.
        roots: the roots that exist.
    """

    __slots__ = ("_folders", "_inodes", "files", "notes", "roots")

    def __init__(self) -> None:
        self.files: list[Found] = []
        self.notes: list[tuple[str, str]] = []
        self.roots: list[str] = []
        self._folders: set[tuple[int, int]] = set()
        self._inodes: set[tuple[int, int]] = set()

    def walk(self, root: str, *, flat: bool = False) -> None:
        """Add every `*.jsonl` below *root*: flat stays in the folder itself.

        Folders reached twice (symlinks, loops) are read once; FIFOs, sockets and devices
        are never opened; what cannot be read becomes a note.
        """
        try:
            stat = os.stat(root)  # pathlib costs a cold process 9 ms
        except OSError:
            return
        self.roots.append(root)
        if not stat.st_mode & 0o040000:
            self.add(root)
            return
        self._walk(root, 0 if flat else MAX_DEPTH)

    def _walk(self, folder: str, depth: int) -> None:
        try:
            here = os.stat(folder)
            if (here.st_dev, here.st_ino) in self._folders:
                return
            self._folders.add((here.st_dev, here.st_ino))
            with os.scandir(folder) as entries:
                below = self._files(entries)
        except OSError as error:
            self.notes.append((folder, error.strerror or str(error)))
            return
        if depth:
            for path in below:
                self._walk(path, depth - 1)

    def _files(self, entries: Iterable[os.DirEntry[str]]) -> list[str]:
        below = []
        inodes = self._inodes
        for entry in entries:
            name = entry.name
            try:
                if name.endswith(".jsonl"):
                    stat = entry.stat()
                    if stat.st_mode & 0o170000 == 0o100000:
                        key = (stat.st_dev, stat.st_ino)
                        if key not in inodes:
                            inodes.add(key)
                            self.files.append(Found(entry.path, stat))
                        continue
                    if stat.st_mode & 0o170000 == 0o040000:
                        self.notes.append((entry.path, "is a folder, not a session file"))
                        below.append(entry.path)
                elif name != "node_modules" and name != ".git" and entry.is_dir():
                    below.append(entry.path)
            except OSError as error:
                self.notes.append((entry.path, error.strerror or str(error)))
        return below

    def add(self, path: str) -> None:
        """Add one file by name; what is no regular file becomes a note."""
        try:
            stat = os.stat(path)
        except OSError as error:
            self.notes.append((path, error.strerror or str(error)))
            return
        if stat.st_mode & 0o170000 != 0o100000:
            self.notes.append((path, "is not a regular file"))
            return
        key = (stat.st_dev, stat.st_ino)
        if key not in self._inodes:
            self._inodes.add(key)
            self.files.append(Found(path, stat))


def newest(files: Iterable[Found], limit: int) -> list[Found]:
    """Return the *limit* most recently written files, the newest first."""
    return sorted(files, key=lambda found: (-found.stat.st_mtime_ns, found.path))[:limit]
