"""A facade that keeps memories in a list, and a bridge process around it that misbehaves on request."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from clawa_search.errors import InvalidInputError, NotFoundError
from clawa_search.search.question import Answer, Hit, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clawa_search.places import Places


class FakeRecall:
    """Finds memories that hold the query; remembers what it was asked."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.memories: dict[int, tuple[str, tuple[str, ...]]] = {}
        self.asked: list[Question] = []
        self.closed = False

    def search(self, question: Question) -> Answer:
        self.asked.append(question)
        answer = Answer(question.query)
        for number, (text, tags) in sorted(self.memories.items(), reverse=True):
            if question.query in text:
                hit = Hit("memory", f"mem:{number}", 1.0, 0)
                hit.id, hit.tags, hit.excerpt = number, tags, text
                answer.hits.append(hit)
        answer.hits = answer.hits[: question.limit]
        return answer

    def remember(
        self,
        text: str | None,
        id: int | None = None,  # noqa: A002  # the facade's name for it
        tags: Sequence[str] | None = None,
    ) -> tuple[str, int]:
        if id is None and not text:
            raise InvalidInputError("text: is empty")
        if id is not None and id not in self.memories:
            raise NotFoundError(f"memory #{id}: there is none", hint="recall names the ids")
        if id is not None and not text:
            del self.memories[id]
            return "deleted", id
        action, number = ("updated", id) if id is not None else ("created", len(self.memories) + 1)
        self.memories[number] = (text or "", tuple(tags or ()))
        return action, number

    def close(self) -> None:
        self.closed = True


class Unruly(FakeRecall):
    """Does to its process what its query says."""

    def search(self, question: Question) -> Answer:
        match question.query:
            case "boom":
                raise ZeroDivisionError("thrown boom")
            case "die":
                os._exit(3)
            case "hang":
                print("a stray line", flush=True)  # noqa: T201  # the point of it
                threading.Event().wait(60)
            case _:
                pass
        return super().search(question)


if __name__ == "__main__":
    from clawa_search.bridge import serve
    from clawa_search.pi.lifetime import end_with_parent, private_stdout

    noticed = end_with_parent(grace_seconds=1)
    with private_stdout() as out:
        serve(sys.stdin.buffer, out, open_recall=Unruly, on_end=noticed.set)
