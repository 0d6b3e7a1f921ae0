"""What quotation marks in a query mean: a phrase, one left out, or nothing."""

from __future__ import annotations

from itertools import takewhile

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
    last = len(pieces) - 1
    outside = analysis.query_words(" ".join(pieces[::2]))
    negated = [_negates(pieces[at - 1]) for at in range(1, last + 1, 2)]
    is_prose = sum(map(is_function, outside)) >= PROSE_WORDS
    # Only a person leaves something out.
    if not any(negated) and (is_prose or _is_code(pieces, len(outside))):
        return " ".join(pieces)
    wanted = any(part.strip(" -") not in ("", "NOT") for part in (*pieces[::2], *pieces[last:]))
    wanted = wanted or not all(negated[: last // 2])
    plain = [pieces[0]]
    for number in range(1, last + 1):
        piece = pieces[number]
        if number % 2 == 0 or number == last:
            plain.append(piece)
            continue
        words = analysis.query_words(piece)
        before = plain[-1]
        if not words:
            plain.append(piece)
        elif wanted and _negates(before):
            query.excluded.append(exactly(piece, words))
            plain[-1] = before[:-1] if before.endswith("-") else before[: -len("NOT ")]
        else:
            query.phrases += parts(piece, words)
            if len(words) == 1 and _counts_whole(words[0]):
                query.words.append(words[0])  # which ranks what holds it
    return " ".join(plain)


def exactly(text: str, words: list[Word]) -> Word:
    """Return what stands where *text* does, whose *words* these are: one whole form, or a phrase."""
    tokens = tuple(analysis.text_tokens(text)) if len(words) > 1 else words[0].tokens
    if not tokens or (len(words) == 1 and _counts_whole(words[0])):
        return analysis.Word(words[0].surface, (), words[0].codes[:1])
    return analysis.Word(text.strip(), tokens)


def parts(text: str, words: list[Word]) -> list[Word]:
    """Return all that must stand where *text* does: the phrase, and whole forms in it.

    A lone sign at either end that touches what stands beside it may be half of a pair where the
    text was copied from; one that is set apart is not.
    """
    wholes = [exactly(word.surface, [word]) for word in words if _counts_whole(word)]
    tokens = analysis.text_tokens(text)
    typed = text.split()
    first = _signs(analysis.query_words(typed[0]))
    last = len(tokens) - _signs(analysis.query_words(typed[-1])[::-1])
    phrase = tuple(tokens[first : max(first, last)])
    if not phrase or (len(words) == 1 and wholes):
        return wholes
    return [analysis.Word(text.strip(), phrase), *wholes]


def _signs(words: list[Word]) -> int:
    """Return how many tokens come from lone signs before any other of *words*, which touch."""
    if len(words) < 2:
        return 0
    signs = takewhile(lambda word: not word.tokens or len(word.unspaced) == 1, words)
    return sum(len(word.tokens) for word in signs)


def _is_code(pieces: list[str], words_outside: int) -> bool:
    """Tell whether the quotation marks are those of code: {"code":"E12"}, -m "text", "/a/b.ts"."""
    last = len(pieces) - 1
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
    """Tell whether its whole form shows *word* best: "C++", "0.26.1", a hash, one CJK character."""
    if not word.tokens or word.strict:
        return True
    # A number may be the beginning of a hash, and a text that holds it as such has no form of it.
    return word.tokens == word.codes[:1] and not word.tokens[0].isdigit()
