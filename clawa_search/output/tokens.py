"""Exact counts of o200k_base tokens, without network, `re` or tiktoken.

The split of a text into pieces follows the pattern of o200k_base, alternative by alternative;
each piece is then merged by rank (`o200k`). Written by hand because `import re` alone costs more
than counting a whole answer, and because tiktoken's own engine overflows its stack (a panic, not
an exception) on a megabyte of blanks. tiktoken is the oracle of the tests.

Classes of characters, one letter each:
    U  upper or title case    l  lower case    B  letter without case    M  combining mark
    9  number (any script)    space            t  other blank            n  CR or LF
    .  anything else          NUL  the end of the text
"""

from __future__ import annotations

import os.path

from clawa_search.output.o200k import LONGEST_TOKEN, Ranks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TABLE = os.path.join(os.path.dirname(__file__), "o200k_base.table")

_SHORT = tuple("sStTmMdD\u017f")  # 's 't 'm 'd; U+017F (long s) is an s when case is ignored
_LONG = ("re", "ve", "ll")
_COUNTS_LIMIT = 1 << 15
_COUNTED_CHARS = 100  # a longer chunk hardly comes again

_counts: dict[str, int] = {}
_ranks: Ranks | None = None


def fits(text: str, budget: int) -> bool:
    """Tell whether *text* has at most *budget* tokens.

    A token has 1 to LONGEST_TOKEN bytes: most texts are decided by their size alone, with
    nothing loaded.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size <= budget:
        return True
    if size > budget * LONGEST_TOKEN:
        return False
    return _count_until(text, budget) <= budget


def count(text: str) -> int:
    """Return the number of tokens of *text*, special tokens read as plain text."""
    return _count_until(text, len(text) * 4)


def _count_until(text: str, limit: int) -> int:
    """Return the number of tokens of *text*; when above *limit*, any number above it."""
    text = _well_formed(text)
    total = 0
    for start, end in _chunks(text):
        chunk = text[start:end]
        known = _counts.get(chunk)
        if known is None:
            known = _count_chunk(chunk, limit)
        total += known
        if total > limit:
            break
    return total


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of parts that can be counted alone and remembered, word by word.

    A piece ends before every space that something other than a blank follows.
    """
    start = 0
    space = text.find(" ", 1)
    while space >= 0:
        if text[space + 1 : space + 2] > " " and not text[space + 1].isspace():
            yield start, space
            start = space
        space = text.find(" ", space + 1)
    yield start, len(text)


def _count_chunk(chunk: str, limit: int) -> int:
    word = chunk[1:] if chunk[:1] == " " else chunk
    tokens_in = _table().tokens_in
    if word.isascii() and word.isalpha() and (word.isupper() or word[1:].islower()):
        total = tokens_in(chunk.encode())
    else:
        total = 0
        for start, end in _pieces(chunk):
            total += tokens_in(chunk[start:end].encode())
            if total > limit:
                return total
    if len(chunk) < _COUNTED_CHARS:
        if len(_counts) >= _COUNTS_LIMIT:
            _counts.clear()
        _counts[chunk] = total
    return total


def _well_formed(text: str) -> str:
    """Join or replace surrogates, as tiktoken does."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _table() -> Ranks:
    global _ranks  # noqa: PLW0603 (mapped once per process)
    if _ranks is None:
        _ranks = Ranks(TABLE)
    return _ranks


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each piece of *text*; they cover it without a gap."""
    codes = text.translate(_CLASSES) + "\0"
    at, length = 0, len(text)
    while at < length:
        end = _word(text, codes, at) or _other(codes, text, at)
        yield at, end
        at = end


def _word(text: str, codes: str, at: int) -> int:
    """Return the end of the word that starts at *at*, or 0.

    One character that is neither letter, number nor line end may lead it: ` [UBM]*[lBM]+`, else
    `[UBM]+[lBM]*`, each with an English contraction.
    """
    start = at + 1 if codes[at] in " t.M" else at
    end = _cased(codes, start)
    if not end and start > at:
        end = _cased(codes, at)
    if not end:
        end = _run(codes, start, "U")
        if end == start:
            return 0
    return _contraction(text, end)


def _cased(codes: str, start: int) -> int:
    """Return the end of `[UBM]*[lBM]+` from *start*, or 0."""
    middle = _run(codes, start, "UBM")
    if codes[middle] == "l":
        return _run(codes, middle, "lBM")
    # No lower case follows, so the second part begins where the first can give some back.
    return 1 + max(codes.rfind("B", start, middle), codes.rfind("M", start, middle))


def _contraction(text: str, at: int) -> int:
    if text[at : at + 1] == "'":
        next_two = text[at + 1 : at + 3]
        if next_two[:1] in _SHORT:
            return at + 2
        if next_two.lower() in _LONG:
            return at + 3
    return at


def _other(codes: str, text: str, at: int) -> int:
    """Return the end of the number, symbols or blanks at *at*."""
    code = codes[at]
    if code == "9":
        return at + 3 if codes.startswith("999", at) else _run(codes, at, "9")
    if code == "." or (code == " " and codes[at + 1] in ".M"):
        end = _run(codes, at + 1, ".M")
        while codes[end] == "n" or text[end : end + 1] == "/":
            end += 1
        return end
    end = _run(codes, at, " tn")
    line = codes.rfind("n", at, end)
    if line >= 0:
        return line + 1
    # The last blank leads the next word, unless it is the only one or nothing follows.
    return end if end == at + 1 or codes[end] == "\0" else end - 1


def _run(codes: str, at: int, these: str) -> int:
    while codes[at] in these:
        at += 1
    return at


class _Classes(dict[int, str]):
    """Code point to class; what is not ASCII is looked up when it is first met."""

    def __missing__(self, point: int) -> str:
        from clawa_search.output.unicode_classes import class_of

        code = self[point] = class_of(point)
        return code


def _ascii_classes() -> _Classes:
    classes = _Classes(dict.fromkeys(range(128), "."))
    classes.update(dict.fromkeys(range(0x41, 0x5B), "U"))
    classes.update(dict.fromkeys(range(0x61, 0x7B), "l"))
    classes.update(dict.fromkeys(range(0x30, 0x3A), "9"))
    classes.update({0x20: " ", 0x09: "t", 0x0B: "t", 0x0C: "t", 0x0A: "n", 0x0D: "n"})
    return classes


_CLASSES = _ascii_classes()
