"""A word of a query, never changed once made, and the one rule that tells which documents match it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Word:
    """One word of a query.

    A document matches it if one of `codes` is among its code tokens or, unless `strict`, if
    `tokens` occur one after another in its text tokens or `joined` is one of them.

    Attributes:
        surface: the word as typed, without the punctuation around it.
        tokens: its text tokens; a phrase when there are several; may be empty.
        codes: its whole forms, the most exact first; may be empty.
        joined: an identifier's text token had it been written as one plain word ("TypeScript"
            finds "typescript"); empty for other words, and for `file_name`, which is not
            `filename`.
        strict: only a whole form counts (C++, 0.26.1).
        unspaced: the run of a script without spaces that it is, folded; it may be a whole
            sentence. Empty for other words.
        plain: it is one ordinary word; `~word` finds identifiers written flat like it.
    """

    __slots__ = ("codes", "joined", "plain", "strict", "surface", "tokens", "unspaced")

    def __init__(
        self,
        surface: str,
        tokens: tuple[str, ...],
        codes: tuple[str, ...] = (),
        *,
        joined: str = "",
        strict: bool = False,
        unspaced: str = "",
    ) -> None:
        self.surface = surface
        self.tokens = tokens
        self.codes = codes
        self.joined = joined
        self.strict = strict
        self.unspaced = unspaced
        self.plain = len(tokens) == 1 and all(code.startswith("~") for code in codes)

    def __repr__(self) -> str:
        return (
            f"Word({self.surface!r}, {self.tokens!r}, {self.codes!r}, "
            f"joined={self.joined!r}, strict={self.strict!r})"
        )

    def matches(self, texts: list[str], codes: Collection[str]) -> bool:
        """Tell whether a document of these text and code tokens matches this word."""
        if any(code in codes for code in self.codes):
            return True
        if self.strict:
            return False
        return (self.joined != "" and self.joined in texts) or phrase_count(texts, self.tokens) > 0


def phrase_count(tokens: Sequence[str], phrase: Sequence[str]) -> int:
    """Count where *phrase* occurs as consecutive tokens."""
    if len(phrase) < 2:
        return tokens.count(phrase[0]) if phrase else 0
    wanted, count, at = list(phrase), 0, -1
    stop = max(0, len(tokens) - len(wanted) + 1)
    try:
        while True:
            at = tokens.index(wanted[0], at + 1, stop)
            count += list(tokens[at : at + len(wanted)]) == wanted
    except ValueError:
        return count
