"""The tokens of o200k_base and their ranks, read from a hash table in a mapped file.

The table (`o200k_base.table`, made by `scripts/vendor-o200k`) holds the published rank file in
another order: `published()` gives that file back, byte for byte. Mapping it costs 0.1 ms where
parsing the published file costs 250 ms; as part of the package it needs no cache folder that
could be missing, torn or read-only.

Layout, little-endian:
    8 bytes    MAGIC
    u32        size of the file
    u32        0
    u32 * (BUCKETS + 1)   where each bucket starts, from the start of the file
    entries    u8 length, u24 rank, the bytes of the token; bucket = crc32(token) % BUCKETS
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from mmap import ACCESS_READ, mmap
from zlib import crc32

from indexer.errors import RecallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the published rank file; tiktoken demands the same."""

MAGIC = b"o200k/1\n"
BUCKETS = 1 << 17
LONGEST_TOKEN = 128
"""Bytes of the longest token: n bytes are at least n / 128 tokens."""

NO_TOKEN = 1 << 24
"""A rank above every rank: these bytes are not a token."""

_HEADER_BYTES = 16
_KNOWN_LIMIT = 1 << 16


class Ranks:
    """The rank of every token, and the number of tokens in a piece of text."""

    __slots__ = ("_known", "_map", "_starts")

    def __init__(self, path: str) -> None:
        """Map the table at *path*.

        Raises:
            RecallError: *path* is unreadable, cut short or something else.
        """
        try:
            with open(path, "rb") as file:
                self._map = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file
            raise _damaged(path, str(error)) from error
        end = _HEADER_BYTES + 4 * (BUCKETS + 1)
        whole = memoryview(self._map)
        sized = len(whole) >= end and whole[8:12].cast("I")[0] == len(whole)
        if whole[:8] != MAGIC or not sized:
            raise _damaged(path, "it is cut short or no token table of this version")
        self._starts = whole[_HEADER_BYTES:end].cast("I")
        self._known: dict[bytes, int] = {}

    def rank(self, token: bytes) -> int:
        """Return the rank of *token*, or NO_TOKEN."""
        known = self._known
        rank = known.get(token)
        if rank is None:
            if len(known) >= _KNOWN_LIMIT:
                known.clear()
            rank = known[token] = self._look_up(token)
        return rank

    def _look_up(self, token: bytes) -> int:
        table = self._map
        bucket = crc32(token) % BUCKETS
        at = self._starts[bucket]
        end = self._starts[bucket + 1]
        while at < end:
            start = at + 4
            at = start + table[at]
            if table[start:at] == token:
                return int.from_bytes(table[start - 3 : start], "little")
        return NO_TOKEN

    def tokens_in(self, piece: bytes) -> int:
        """Return how many tokens byte pair encoding makes of *piece*.

        Always merge the adjacent pair of the lowest rank, the leftmost first. A heap of pairs
        keeps a long piece at n log n: 1 MB of one letter takes seconds, not hours.
        """
        rank = self.rank
        if rank(piece) != NO_TOKEN:
            return 1
        length = count = len(piece)
        after = list(range(1, length + 2))  # where the part that starts here ends
        before = list(range(-1, length))  # where the part before this one starts
        ranks = [rank(piece[i : i + 2]) for i in range(length - 1)]  # of a part and the next
        ranks.append(NO_TOKEN)
        heap = [rank << 32 | i for i, rank in enumerate(ranks) if rank != NO_TOKEN]
        heapify(heap)
        while heap:
            best = heappop(heap)
            left = best & 0xFFFFFFFF
            if ranks[left] != best >> 32:
                continue  # one of the two was merged meanwhile
            right = after[left]
            end = after[left] = after[right]
            before[end] = left
            ranks[right] = NO_TOKEN
            count -= 1
            ranks[left] = rank(piece[left : after[end]]) if end < length else NO_TOKEN
            if ranks[left] != NO_TOKEN:
                heappush(heap, ranks[left] << 32 | left)
            other = before[left]
            if other >= 0:
                ranks[other] = rank(piece[other:end])
                if ranks[other] != NO_TOKEN:
                    heappush(heap, ranks[other] << 32 | other)
        return count

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield each (rank, token), in the order of the table."""
        at, end = self._starts[0], self._starts[BUCKETS]
        while at < end:
            start = at + 4
            rank = int.from_bytes(self._map[at + 1 : start], "little")
            at = start + self._map[at]
            yield rank, self._map[start:at]


def published(ranks: Ranks) -> bytes:
    """Return the rank file as published: its sha256 is SHA256 unless the table is damaged."""
    from binascii import b2a_base64

    return b"".join(
        b"%b %d\n" % (b2a_base64(token, newline=False), rank) for rank, token in sorted(ranks)
    )


def table_of(published_file: bytes) -> bytes:
    """Return the table of the published rank file: one line `base64(token) rank` per token."""
    from binascii import a2b_base64

    buckets = [bytearray() for _ in range(BUCKETS)]
    words = published_file.split()
    for word, rank in zip(words[::2], words[1::2], strict=True):
        token = a2b_base64(word)
        entry = bytes((len(token),)) + int(rank).to_bytes(3, "little") + token
        buckets[crc32(token) % BUCKETS] += entry
    start = _HEADER_BYTES + 4 * (BUCKETS + 1)
    starts = bytearray(start.to_bytes(4, "little"))
    for bucket in buckets:
        start += len(bucket)
        starts += start.to_bytes(4, "little")
    header = MAGIC + start.to_bytes(4, "little") + bytes(4)
    return b"".join((header, bytes(starts), *buckets))


def _damaged(path: str, why: str) -> RecallError:
    return RecallError(
        f"cannot count tokens: {path}: {why}",
        hint="reinstall clawa-search, or leave out --max-tokens",
    )
