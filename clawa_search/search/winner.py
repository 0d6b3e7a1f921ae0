"""What a question has found, before its text is read."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.record import Memory
    from clawa_search.search.fresh import FreshEntry
    from clawa_search.search.matches import Candidate


class Winner:
    """A memory, an indexed entry, or a fresh one.

    Attributes:
        tokens: those of its text, as soon as they are known.
        memory, candidate, fresh: what it is, one of them.
        own: score of its own text, before anything was added.
        session: what the whole session adds to the score.
        about: how much its session speaks of what the best entries speak of; 0 unless many hits
            are asked for.
        speaker: what who said it and how added: it orders, and says nothing of how well it fits.
        parts: of its score, by name, if the question asks to explain.
    """

    __slots__ = (
        "about",
        "candidate",
        "fresh",
        "memory",
        "mid",
        "own",
        "parts",
        "role",
        "score",
        "session",
        "speaker",
        "tokens",
        "ts_ms",
        "twin",
    )

    def __init__(self, score: float, ts_ms: int, twin: int) -> None:
        self.score = score
        self.ts_ms = ts_ms
        self.twin = twin
        self.own = 0.0
        self.session = 0.0
        self.about = 0.0
        self.speaker = 0.0
        self.parts: dict[str, float] = {}
        self.mid = 0
        self.role = ""
        self.memory: Memory | None = None
        self.tokens: list[str] | None = None
        self.candidate: Candidate | None = None
        self.fresh: FreshEntry | None = None
