"""Where an index lives on disk: generations, the pointer to the current one.

<index dir>/CURRENT      name of the current generation and its version, replaced atomically
<index dir>/lock         held (flock) by the one writer; dies with its process
<index dir>/gen-N/       messages/ and priors/ (Tantivy), catalog.sqlite
"""

from __future__ import annotations

import os

from indexer.errors import IndexBrokenError
from indexer.version import VERSION

CURRENT = "CURRENT"
PRIME = (1 << 61) - 31
"""Not 2**61 - 1: to that, bytes 61 places apart weigh the same, and two changes could cancel."""


class Generation:
    """One complete index on disk.

    Attributes:
        folder: absolute path of the generation.
        version: version of schema and analyser that wrote it.
    """

    __slots__ = ("folder", "version")

    def __init__(self, folder: str, version: str) -> None:
        self.folder = folder
        self.version = version

    @property
    def is_usable(self) -> bool:
        """Was it written with this version of schema and analyser?"""
        return self.version == VERSION

    @property
    def catalog(self) -> str:
        return f"{self.folder}/catalog.sqlite"

    @property
    def messages(self) -> str:
        return f"{self.folder}/messages"

    @property
    def priors(self) -> str:
        return f"{self.folder}/priors"


def current(index_dir: str) -> Generation | None:
    """Return the generation that readers use; None when none is named that could be one.

    Raises:
        IndexBrokenError: the folder cannot be read.
    """
    try:
        with open(f"{index_dir}/{CURRENT}", "rb", 0) as pointer:
            name, _, version = pointer.read(200).decode("utf-8", "replace").strip().partition(" ")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexBrokenError(
            f"{index_dir}: the index cannot be read: {error}",
            hint="check the folder's permissions, or use --index-dir",
        ) from error
    if not name.startswith("gen-") or "/" in name or "\0" in name:
        return None
    return Generation(f"{index_dir}/{name}", version)


def generations(index_dir: str) -> list[Generation]:
    """Return every generation that lies in *index_dir*, the newest first, whole or not."""
    try:
        names = os.listdir(index_dir)
    except OSError:
        return []
    numbers = [int(name[4:]) for name in names if name[:4] == "gen-" and name[4:].isdecimal()]
    return [Generation(f"{index_dir}/gen-{number}", "") for number in sorted(numbers, reverse=True)]


def signature(generation: Generation) -> int:
    """Return a number made of the names, sizes and times of all files of both indexes.

    And of their `meta.json`. Costs a status a file and no tantivy: a run with nothing to do can
    tell that nobody removed, cut or wrote to a file since the last one. 0 when a folder cannot
    be listed.
    """
    told = []
    try:
        for folder in (generation.messages, generation.priors):
            with os.scandir(folder) as entries:
                stats = sorted((entry.name, entry.stat()) for entry in entries)
            told += [
                f"{name}\0{stat.st_size} {stat.st_mtime_ns}\n"
                for name, stat in stats
                if not name.endswith(".lock")  # readers make them
            ]
            with open(f"{folder}/meta.json", "rb") as meta:
                told.append(meta.read().decode("utf-8", "replace"))
    except OSError:
        return 0
    # A remainder: a hash would tell no more here, and loading one takes a run 1 % of its time.
    return int.from_bytes("".join(told).encode("utf-8", "replace")) % PRIME or 1
