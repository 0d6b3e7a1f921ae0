"""Made-up tool traffic: what tools print, what agents write, and bytes that look encrypted.

A few megabytes are made once and cut up at line ends; a history is mostly this, and recall
must read past it quickly, not understand it. Everything is escaped for JSON already.
"""

from __future__ import annotations

import base64
import json
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from bench.prose import Prose


class Pool:
    """Escaped lines end to end, from which any number of characters can be cut.

    Attributes:
        text: all lines, each ending in an escaped line break.
    """

    def __init__(self, rng: Random, lines: list[str]) -> None:
        escaped = [json.dumps(line)[1:-1] + "\\n" for line in lines]
        self.text = "".join(escaped)
        self._starts = [0, *accumulate(map(len, escaped))]
        self._rng = rng
        self._mean = len(self.text) / len(escaped)

    def cut(self, chars: int) -> str:
        """Return whole lines from a random place, about *chars* characters, at most all of them."""
        starts = self._starts
        first = int((len(starts) - 1) * self._rng.random())
        start = starts[first]
        last = min(first + 1 + int(chars / self._mean), len(starts) - 1)
        return self.text[start : starts[last]]


class Machinery:
    """The pools of one corpus.

    Attributes:
        output: what `bash`, `grep` and test runners print.
        source: program text, as `read` returns it and `write` takes it.
        diff: the same as numbered patch lines, as `edit` reports it.
    """

    def __init__(self, rng: Random, prose: Prose, lines: int = 12_000) -> None:
        self._rng = rng
        self.output = Pool(rng, [_printed(rng, prose) for _ in range(lines)])
        code = [_code(rng, prose) for _ in range(lines)]
        self.source = Pool(rng, code)
        self.diff = Pool(rng, [f"{'+- '[n % 3]}{n % 900:3d} {line}" for n, line in enumerate(code)])
        self._noise = base64.b64encode(rng.randbytes(400_000)).decode()

    def noise(self, chars: int) -> str:
        """Return *chars* characters of base64 (at most 260,000): a picture, or a signature."""
        start = 4 * int(self._rng.random() * 65_000)
        return self._noise[start : start + chars]

    def command(self, prose: Prose, chars: int) -> str:
        """Return a shell command of about *chars* characters, escaped."""
        words = f"cd /home/u/code && rg -n {prose.idiom()} {prose.idiom()} | head -40"
        return words if chars < 140 else words + " && cat <<'EOF'\\n" + self.source.cut(chars - 90)


def _printed(rng: Random, prose: Prose) -> str:
    number = rng.randrange(1, 2000)
    shapes: tuple[Callable[[], str], ...] = (
        lambda: f"src/{prose.idiom()}.ts:{number}:  {_code(rng, prose)}",
        lambda: f"-rw-r--r-- 1 u u {number * 37:8d} Jun {number % 30 + 1:2d} 10:42 {prose.idiom()}",
        lambda: f" ✓ {prose.sentence(6)} ({number}ms)",
        lambda: f"    at {prose.idiom()} (/home/u/code/{prose.idiom()}:{number}:17)",
        lambda: f"[{number:05d}] INFO {prose.sentence(9)}",
        lambda: json.dumps({"id": number, "name": prose.idiom(), "ok": number % 2 == 0}),
        lambda: "",
    )
    return rng.choice(shapes)()


def _code(rng: Random, prose: Prose) -> str:
    indent = "\t" * rng.randrange(4)
    one, two = prose.idiom(), prose.idiom()
    shapes = (
        f"const {one} = await {two}(options, {{ signal }});",
        f"if ({one} === undefined) throw new Error(`{prose.sentence(5)}`);",
        f"// {prose.sentence(8)}",
        f'import {{ {one} }} from "{two}";',
        f"return {one}.filter((item) => item.{two}).map(String);",
        "}",
        "",
    )
    return indent + rng.choice(shapes)
