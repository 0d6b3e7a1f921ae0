r"""Made-up talk between a person and a coding agent, already escaped for JSON.

Everything here returns text as it stands inside a JSON string: a line break is the two
characters ``\n``. Escaping a gigabyte afterwards would cost more than writing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.words import TERMS, Vocabulary

if TYPE_CHECKING:
    from random import Random

_FOREIGN = (
    "— well —",
    "→",
    "✓",
    "Straße",
    "café",
    "naïve",
    "数据库迁移",
    "設定ファイル",
    "데이터베이스",
    "базу данных",
    "🚀",
)
# What ends a sentence, in proportion; a blank follows.
_JOINTS = [*["."] * 20, *["\\n-"] * 5, *[".\\n\\n"] * 4, "?", "!", ":\\n```\\n"]
_POOL = 8_000
_CHARS_A_WORD = 7.1  # with its blank and its share of punctuation, measured over 6 MB


class Prose:
    """Text by the character, from one vocabulary and one pool of identifiers and paths."""

    def __init__(self, rng: Random, vocabulary: Vocabulary) -> None:
        self._rng = rng
        self._vocabulary = vocabulary
        self._idioms = [_idiom(rng, vocabulary) for _ in range(_POOL)]

    def idiom(self) -> str:
        """Return an identifier, path, flag, version or hash; the first ones come most often."""
        return self._idioms[int(_POOL * self._rng.random() ** 3)]

    def sentence(self, words: int) -> str:
        """Return a sentence of about *words* words."""
        drawn = self._vocabulary.draw(self._rng, words)
        drawn[0] = drawn[0].capitalize()
        chance = self._rng.random()
        if chance < 0.5:
            drawn[int(chance * 2 * words)] = self._dressed()
        return " ".join(drawn)

    def text(self, chars: int) -> str:
        """Return sentences, lists and now and then code, about *chars* characters in all."""
        random = self._rng.random
        words = self._vocabulary.draw(self._rng, max(1, int(chars / _CHARS_A_WORD)))
        end, last = int(14 * random()), len(words) - 1
        while end < last:
            words[end] += _JOINTS[int(random() * len(_JOINTS))]
            words[end + 1] = words[end + 1].capitalize()
            if random() < 0.5:
                words[end - 2] = self._dressed()
            end += 4 + int(14 * random())
        words[last] += "."
        if random() < 0.02:
            words.append(self._rng.choice(_FOREIGN))
        return " ".join(words)

    def _dressed(self) -> str:
        word = self.idiom()
        return f"`{word}`" if self._rng.random() < 0.6 else word


def _idiom(rng: Random, vocabulary: Vocabulary) -> str:
    one, two, three = (
        rng.choice(TERMS) if rng.random() < 0.7 else vocabulary.known[rng.randrange(20_000)]
        for _ in range(3)
    )
    shapes = (
        lambda: f"{one}{two.capitalize()}",
        lambda: f"{one}{two.capitalize()}{three.capitalize()}",
        lambda: f"{one}_{two}",
        lambda: f"{one}_{two}_{three}()",
        lambda: f"{one.capitalize()}{two.capitalize()}",
        lambda: f"src/{one}/{two}.ts",
        lambda: f"packages/{one}/src/{two}-{three}.ts:{rng.randrange(1, 900)}",
        lambda: f"./{one}/{two}.py",
        lambda: f"--{one}-{two}",
        lambda: f"v{rng.randrange(3)}.{rng.randrange(40)}.{rng.randrange(20)}",
        lambda: f"{rng.getrandbits(28):07x}",
        lambda: f"#{rng.randrange(1, 4000)}",
        lambda: f"{one.upper()}_{two.upper()}",
        lambda: f"https://{one}.example/{two}/{three}",
    )
    return rng.choice(shapes)()
