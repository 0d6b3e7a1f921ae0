"""Recall finds what was said: our own questions in 2 MB of made-up history, by the real indexer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.corpus import Corpus, Plan, make_corpus
from bench.datasets import Conversation, load
from bench.evaluate import Result
from bench.homes import Home, lay
from clawa_search.places import Places
from clawa_search.recall import Recall
from clawa_search.search.question import Answer, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

SMOKE = Path(__file__).parent.parent / "data" / "quality"
NOW_MS = 1_790_000_000_000


class World:
    """One index over a laid out conversation and a made-up history."""

    def __init__(self, root: Path) -> None:
        self.conversation: Conversation = load(SMOKE, "smoke")[0]
        self.home: Home = lay(self.conversation, root / "smoke")
        self.corpus: Corpus = make_corpus(root / "corpus", Plan(size_mb=2, files=40, needles=20))
        folders = [str(self.home.sessions), f"{self.corpus.agent}/sessions"]
        self.recall = Recall(
            Places(str(self.home.home), str(root / "index"), folders, env={"HOME": str(root)})
        )
        self.recall.reindex()

    def ask(self, text: str) -> Answer:
        return self.recall.search(Question(text, limit=25, everything=True, now_ms=NOW_MS))


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("world"))
    yield made
    made.recall.close()


def test_the_evidence_of_our_own_questions_is_among_the_first_ten(world):
    result = Result("clawa-search")
    for query in world.conversation.queries:
        hits = world.ask(query.text).hits
        known = (world.home.messages.get((hit.path, hit.line)) for hit in hits)
        result.add(query, [message for message in known if message])
    assert result.summary()["turn"]["R@10"] >= 95


@pytest.mark.parametrize("kind", ["word", "identifier", "path", "words", "question"])
def test_a_planted_message_is_found_on_its_line(world, kind):
    for needle in (one for one in world.corpus.needles if one.kind == kind):
        hits = world.ask(needle.query).hits
        assert (needle.path, needle.line) in [(hit.path, hit.line) for hit in hits[:3]]
