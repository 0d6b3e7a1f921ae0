"""clawa-search itself as an engine: its own indexer, its own search, nothing in between."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from bench.evaluate import LIMIT
from bench.homes import Home, keep_notes, lay

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from types import TracebackType

    from bench.datasets import Conversation, Message, Note, Query
    from clawa_search.recall import Recall
    from clawa_search.search.question import Answer, Hit


class Indexed:
    """A conversation indexed by the product in a folder of its own; close it.

    Attributes:
        home: what lies where.
    """

    def __init__(
        self,
        conversation: Conversation,
        *,
        without: Collection[str] = (),
        notes: Iterable[Note] = (),
    ) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="clawa-bench-"))
        self._end_ms = max(message.ts_ms for message in conversation.messages)
        self._begin_ms: dict[int, int] = {}
        for message in conversation.messages:
            known = self._begin_ms.get(message.order, message.ts_ms)
            self._begin_ms[message.order] = min(known, message.ts_ms)
        self._orders = {message.session: message.order for message in conversation.messages}
        self.home: Home = lay(conversation, self._root, without=without)
        self.recall = open_recall(self.home.home, self._root / "index", self.home.sessions)
        try:
            keep_notes(self.home, notes)
            self.recall.reindex()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.recall.close()
        shutil.rmtree(self._root, ignore_errors=True)

    def __call__(self, query: Query) -> Sequence[Message]:
        """Return the messages that the product finds, best first."""
        answer = self.answer(query)
        return [self.message(hit) for hit in answer.hits if hit.kind == "session"]

    def answer(self, query: Query, limit: int = LIMIT, source: str = "session") -> Answer:
        """Return the product's answer.

        A question that belongs to a session is asked when that session begins, and sees earlier
        ones only; any other is asked at the end.
        """
        from clawa_search.search.question import Question

        files: tuple[str, ...] = ()
        now_ms = self._end_ms
        if query.before >= 0:
            now_ms = self._begin_ms.get(query.before, now_ms)
            files = tuple(
                path for name, path in self.home.files.items() if self._orders[name] < query.before
            )
        question = Question(
            query.text,
            limit=limit,
            source=source,
            everything=True,
            session_files=files,
            now_ms=now_ms,
        )
        return self.recall.search(question)

    def message(self, hit: Hit) -> Message:
        """Return the message that *hit* points to.

        Raises:
            KeyError: the product's anchor names a line that holds no message.
        """
        return self.home.messages[hit.path, hit.line]


def open_recall(home: Path, index_dir: Path, sessions: Path) -> Recall:
    """Return the facade on these places alone, blind to the user's own settings."""
    from clawa_search.places import Places
    from clawa_search.recall import Recall

    places = Places(
        str(home),
        str(index_dir),
        [str(sessions)],
        cwd=str(home),
        env={"HOME": str(home)},
    )
    return Recall(places)
