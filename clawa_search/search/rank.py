"""The ranking recipe over numbers: what an entry's neighbours, session, speaker and date add.

Pure. The steps and weights were measured on public sets (`python -m bench quality`); recency is
no part of it beyond breaking ties.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        whole: share of what the words are worth that an entry gains which holds all of a few:
            in a long one each of them alone is worth next to nothing.
        feedback: of a session that speaks of what the best hits speak of, BM25 of the words that
            these have in common, where a long list opens one more.
        guessed: the guess at a word that is unknown, against the word.
        user: share that what a human said gains.
        standing: share that it gains on top when it is to hold for later: an order, a preference.
        asker: share that it gains on top, neighbours included, when askers ask what they
            themselves said.
        second_hand: factor of a summary, or of a quotation of earlier recall output: it
            repeats the words of its source, which must stand above it.
        neighbours: share of the score of the entry before and after.
        further: share of the score of the two entries beyond them.
        session: BM25 of the whole session.
        date: factor inside the dates that the question names (1: off).
        memory: factor of a memory, which has neither neighbours nor session.
    """

    __slots__ = (
        "asker",
        "code",
        "date",
        "feedback",
        "further",
        "guessed",
        "memory",
        "neighbours",
        "phrase",
        "second_hand",
        "session",
        "standing",
        "user",
        "whole",
    )

    def __init__(self) -> None:
        self.code = 2.0
        self.phrase = 0.2
        self.whole = 0.6
        self.guessed = 0.5
        self.user = 0.2
        self.standing = 0.6
        self.asker = 0.3
        self.second_hand = 0.5
        self.neighbours = 0.4
        self.further = 0.1
        self.session = 1.25
        self.date = 2.0
        self.feedback = 0.5
        self.memory = 2.0


DEFAULT = Weights()
NOTHING: Mapping[int, float] = {}


class Recipe:
    """The scores of the entries that matched one question, and of their neighbours.

    Totals are plain numbers for everything; the parts of a score are worked out for those few
    that are shown.
    """

    __slots__ = ("_asker", "_own", "_priors", "_times", "_users", "_weights", "_whole", "_window")

    def __init__(
        self,
        own: Mapping[int, float],
        users: Mapping[int, bool],
        times: Mapping[int, int],
        priors: Mapping[int, float],
        window: tuple[int, int] | None,
        weights: Weights,
        *,
        personal: bool = False,
        whole: Mapping[int, float] = NOTHING,
    ) -> None:
        """Take what the stores told.

        Args:
            own: BM25 by mid.
            users: mids that a human said, and whether to hold for later.
            times: Unix ms by mid.
            priors: BM25 of whole sessions, by file id.
            window: the dates that the question names, [start, end) in Unix ms.
            personal: the question is about what the asker said.
            whole: what those gain that hold all its words at once, by mid.
        """
        self._own = own
        self._users = users
        self._times = times
        self._priors = priors
        self._whole = whole
        self._window = window if weights.date != 1.0 else None
        self._weights = weights
        self._asker = weights.asker if personal else 0.0

    def totals(self) -> dict[int, float]:
        """Return the score of every entry that matched, and of its neighbours."""
        weights = self._weights
        totals = self._spread()
        for mid, gain in self._whole.items():  # its neighbours do not hold them
            totals[mid] = totals.get(mid, 0.0) + gain
        if self._asker:
            for mid in self._users:
                if mid in totals:
                    totals[mid] *= 1.0 + self._asker
        if self._priors and weights.session:
            prior_of = {file: weights.session * prior for file, prior in self._priors.items()}.get
            totals = {mid: total + prior_of(mid >> SEQ_BITS, 0.0) for mid, total in totals.items()}
        if self._window is not None:
            for mid in totals:
                if self._is_dated(mid):
                    totals[mid] *= weights.date
        return totals

    def _spread(self) -> dict[int, float]:
        """Share what each entry says with its neighbours, and with those further away.

        Only an entry beside a match comes in by its neighbour alone.
        """
        near, further = self._weights.neighbours, self._weights.further
        said = dict(self._own)
        for mid in self._users:
            if mid in said:
                said[mid] *= self._gain(mid)
        totals = dict(said)
        get = totals.get
        for mid, score in said.items() if near else ():
            share = near * score
            totals[mid - 1] = get(mid - 1, 0.0) + share
            totals[mid + 1] = get(mid + 1, 0.0) + share
        for mid, score in said.items() if further else ():
            share = further * score
            if mid - 2 in totals:
                totals[mid - 2] += share
            if mid + 2 in totals:
                totals[mid + 2] += share
        return totals

    def parts(self, mid: int) -> dict[str, float]:
        """Return the parts of the score of *mid* by name, without those that are 0."""
        weights = self._weights
        own = self._own.get(mid, 0.0)
        near = weights.neighbours * (self._said(mid - 1) + self._said(mid + 1))
        near += weights.further * (self._said(mid - 2) + self._said(mid + 2))
        named = {"text": own}
        if mid in self._users:
            named["user"] = weights.user * own
            named["standing"] = weights.standing * own if self._users[mid] else 0.0
        named["neighbours"] = near
        named["whole"] = self._whole.get(mid, 0.0)
        if mid in self._users:
            named["asker"] = self._asker * sum(named.values())
        named["session"] = self.session(mid)
        if self._window is not None and self._is_dated(mid):
            named["date"] = (weights.date - 1.0) * sum(named.values())
        return {name: value for name, value in named.items() if value}

    def session(self, mid: int) -> float:
        """Return the part of the score of *mid* that it has for its whole session."""
        return self._weights.session * self._priors.get(mid >> SEQ_BITS, 0.0)

    def speaker(self, mid: int) -> float:
        """Return the parts of the score of *mid* that it has for who said it, and how."""
        if not (self._asker and mid in self._users) and not self._users.get(mid):
            return 0.0
        parts = self.parts(mid)
        return parts.get("asker", 0.0) + parts.get("standing", 0.0)

    def _said(self, mid: int) -> float:
        return self._own.get(mid, 0.0) * self._gain(mid)

    def _gain(self, mid: int) -> float:
        """Return the factor of what is said in *mid*, for who said it and how."""
        standing = self._users.get(mid)
        if standing is None:
            return 1.0
        return 1.0 + self._weights.user + (self._weights.standing if standing else 0.0)

    def _is_dated(self, mid: int) -> bool:
        assert self._window is not None
        times = self._times
        ts_ms = times.get(mid) or times.get(mid - 1) or times.get(mid + 1) or 0
        return self._window[0] - WINDOW_BEFORE_MS <= ts_ms < self._window[1] + WINDOW_AFTER_MS


def in_order(totals: Mapping[int, float], first: int) -> Iterator[int]:
    """Yield mids by their totals, the best first; of equal ones the later entry.

    Sorts the best *first* apart, which are all that is looked at as a rule.
    """
    scores = sorted(totals.values(), reverse=True)
    last = scores[first] if first < len(scores) else float("-inf")
    best = [mid for mid, total in totals.items() if total > last]
    yield from _sorted(best, totals)
    if len(best) < len(totals):
        rest = [mid for mid, total in totals.items() if total <= last]
        yield from _sorted(rest, totals)


def _sorted(mids: list[int], totals: Mapping[int, float]) -> list[int]:
    mids.sort(reverse=True)
    mids.sort(key=totals.__getitem__, reverse=True)
    return mids
