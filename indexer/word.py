"""A word of a query, never changed once made, and the one rule that tells which documents match it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    Written = tuple[tuple[str, ...], float]
    """A run of text tokens that shows a word, and the share of the word's worth that it counts."""


class Word:
    """One word of a query.

    A document matches it if one of `codes` is among its code tokens or, unless `strict`, if
    `tokens`, or those of one of `others`, occur one after another in its text tokens.

    Attributes:
        surface: the word as typed, without the punctuation around it.
        tokens: its text tokens; a phrase when there are several; may be empty.
        codes: its whole forms, the most exact first; may be empty.
        others: text tokens of other ways to write it, each with the share of its own worth that
            it counts: "TypeScript" finds "typescript", "white space" finds "whitespace".
        strict: only a whole form counts (C++, 0.26.1).
        unspaced: the run of a script without spaces that it is, folded; it may be a whole
            sentence. Empty for other words.
        across: it is a pair cut out of a longer run, perhaps across the border of two words.
        plain: it is one ordinary word; `~word` finds identifiers written flat like it.
    """

    __slots__ = ("across", "codes", "others", "plain", "strict", "surface", "tokens", "unspaced")

    def __init__(
        self,
        surface: str,
        tokens: tuple[str, ...],
        codes: tuple[str, ...] = (),
        *,
        others: tuple[Written, ...] = (),
        strict: bool = False,
        unspaced: str = "",
        across: bool = False,
    ) -> None:
        self.surface = surface
        self.tokens = tokens
        self.codes = codes
        self.others = others
        self.strict = strict
        self.unspaced = unspaced
        self.across = across
        self.plain = len(tokens) == 1 and all(code.startswith("~") for code in codes)

    def __repr__(self) -> str:
        return (
            f"Word({self.surface!r}, {self.tokens!r}, {self.codes!r}, "
            f"others={self.others!r}, strict={self.strict!r})"
        )

    @property
    def written(self) -> list[Written]:
        """Every way to write it in text tokens, as typed first."""
        if self.strict:
            return []
        return [(self.tokens, 1.0), *self.others] if self.tokens else list(self.others)

    def also(self, others: Iterable[Written]) -> Word:
        """Return the same word with more ways to write it."""
        return Word(
            self.surface,
            self.tokens,
            self.codes,
            others=(*self.others, *others),
            strict=self.strict,
            unspaced=self.unspaced,
            across=self.across,
        )

    def matches(self, texts: list[str], codes: Collection[str]) -> bool:
        """Tell whether a document of these text and code tokens matches this word."""
        if any(code in codes for code in self.codes):
            return True
        return any(phrase_count(texts, tokens) for tokens, _ in self.written)


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
