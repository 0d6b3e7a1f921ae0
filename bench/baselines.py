"""What others would find: pi-clawa's scoring, Tantivy's defaults, SQLite FTS5's defaults.

Each engine gets the same texts as the product and the question as it was asked.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Protocol

import tantivy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.datasets import Conversation, Message, Query

_DEPTH = 400
_WORD = re.compile(r"[\w-]+")


class Engine(Protocol):
    """Anything that ranks messages for a question."""

    def __call__(self, query: Query) -> Sequence[Message]:
        """Return messages, best first."""


class ClawaScan:
    """pi-clawa: 2 points for each distinct word that occurs as a substring; ties newest first."""

    def __init__(self, conversation: Conversation) -> None:
        newest_first = sorted(conversation.messages, key=lambda message: -message.ts_ms)
        self._texts = [(message, message.text.lower()) for message in newest_first]

    def __call__(self, query: Query) -> Sequence[Message]:
        words = list(dict.fromkeys(_WORD.findall(query.text.lower())))
        scored = [
            (sum(word in text for word in words), message)
            for message, text in self._texts
            if _allowed(message, query)
        ]
        scored.sort(key=lambda pair: -pair[0])
        return [message for score, message in scored[:_DEPTH] if score]


class TantivyOr:
    """Tantivy as it comes: default tokenizer, default parser (OR), one field."""

    def __init__(self, conversation: Conversation) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text")
        builder.add_integer_field("number", fast=True)
        self._index = tantivy.Index(builder.build())
        self._messages = conversation.messages
        writer = self._index.writer(15_000_000, 1)
        for number, message in enumerate(self._messages):
            writer.add_document(tantivy.Document(text=message.text, number=number))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def __call__(self, query: Query) -> Sequence[Message]:
        # Its parser takes quotes, colons and signs for syntax and fails on many questions.
        words = re.sub(r"[^\w\s]", " ", query.text)
        if not words.strip():
            return []
        searcher = self._index.searcher()
        parsed = self._index.parse_query(words, ["text"])
        hits = searcher.search(parsed, _DEPTH, count=False).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits])
        found = [self._messages[number] for number in numbers if isinstance(number, int)]
        return [message for message in found if _allowed(message, query)]


class Fts5Or:
    """SQLite FTS5 as it comes: unicode61, the question's words joined by OR, bm25()."""

    def __init__(self, conversation: Conversation) -> None:
        self._messages = conversation.messages
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='unicode61')")
        self._database.executemany(
            "INSERT INTO said(rowid, text) VALUES (?,?)",
            [(number, message.text) for number, message in enumerate(self._messages)],
        )

    def __call__(self, query: Query) -> Sequence[Message]:
        words = dict.fromkeys(_WORD.findall(query.text.lower()))
        if not words:
            return []
        rows = self._database.execute(
            "SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), _DEPTH),
        )
        found = [self._messages[row[0]] for row in rows]
        return [message for message in found if _allowed(message, query)]

    def __del__(self) -> None:
        self._database.close()


BASELINES: dict[str, Callable[[Conversation], Engine]] = {
    "pi-clawa scoring": ClawaScan,
    "Tantivy default OR": TantivyOr,
    "FTS5 unicode61 OR": Fts5Or,
}


def _allowed(message: Message, query: Query) -> bool:
    return query.before < 0 or message.order < query.before
