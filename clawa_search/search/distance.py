"""How many mistakes lie between two words."""

from __future__ import annotations


def distance(left: str, right: str, most: int) -> int:
    """Return the edits (insert, delete, replace, swap) between two words, or most + 1."""
    start = 0
    shorter = min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return _distance(left[start : len(left) - end], right[start : len(right) - end], most)


def _distance(left: str, right: str, most: int) -> int:
    """Do the same for words that begin and end differently: only cells near the diagonal count."""
    beyond = most + 1
    wide = len(right) + 1
    if abs(len(left) - len(right)) > most:
        return beyond
    before: list[int] = []
    row = list(range(wide))
    for at, letter in enumerate(left, 1):
        above, row = row, [beyond] * wide
        row[0] = least = at
        for to in range(max(1, at - most), min(wide, at + most + 1)):
            other = right[to - 1]
            cost = above[to - 1]
            if letter != other:
                cost = min(cost, above[to], row[to - 1]) + 1
                if at > 1 and to > 1 and letter == right[to - 2] and left[at - 2] == other:
                    cost = min(cost, before[to - 2] + 1)
            row[to] = cost
            least = min(least, cost)
        if least > most:
            return beyond
        before = above
    return min(row[-1], beyond)
