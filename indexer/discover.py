"""Which files may be session files, and how recent they are. Opens nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

from indexer.status import FILE, FOLDER, FORMAT, INODE, told

MAX_DEPTH = 12
PASSED_OVER = frozenset({".git", "node_modules"})
NO_TEXT = "its name is not valid UTF-8: rename it"


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
        roots: the folders that were walked with everything below them, and the files that
            were named: what must be looked at again next time.
        missing: roots that do not exist.
        unreadable: files and folders that the system keeps from us.
        shared: several projects may have sessions in its folders.
        unchanged: status of the files that are as *known* says, by path; each once after
            `drop_links`.
    """

    __slots__ = (
        "_folders",
        "_inodes",
        "files",
        "known",
        "missing",
        "notes",
        "roots",
        "shared",
        "unchanged",
        "unreadable",
    )

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        """Make an empty listing.

        Args:
            known: status of indexed files by path, see `status.told`; files that are still
                like that go to `unchanged`, which costs half of a `Found`.
        """
        self.known = known or {}
        self.unchanged: dict[str, str] = {}
        self.files: list[Found] = []
        self.notes: list[tuple[str, str]] = []
        self.roots: list[str] = []
        self.missing: list[str] = []
        self.unreadable: list[str] = []
        self.shared = False
        self._folders: dict[tuple[int, int], int] = {}
        self._inodes: dict[tuple[int, int], Found] = {}

    @property
    def count(self) -> int:
        return len(self.files) + len(self.unchanged)

    def walk(self, root: str, *, flat: bool = False, named: bool = False) -> None:
        """Add every `*.jsonl` below *root*: flat stays in the folder itself.

        Folders reached twice (symlinks, loops) are read once; FIFOs, sockets and devices
        are never opened; what cannot be read becomes a note. A root that does not exist is
        passed over, unless it was *named* by the user.
        """
        try:
            mode = os.stat(root).st_mode  # pathlib costs a cold process 9 ms
        except (FileNotFoundError, NotADirectoryError) as error:
            self.missing.append(root)
            if named:
                self._note(root, error)
            return
        except OSError as error:
            self._note(root, error)
            return
        if mode & FORMAT != FOLDER:
            self.add(root)
            return
        if not is_text(root):
            self._note(root, NO_TEXT)
            return
        if not flat:
            self.roots.append(root)
        self._walk(root, 0 if flat else MAX_DEPTH)

    def _walk(self, folder: str, depth: int) -> None:
        fd = -1
        try:
            # By its descriptor: the system need not follow the path to the folder at each file.
            fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            here = os.fstat(fd)
            key = (here.st_dev, here.st_ino)
            if self._folders.get(key, -1) >= depth:
                return
            self._folders[key] = depth
            with os.scandir(fd) as entries:
                below = self._files(folder, entries)
        except OSError as error:
            self._note(folder, error)
            return
        finally:
            if fd >= 0:
                os.close(fd)
        if depth:
            for path in below:
                self._walk(path, depth - 1)

    def _files(self, folder: str, entries: Iterable[os.DirEntry[str]]) -> list[str]:
        """Add the session files among the *entries* of *folder*; return the folders."""
        below = []
        above = folder.rstrip("/")
        known, same = self.known.get, self.unchanged
        for entry in entries:
            name = entry.name
            try:
                if name.endswith(".jsonl"):
                    stat, path = entry.stat(), f"{above}/{name}"
                    before = known(path)
                    if before is not None and before == told(stat):
                        same[path] = before
                    elif stat.st_mode & FORMAT == FILE:
                        self._add(path, stat)
                    elif stat.st_mode & FORMAT == FOLDER:
                        self._note(path, "is a folder, not a session file")
                        below.append(path)
                elif name not in PASSED_OVER and entry.is_dir():
                    below.append(f"{above}/{name}")
            except FileNotFoundError:
                if entry.is_symlink():  # anything else vanished just now
                    self._note(f"{above}/{name}", "is a link to nothing")
            except OSError as error:
                self._note(f"{above}/{name}", error)
        return below

    def add(self, path: str) -> None:
        """Add one file by name; what is no regular file becomes a note."""
        try:
            stat = os.stat(path)
        except OSError as error:
            self._note(path, error)
            return
        if stat.st_mode & FORMAT != FILE:
            self._note(path, "is not a regular file")
        else:
            self.roots.append(path)
            self._add(path, stat)

    def away(self, roots: Collection[str], files: Collection[str] = ()) -> set[str]:
        """Return the known *roots* that are missing; those that are *files* may be deleted."""
        away = {root for root in self.missing if root in roots and root not in files}
        return {root for root in away if not root.endswith(".jsonl")}

    def keep(self, path: str) -> None:
        """Add a file that is known from before, if it is still there."""
        try:
            stat = os.stat(path)
        except OSError:
            return
        if stat.st_mode & FORMAT == FILE:
            self._add(path, stat)

    def keep_others(self, indexed: Collection[str]) -> None:
        """Add those of the files *indexed* that are still there, though nothing led to them."""
        met = len(self.unchanged) + sum(found.path in indexed for found in self.files)
        if met < len(indexed):
            seen = {found.path for found in self.files}.union(self.unchanged)
            for path in indexed:
                if path not in seen:
                    self.keep(path)

    def take(self, files: Iterable[Found]) -> None:
        """Let *files*, each of which was listed before, be all that this listing holds."""
        self.files = list(files)
        self._inodes = {(one.stat.st_dev, one.stat.st_ino): one for one in self.files}

    def _add(self, path: str, stat: os.stat_result) -> None:
        key = (stat.st_dev, stat.st_ino)
        if not is_text(path):
            self._note(path, NO_TEXT)
        elif key not in self._inodes:
            self._inodes[key] = found = Found(path, stat)
            self.files.append(found)
        elif path in self.known:  # of several names the one that is indexed already
            found = self._inodes[key]
            found.path, found.stat = path, stat

    def drop_links(self, known: Mapping[str, str] | None = None) -> None:
        """Drop files that are known ones under another name, whichever was met first.

        Args:
            known: what is indexed by now, if that is not what the listing was made with.
        """
        same = set(self.unchanged.values())
        if len(same) < len(self.unchanged):  # indexed under both
            first: dict[str, str] = {}
            for path, status in self.unchanged.items():
                first.setdefault(status, path)
            self.unchanged = {path: status for status, path in first.items()}
        if self.files and same:
            self.take(found for found in self.files if told(found.stat) not in same)
        self._take_known_names(self.known if known is None else known)

    def _take_known_names(self, known: Mapping[str, str]) -> None:
        """Let a file that is met under a new name be the one that is indexed already.

        By its inode: it may have grown since. After a rename the old name leads nowhere.
        """
        if not known or all(found.path in known for found in self.files):
            return
        names: dict[str, list[str]] = {}
        for path, status in known.items():
            names.setdefault(status.split()[INODE], []).append(path)
        met = {found.path for found in self.files}.union(self.unchanged)
        kept = []
        for found in self.files:
            path = found.path
            if path not in known:
                same = names.get(str(found.stat.st_ino), ())
                path = next((one for one in same if _is_same(one, found.stat)), path)
            if path == found.path or path not in met:
                met.add(path)
                kept.append(Found(path, found.stat))
        self.take(kept)

    def _note(self, path: str, why: str | OSError) -> None:
        if isinstance(why, OSError):
            self.unreadable.append(path)
            why = why.strerror or str(why)
        self.notes.append((path.encode("utf-8", "replace").decode(), why))


def _is_same(path: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(path), status)
    except OSError:
        return False


def is_text(path: str) -> bool:
    """Is *path* valid Unicode? Others can stand in no catalog and in no answer."""
    if path.isascii():
        return True
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def newest(files: Iterable[Found], limit: int) -> list[Found]:
    """Return the *limit* most recently written files, the newest first."""
    return sorted(files, key=lambda found: (-found.stat.st_mtime_ns, found.path))[:limit]
