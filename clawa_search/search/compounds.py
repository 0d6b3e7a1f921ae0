"""Parts by which what is typed as one word is known as well: what was said may name less of it.

`/home/me/app/src/theme.ts:99` finds `src/theme.ts`, `theme.ts` and `theme.ts:213`;
`https://example.org/go/7` finds `example.org/go`; `net::ERR_FAILED` finds `ERR_FAILED`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.word import Word

from itertools import islice

from indexer import analysis
from indexer.forms import atoms, segments

SHARES = ((3, 0.9), (2, 0.8), (1, 0.6))
"""Segments of a path that are left, and what they count of the worth of the whole."""
PART = 0.6
MAX_PARTS = 16
"""Of one word: a list of paths, joined by colons, is no name."""
LEAST_HOST = 5
"""Letters of a single word before a number (localhost:8080) that tells something by itself."""


def with_parts(words: list[Word]) -> list[Word]:
    """Return *words*; those that are put together get their telling parts as other ways."""
    found = []
    for word in words:
        others: dict[tuple[str, ...], float] = {}
        if len(word.tokens) > 1 and not word.strict and not word.unspaced:
            known = {word.tokens, *(tokens for tokens, _ in word.others)}
            for part, share in islice(_parts(word.surface), MAX_PARTS):
                tokens = tuple(analysis.text_tokens(part))
                if tokens not in known and _tells(part, tokens, word.surface):
                    others.setdefault(tokens, share)
        found.append(word.also(others.items()) if others else word)
    return found


def _tells(part: str, tokens: tuple[str, ...], surface: str) -> bool:
    """Is it likely that who says *part* means what *surface* names?"""
    if all(map(str.isdigit, tokens)):
        return False
    return len(tokens) > 1 or (len(part) >= LEAST_HOST and _is_host(surface))


def _is_host(surface: str) -> bool:
    """Tell whether *surface* is one word and numbers: localhost:8080."""
    name, *numbers = analysis.pieces(surface.partition("://")[2] or surface) or [""]
    return bool(numbers) and name.strip("/").isalnum() and all(map(str.isdigit, numbers))


def _parts(surface: str) -> Iterator[tuple[str, float]]:
    """Yield shorter forms of *surface*, and what each counts of its worth."""
    pieces = analysis.pieces(surface)
    is_address = "://" in surface
    for piece in pieces:
        path = segments(piece)
        # lib/main.py says which of all main.py is meant; a long path names what stands around it.
        is_short = len(path) == 2 and not is_address
        if len(path) > 1:
            for count, share in SHARES:
                is_less = count < len(path) or (count == len(path) and len(pieces) > 1)
                if is_less and not (is_short and count == 1):
                    yield "/".join(path[:count] if is_address else path[-count:]), share
        elif len(pieces) > 1:
            yield piece, PART
        if not is_short:
            yield from _names_in(path[-1] if path else piece, is_file=len(path) > 1)


def _names_in(name: str, *, is_file: bool) -> Iterator[tuple[str, float]]:
    """Yield the identifiers between the dots of *name*: a file, or a call."""
    parts = name.split(".")
    for part in parts if is_file or len(parts) > 1 else ():
        if len(atoms(part)) > 1 or not (part.islower() or part.isupper()):
            yield part, PART
