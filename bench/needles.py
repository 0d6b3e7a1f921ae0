"""Questions with one known answer each, planted in a made-up history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.words import TERMS

if TYPE_CHECKING:
    from random import Random


_KINDS = ("word", "identifier", "path", "words", "question")


@dataclass(slots=True)
class Needle:
    """A planted message and the question that it answers.

    Attributes:
        kind: word (a word of its own), identifier, path, words (three common words together),
            or question (asked in a sentence, in other forms of the words).
        depth: where in the file it belongs, as a share of the bytes.
        path, line, entry_id: where it landed; line counts from 1.
    """

    kind: str
    query: str
    text: str
    depth: float
    path: str = ""
    line: int = 0
    entry_id: str = ""


def plant(rng: Random, count: int) -> list[Needle]:
    """Return *count* needles of all kinds in turn, not yet placed."""
    return [_needle(rng, number) for number in range(count)]


def _needle(rng: Random, number: int) -> Needle:
    one, two, three = rng.sample(TERMS, 3)
    mark = "".join(rng.choice("bcdfghjkmpqrstvwz") + rng.choice("aeiou") for _ in range(4))
    kind = _KINDS[number % len(_KINDS)]
    if kind == "word":
        query = f"quy{mark}"
        text = f"The {query} was the reason: the {one} came before the {two}."
    elif kind == "identifier":
        query = f"read{mark.capitalize()}{one.capitalize()}"
        text = f"Rename {query} before the {two} is touched."
    elif kind == "path":
        query = f"src/{one}/{mark}.ts"
        text = f"The crash starts in {query}:{41 + number} and ends in the {three}."
    elif kind == "question":
        name = mark.capitalize()
        query = f"why is {name} renaming the {one} when the {two} fails?"
        text = f"{name} renamed each {one} because some {two}s kept failing."
    else:
        query = f"{one} {two} {three}"
        text = f"We agreed on this: the {one} keeps its {two}, and the {three} follows the {one}."
    return Needle(kind, query, text, rng.uniform(0.1, 0.9))
