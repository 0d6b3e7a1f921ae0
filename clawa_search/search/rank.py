"""The ranking recipe over numbers: what an entry's neighbours, session, speaker and date add.

Pure. The steps and weights were measured on public sets (`python -m bench quality`); recency is
no part of it beyond breaking ties.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

from indexer.schema import SEQ_BITS

DAY_MS = 86_400_000
WINDOW_BEFORE_MS = 1 * DAY_MS
WINDOW_AFTER_MS = 14 * DAY_MS
"""People tell things after they happened: evidence for a date lies up to two weeks later."""


class Weights:
    """What each step of the recipe is worth; 0 switches a step off.

    Attributes:
        code: a whole identifier, against one plain word.
        phrase: two words of the question side by side.
        user: share that what a human said gains.
        second_hand: factor of a summary, or of a quotation of earlier recall output: it
            repeats the words of its source, which must stand above it.
        neighbours: share of the score of the entry before and after.
        session: BM25 of the whole session.
        date: factor inside the dates that the question names (1: off).
        memory: factor of a memory, which has neither neighbours nor session.
    """

    __slots__ = ("code", "date", "memory", "neighbours", "phrase", "second_hand", "session", "user")

    def __init__(self) -> None:
        self.code = 2.0
        self.phrase = 0.2
        self.user = 0.2
        self.second_hand = 0.5
        self.neighbours = 0.4
        self.session = 1.0
        self.date = 2.0
        self.memory = 2.0


DEFAULT = Weights()


class Scored:
    """An entry's score and its parts; `total` is their sum.

    Attributes:
        own: BM25 of its own text; `user`, `neighbours`, `session`, `date` are what was added.
    """

    __slots__ = ("date", "neighbours", "own", "session", "user")

    def __init__(self, own: float) -> None:
        self.own = own
        self.user = 0.0
        self.neighbours = 0.0
        self.session = 0.0
        self.date = 0.0

    @property
    def total(self) -> float:
        return self.own + self.user + self.neighbours + self.session + self.date

    def parts(self) -> dict[str, float]:
        """Return the parts by name, those that are 0 left out."""
        named = {
            "text": self.own,
            "user": self.user,
            "neighbours": self.neighbours,
            "session": self.session,
            "date": self.date,
        }
        return {name: value for name, value in named.items() if value}


def combine(
    own: Mapping[int, float],
    users: set[int],
    times: Mapping[int, int],
    priors: Mapping[int, float],
    window: tuple[int, int] | None,
    weights: Weights,
) -> dict[int, Scored]:
    """Return the score of every entry that matched, and of its neighbours.

    Args:
        own: BM25 by mid.
        users: mids that a human said.
        times: Unix ms by mid.
        priors: BM25 of whole sessions, by file id.
        window: the dates that the question names, [start, end) in Unix ms.
    """
    scored: dict[int, Scored] = {}
    gain = weights.user
    for mid, score in own.items():
        entry = scored[mid] = Scored(score)
        if gain and mid in users:
            entry.user = gain * score
    if weights.neighbours:
        _spread(own, users, scored, weights)
    for mid, entry in scored.items():
        prior = priors.get(mid >> SEQ_BITS)
        if prior:
            entry.session = weights.session * prior
    if window is not None and weights.date != 1.0:
        start, stop = window[0] - WINDOW_BEFORE_MS, window[1] + WINDOW_AFTER_MS
        for mid, entry in scored.items():
            ts_ms = times.get(mid) or times.get(mid - 1) or times.get(mid + 1) or 0
            if start <= ts_ms < stop:
                entry.date = (weights.date - 1.0) * entry.total
    return scored


def _spread(
    own: Mapping[int, float], users: set[int], scored: dict[int, Scored], weights: Weights
) -> None:
    share, gain = weights.neighbours, 1.0 + weights.user
    for mid, score in own.items():
        part = share * (score * gain if mid in users else score)
        for near in (mid - 1, mid + 1):
            entry = scored.get(near)
            if entry is None:
                entry = scored[near] = Scored(0.0)
            entry.neighbours += part
