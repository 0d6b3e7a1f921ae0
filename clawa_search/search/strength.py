"""How much a hit can be trusted to answer: one number, and the tier made of it.

Fitted on questions of one conversation asked of another (`python -m bench quality --empties`):
what counts is the score against the best that the question's words could give, the share of
the question's weight that the hit itself holds, and the share that nobody ever said.
"""

from __future__ import annotations

from math import exp, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.search.bm25 import Statistics
    from clawa_search.search.excerpt import Needles
    from clawa_search.search.query import Query
    from indexer.word import Word

SCORE, COVERAGE, UNKNOWN, LENGTH, BASE = 8.0, 3.0, -3.0, -0.9, -3.5
"""LENGTH goes with the logarithm of the number of words: of many words some fit by chance."""
UNSPACED_LENGTH, ACROSS = 0.5, 0.1
"""What a pair of signs counts as in that number, as most words are two; and what it counts as when
nobody ever wrote it: across the border of two words that says little."""
WEAK_BELOW = 0.5
WHOLE = 0.999
THIN = 0.4
"""The most that a hit can have which holds only words that were guessed, or none at all."""
NAMED = 0.5
"""The share of a question's weight from which on a number or a hash decides alone."""
MATCH, WEAK = "match", "weak"


class Evidence:
    """What the words of one question weigh; made once an answer."""

    __slots__ = ("_base", "_guessed", "_most", "_needles", "_weights", "total")

    def __init__(self, query: Query, statistics: Statistics, needles: Needles) -> None:
        """Weigh the words of *query*, of which *needles* were made."""
        self._needles = needles
        self._weights: list[float] = []
        self._guessed: list[bool] = []
        unknown = named = length = 0.0
        for word in query.words:
            texts = [("text", token) for token in word.tokens]
            forms = [("code", form) for form in word.codes]
            guessed = query.guessed(word)
            self._guessed.append(guessed)
            # A plain word weighs what its token weighs: that no identifier is written like it
            # says nothing.
            weighing = forms if word.strict or not texts else texts
            weight = max((statistics.idf(form, field) for field, form in weighing), default=0.0)
            # Nothing holds what nobody said, though a text may show how such a word begins.
            known = any(statistics.df(field, form) for field, form in forms)
            if texts and not word.strict:
                known = known or all(statistics.df(field, form) for field, form in texts)
            others = [
                sum(map(statistics.idf, tokens))
                for tokens, _ in word.others
                if not word.strict and all(statistics.df("text", token) for token in tokens)
            ]
            if others:
                weight = min(weight, *others) if known else min(others)
                known = True
            self._weights.append(weight if known and not guessed else 0.0)
            unknown += 0.0 if known or guessed else weight * (ACROSS if word.across else 1.0)
            if not known and not guessed and _is_number(word):
                named += weight
            length += UNSPACED_LENGTH if word.unspaced else 1.0
        self.total = sum(self._weights) + unknown
        # "commit 9f8e7d6" asks for that commit, and not for commits.
        self._most = THIN if named > NAMED * self.total else 1.0
        self._base = BASE + (UNKNOWN * unknown / self.total if self.total else 0.0)
        self._base += LENGTH * log(max(1.0, length))

    def strength(self, score: float, text: str, *, by_itself: bool = True) -> float:
        """Return the strength of a hit, 0 to 1.

        Args:
            score: on the scale of one entry: without the factor of memories.
            text: what the hit says.
            by_itself: it matched, and not what stands beside it alone.
        """
        if not self.total:  # only phrases were asked for, and they are there
            return 1.0
        found = self._needles.found(text)
        held = sum(self._weights[number] for number in found if not self._guessed[number])
        told = (SCORE * score + COVERAGE * held) / self.total + self._base
        strength = min(self._most, 1.0 / (1.0 + exp(-max(min(told, 50.0), -50.0))))
        if held >= WHOLE * self.total:  # every word is there, however long the text around them
            return max(strength, WEAK_BELOW)
        return strength if by_itself and (held or not any(self._guessed)) else min(strength, THIN)


def _is_number(word: Word) -> bool:
    """Tell whether a word names one thing by a number: a commit, a ticket, a version."""
    name = word.surface
    one = not any(sign in name for sign in ":/@\\")
    return one and len(name) >= 4 and any(map(str.isdigit, name))


def tier(strength: float) -> str:
    return MATCH if strength >= WEAK_BELOW else WEAK
