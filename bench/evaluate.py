"""Ask every question of every engine, and average what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.metrics import mean, measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bench.baselines import Engine
    from bench.datasets import Conversation, Message, Query

LIMIT = 100


@dataclass(slots=True)
class Result:
    """The measures of one engine on one set.

    Attributes:
        turns: one row of measures a question that names messages as evidence.
        sessions: one row a question, sessions ranked by their first message.
        categories: R@10 rows by the question's category (by session where there are no turns).
    """

    engine: str
    turns: list[dict[str, float]] = field(default_factory=list)
    sessions: list[dict[str, float]] = field(default_factory=list)
    categories: dict[str, list[dict[str, float]]] = field(default_factory=dict)

    def add(self, query: Query, ranked: Sequence[Message]) -> None:
        by_session = measure(_unique(message.session for message in ranked), query.sessions)
        self.sessions.append(by_session)
        row = by_session
        if query.evidence:
            row = measure([message.key for message in ranked], query.evidence)
            self.turns.append(row)
        self.categories.setdefault(query.category, []).append(row)

    def best(self) -> list[dict[str, float]]:
        """Return the rows of the finest level that the set has evidence for."""
        return self.turns or self.sessions

    def summary(self) -> dict[str, Any]:
        """Return means in percent, rounded to one decimal."""
        return {
            "engine": self.engine,
            "questions": len(self.sessions),
            "turn": _percent(mean(self.turns)),
            "session": _percent(mean(self.sessions)),
            "categories": {
                name: {"questions": len(rows), **_percent(mean(rows))}
                for name, rows in sorted(self.categories.items())
            },
        }


def evaluate(
    name: str,
    make: Callable[[Conversation], Engine],
    conversations: Iterable[Conversation],
    limit: int = LIMIT,
) -> Result:
    """Return the measures of the engine that *make* builds for each conversation."""
    result = Result(name)
    for conversation in conversations:
        engine = make(conversation)
        for query in conversation.queries:
            result.add(query, engine(query)[:limit])
    return result


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _percent(row: dict[str, float]) -> dict[str, float]:
    return {name: round(100 * value, 1) for name, value in row.items()}
