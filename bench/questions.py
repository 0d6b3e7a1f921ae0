"""Questions of every class for a made-up history, drawn from its vocabulary by frequency."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from bench.words import TERMS, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

# Content words of the highest ranks: each stands in 5 to 30 % of all entries.
_VERY_COMMON = "file code test error fix change line function command problem".split()
_COUNT = 60


def questions(seed: int = 1, count: int = _COUNT) -> dict[str, list[str]]:
    """Return *count* questions a class; the same for the same *seed*.

    Classes by the share of entries that hold the words, for entries of 35 words: rare 0.01 %
    and less, mid about 0.1 %, common about 1 %, very common 5 to 30 %.
    """
    rng, vocabulary = Random(seed), Vocabulary()

    def rare() -> str:
        return vocabulary.word(rng.randrange(25_000, 60_000))

    def mid() -> str:
        return vocabulary.word(rng.randrange(2_000, 6_000))

    def common() -> str:
        return rng.choice(TERMS)

    def very() -> str:
        return rng.choice(_VERY_COMMON)

    def pair() -> str:
        return " ".join(rng.sample(_VERY_COMMON, 2))

    shapes: dict[str, Callable[[], str]] = {
        "one rare word": rare,
        "one mid word": mid,
        "one common word": common,
        "one very common word": very,
        "three words, mixed": lambda: f"{rare()} {mid()} {common()}",
        "three very common words": lambda: " ".join(rng.sample(_VERY_COMMON, 3)),
        "eight words": lambda: " ".join([rare(), mid(), mid(), *(common() for _ in range(5))]),
        "a sentence": lambda: f"why did we change the {common()} of the {common()} in the {mid()}",
        "a phrase": lambda: f'"{pair()}"',
        "an identifier": lambda: f"{common()}{common().capitalize()}",
        "a path": lambda: f"src/{common()}/{common()}.ts",
        "a word that is nowhere": lambda: f"qx{rare()}zz",
        "nothing: the newest": lambda: "",
    }
    return {name: [shape() for _ in range(count)] for name, shape in shapes.items()}
