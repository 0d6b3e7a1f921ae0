"""Is an index on disk sound? Slow and thorough, for `doctor` alone.

Tantivy does not check what it reads: a flipped bit in a postings file gives wrong answers and no
error. But every file that it writes ends with a footer that holds a checksum.
"""

from __future__ import annotations

import json
import os
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

from indexer import layout

BLOCK_BYTES = 1 << 20
MAGIC = 1337
"""The last four bytes of every file that Tantivy writes; its `footer.rs`."""
TAIL_BYTES = 8
MAX_FOOTER_BYTES = 4096
VERSION_KEYS = ["major", "minor", "patch", "index_format_version"]
KINDS = ("store", "idx", "term", "pos", "fast", "fieldnorm")
"""What a segment consists of; `.del` comes with its first deletion."""
OWN_NAMES = ("meta.json", ".managed.json", ".tantivy-meta.lock", ".tantivy-writer.lock")


def damaged_files(generation: layout.Generation) -> Iterator[str]:
    """Yield `PATH: why` for every file of the two indexes that is missing or altered.

    Reads everything once, about 1 GB a second from the page cache.
    """
    for folder in (generation.messages, generation.priors):
        try:
            names = segment_files(folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            yield f"{folder}/meta.json: {error}"
            continue
        for name in names:
            why = damage(f"{folder}/{name}")
            if why:
                yield f"{folder}/{name}: {why}"


def segment_files(folder: str) -> list[str]:
    """Return the names of the files that the index in *folder* consists of.

    Raises:
        OSError, ValueError, KeyError, TypeError: its `meta.json` cannot be read or is damaged.
    """
    with open(f"{folder}/meta.json", "rb") as file:
        meta = json.load(file)
    names = []
    for segment in meta["segments"]:
        name = segment["segment_id"].replace("-", "")
        names += [f"{name}.{kind}" for kind in KINDS]
        if segment["deletes"] is not None:
            names.append(f"{name}.{segment['deletes']['opstamp']}.del")
    return names


def damage(path: str) -> str:
    """Return what is wrong with a file of Tantivy's, an empty string when nothing is."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            recorded, body_bytes = _footer(file.fileno(), size)
            seen = 0
            while body_bytes:
                block = file.read(min(BLOCK_BYTES, body_bytes))
                seen = zlib.crc32(block, seen)
                body_bytes -= len(block) or body_bytes
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return error.strerror or str(error)
    except (ValueError, KeyError, TypeError, RecursionError):
        return "its end is damaged"
    return "" if seen == recorded else "its content is damaged"


def _footer(fd: int, size: int) -> tuple[int, int]:
    """Return the checksum that the footer records, and how many bytes it is about."""
    tail = os.pread(fd, TAIL_BYTES, max(size - TAIL_BYTES, 0))
    length = int.from_bytes(tail[:4], "little")
    body_bytes = size - TAIL_BYTES - length
    if int.from_bytes(tail[4:], "little") != MAGIC or length > MAX_FOOTER_BYTES or body_bytes < 0:
        raise ValueError("no footer")
    footer = json.loads(os.pread(fd, length, body_bytes))
    if list(footer) != ["version", "crc"] or list(footer["version"]) != VERSION_KEYS:
        raise ValueError("not the footer that Tantivy writes")
    return int(footer["crc"]), body_bytes


def leftovers(index_dir: str) -> list[str]:
    """Return what killed writers left behind: temporary files, old generations, lost segments.

    Only while nobody writes: take `store.WriterLock` before.

    Raises:
        IndexBrokenError: the folder cannot be read.
    """
    generation = layout.current(index_dir)
    kept = os.path.basename(generation.folder) if generation else ""
    found = [
        f"{index_dir}/{name}"
        for name in _names(index_dir)
        if (name.startswith("gen-") and name != kept) or name.startswith(f"{layout.CURRENT}.")
    ]
    for folder in (generation.messages, generation.priors) if generation else ():
        try:
            known = {*OWN_NAMES, *segment_files(folder)}
        except (OSError, ValueError, KeyError, TypeError):
            continue  # damaged: nothing in it can be told apart, and it is made anew anyway
        found += [f"{folder}/{name}" for name in _names(folder) if name not in known]
    if generation:
        drafts = [name for name in _names(generation.folder) if name.startswith("snapshot.")]
        found += [f"{generation.folder}/{name}" for name in drafts]
    return found


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
