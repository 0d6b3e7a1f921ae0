"""Merge candidates of all sources into the best few: one bounded heap, twins dropped."""

from __future__ import annotations

from _heapq import heappush, heapreplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clawa_search.search.winner import Winner

BEST_FIRST = 10
"""So many hits are ranked by score alone."""


def best(stream: Iterable[Winner], limit: int) -> list[Winner]:
    """Return the *limit* best of *stream*, the best one of each set of twins; of ties the newest.

    Holds at most *limit* entries in its heap, and the best of each set of twins seen.
    Equals sorting everything, keeping the first of each twin, and cutting.
    """
    tops: dict[int, tuple[float, int, int]] = {}
    chosen: dict[int, Winner] = {}
    for number, entry in enumerate(stream):
        twin, rank = entry.twin, (entry.score, entry.ts_ms, -number)
        known = tops.get(twin)
        if known is None or rank > known:
            tops[twin] = rank
            chosen[twin] = entry
    heap: list[tuple[float, int, int, int]] = []
    for twin, rank in tops.items():
        item = (*rank, twin)
        if len(heap) < limit:
            heappush(heap, item)
        elif heap and item > heap[0]:
            heapreplace(heap, item)
    return [chosen[item[3]] for item in sorted(heap, reverse=True)]


def broaden(
    ranked: Sequence[Winner],
    limit: int,
    group: Callable[[Winner], object],
    worth: Callable[[list[Winner]], float],
) -> list[Winner]:
    """Cut *ranked* to *limit*; beyond the first BEST_FIRST, every second place opens a new group.

    Who asks for many hits wants breadth: without this, 25 hits often come from three sessions.

    Args:
        worth: of a group, by its entries, best first: the best group is opened first.
    """
    chosen = list(ranked[:BEST_FIRST])
    seen = {group(entry) for entry in chosen}
    groups: dict[object, list[Winner]] = {}
    for entry in ranked[BEST_FIRST:]:
        groups.setdefault(group(entry), []).append(entry)
    openings = iter([entries[0] for entries in sorted(groups.values(), key=worth, reverse=True)])
    in_turn = iter(ranked[BEST_FIRST:])
    taken: set[int] = set()
    while len(chosen) < limit:
        found = None
        if len(chosen) % 2 == 0:
            found = next((entry for entry in openings if group(entry) not in seen), None)
        if found is None:
            found = next((entry for entry in in_turn if id(entry) not in taken), None)
        if found is None:
            break
        taken.add(id(found))
        seen.add(group(found))
        chosen.append(found)
    return chosen[:limit]
