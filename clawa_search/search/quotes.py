"""What quotation marks in a query mean: a phrase, one left out, or nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.search.query import Query
    from indexer.word import Word

from clawa_search.search.query import is_function
from indexer import analysis

PROSE_WORDS = 2
"""With so many function words outside the quotes a text is prose, whose quotation marks name a
title or repeat somebody: its quoted words are ordinary words that gain by standing together."""
OPENS_CODE = ("{", "[", ":", "=")
"""What stands before a quotation mark in code; a person puts a space there, or nothing."""
LEAST_MESSAGE = 2
"""Words around it make a quoted path or flag part of a message: cannot open "/opt/a.ts"."""


def take_phrases(query: Query, text: str) -> str:
    """Move quoted phrases out of *text*; a quote without its partner is an ordinary sign."""
    pieces = text.split('"')
    outside = analysis.query_words(" ".join(pieces[::2]))
    if sum(map(is_function, outside)) >= PROSE_WORDS or _is_code(pieces, len(outside)):
        return " ".join(pieces)
    last = len(pieces) - 1
    wanted = any(part.strip(" -") not in ("", "NOT") for part in (*pieces[::2], *pieces[last:]))
    wanted = wanted or not all(_negates(pieces[at - 1]) for at in range(1, last, 2))
    plain = [pieces[0]]
    for number in range(1, last + 1):
        piece = pieces[number]
        if number % 2 == 0 or number == last:
            plain.append(piece)
            continue
        tokens = tuple(analysis.text_tokens(piece))
        before = plain[-1]
        if not tokens:
            plain.append(piece)
        elif wanted and _negates(before):
            query.excluded.append(tokens)
            plain[-1] = before[:-1] if before.endswith("-") else before[: -len("NOT ")]
        elif (word := analysis.quoted_word(piece)) is not None and _counts_whole(word):
            query.words.append(word)
        else:
            query.phrases.append(tokens)
            query.quoted.append(analysis.Word(piece.strip(), tokens))
    return " ".join(plain)


def _is_code(pieces: list[str], words_outside: int) -> bool:
    """Tell whether the quotation marks are those of code: {"code":"E12"}, -m "text", "/a/b.ts"."""
    last = len(pieces) - 1
    if any(_negates(pieces[at - 1]) for at in range(1, last + 1, 2)):
        return False  # only a person leaves something out
    for at in range(1, last + 1, 2):
        before, piece = pieces[at - 1], pieces[at]
        flag = before.rstrip().rpartition(" ")[2]
        is_call = before[-1:] == "(" and before[-2:-1].isalnum()
        if is_call or before.endswith(OPENS_CODE) or (flag[:1] == "-" and flag.strip("-")):
            return True
        if at < last and pieces[at + 1].lstrip().startswith(":"):
            return True
        is_name = piece[:1] == "-" or "/" in piece or "\\" in piece
        if words_outside >= LEAST_MESSAGE and is_name and len(piece.split()) == 1:
            return True
    return False


def _negates(before: str) -> bool:
    """Does what stands before a quoted phrase exclude it?"""
    return before.endswith((" -", " NOT ")) or before in ("-", "NOT ")


def _counts_whole(word: Word) -> bool:
    """Tell whether only a whole form finds *word*: "C++", "0.26.1", one CJK character."""
    return word.strict or (len(word.tokens) == 1 and word.tokens[0] in word.codes)
