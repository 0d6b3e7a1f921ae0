"""Measures of a ranked answer, defined as the published benchmarks define them.

Recall is the share of the evidence that stands in the first *k*; everything is averaged over
questions with equal weight.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

CUTS = (5, 10, 25)
NAMES = ("R@5", "R@10", "R@25", "hit@1", "hit@5", "MRR", "nDCG@10")


def recall_at(ranked: Sequence[str], evidence: Collection[str], cut: int) -> float:
    """Return the share of *evidence* within the first *cut* of *ranked*."""
    found = set(ranked[:cut])
    return sum(item in found for item in set(evidence)) / len(set(evidence))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """Return 1 / (rank of the first evidence, from 1), 0 when there is none."""
    return next((1 / rank for rank, item in enumerate(ranked, 1) if item in evidence), 0.0)


def ndcg_at(ranked: Sequence[str], evidence: Collection[str], cut: int = 10) -> float:
    """Return the discounted gain of *ranked* over the best possible one; relevance is 0 or 1."""
    gains = [1 / log2(rank + 1) for rank in range(1, cut + 1)]
    got, left = 0.0, set(evidence)
    for gain, item in zip(gains, ranked, strict=False):
        if item in left:
            got += gain
            left.remove(item)
    return got / sum(gains[: len(set(evidence))])


def measure(ranked: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Return every measure in `NAMES` for one question; *evidence* is not empty."""
    wanted = set(evidence)
    return {
        **{f"R@{cut}": recall_at(ranked, wanted, cut) for cut in CUTS},
        "hit@1": float(any(item in wanted for item in ranked[:1])),
        "hit@5": float(any(item in wanted for item in ranked[:5])),
        "MRR": reciprocal_rank(ranked, wanted),
        "nDCG@10": ndcg_at(ranked, wanted),
    }


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over *rows*, empty for no rows."""
    if not rows:
        return {}
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a *positive* value is above a *negative* one; ties count half.

    0.5 says that the value tells nothing. NaN when either side is empty.
    """
    if not positive or not negative:
        return float("nan")
    values = sorted([(value, True) for value in positive] + [(value, False) for value in negative])
    ranks, start = 0.0, 0
    while start < len(values):
        end = start
        while end < len(values) and values[end][0] == values[start][0]:
            end += 1
        middle = (start + 1 + end) / 2  # ranks start+1 .. end share their mean
        ranks += middle * sum(label for _, label in values[start:end])
        start = end
    pairs = len(positive) * len(negative)
    return (ranks - len(positive) * (len(positive) + 1) / 2) / pairs


def paired(
    one: Sequence[Mapping[str, float]], other: Sequence[Mapping[str, float]], name: str
) -> dict[str, float]:
    """Return how far *one* is above *other* in measure *name*, in points, question by question.

    `half_width` is that of the 95 % interval of the mean difference (normal approximation).
    """
    gaps = [100 * (a[name] - b[name]) for a, b in zip(one, other, strict=True)]
    count = len(gaps)
    middle = sum(gaps) / count if count else 0.0
    variance = sum((gap - middle) ** 2 for gap in gaps) / max(1, count - 1)
    return {
        "difference": round(middle, 1),
        "half_width": round(1.96 * (variance / max(1, count)) ** 0.5, 1),
        "better": sum(gap > 0 for gap in gaps),
        "worse": sum(gap < 0 for gap in gaps),
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that *share* (0 to 1) of *values* do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
