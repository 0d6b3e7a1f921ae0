"""Where an index lives on disk: generations, the pointer to the current one.

<index dir>/CURRENT      name of the current generation and its version, replaced atomically
<index dir>/lock         held (flock) by the one writer; dies with its process
<index dir>/gen-N/       messages/ and priors/ (Tantivy), catalog.sqlite
"""

from __future__ import annotations

from indexer.errors import IndexBrokenError
from indexer.version import VERSION

CURRENT = "CURRENT"


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
    if not name.startswith("gen-") or "/" in name:
        return None
    return Generation(f"{index_dir}/{name}", version)
