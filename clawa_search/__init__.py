"""The recall layer of an agent: memories with ids, session history with file:line anchors.

from clawa_search import Places, Question, Recall

with Recall(Places()) as recall:
    recall.remember("The human likes short answers.", tags=["human"])
    for hit in recall.search(Question("short answers")).hits:
        print(hit.ref, hit.excerpt)
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.errors import (
        IndexBrokenError,
        IndexBusyError,
        InvalidInputError,
        NotFoundError,
        RecallError,
        StoreError,
    )
    from clawa_search.memory.store import Memory
    from clawa_search.places import Places
    from clawa_search.recall import Recall
    from clawa_search.search.question import Answer, Hit, Question
    from indexer.report import SyncReport

__version__ = "0.1.0"

# Names are loaded when first used: a cold recall pays for what it touches only.
_WHERE = {
    "Answer": "clawa_search.search.question",
    "Hit": "clawa_search.search.question",
    "IndexBrokenError": "indexer.errors",
    "IndexBusyError": "indexer.errors",
    "InvalidInputError": "clawa_search.errors",
    "Memory": "clawa_search.memory.store",
    "NotFoundError": "clawa_search.errors",
    "Places": "clawa_search.places",
    "Question": "clawa_search.search.question",
    "Recall": "clawa_search.recall",
    "RecallError": "indexer.errors",
    "StoreError": "clawa_search.errors",
    "SyncReport": "indexer.report",
}

__all__ = [
    "Answer",
    "Hit",
    "IndexBrokenError",
    "IndexBusyError",
    "InvalidInputError",
    "Memory",
    "NotFoundError",
    "Places",
    "Question",
    "Recall",
    "RecallError",
    "StoreError",
    "SyncReport",
]


def __getattr__(name: str) -> object:
    if name in _WHERE:
        from importlib import import_module

        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'clawa_search' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
