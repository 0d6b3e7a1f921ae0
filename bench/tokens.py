"""Compare our o200k counts with tiktoken: random texts, every code point, speed, cold cost.

    python -m bench.tokens [--texts 100000] [--seed 1]

Exit 1 when a single count differs. tiktoken gets its ranks from our table, so nothing is loaded
from the network; its pattern is its own.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import tiktoken
from tiktoken_ext import openai_public  # type: ignore[import-untyped]

from clawa_search.output import tokens
from clawa_search.output.o200k import Ranks, published

_PIECES = (
    "the quick brown Fox", "don't", "WE'LL", "I'Ve", "it'\u017f", "'s", "'", "x'", "camelCaseWord",
    "HTTPServer", "snake_case", "/usr/local/bin/python3.11", "--max-tokens=10", "3.14159",
    "1234567890", "\u0661\u0662\u0663\u0664", "\u0967\u0968\u0969", "\u00bd\u2167", "日本語のテキスト",
    "中文分词没有空格", "한국어 문장", "ภาษาไทย", "नमस्ते दुनिया", "Привет, МИР", "ΑΒΓαβγς",
    "e\u0301a\u0308\u0323", "\u0301", "\u200d", "\ufe0f", "👩\u200d👩\u200d👧", "🏳️\u200d🌈", "👍🏽", "🇩🇪",
    "\U0001fae8", "\ufeff", "\u1c89\u1c8a", "\u01c5", "ǅaBc", "ªº", "ﬁn", "Straße", "ĲSSEL",
    "\r\n", "\n", "\n\n", "\r", "\t", " ", "  ", "     ", "\u00a0", "\u3000", "\u2028", "\x85", "\x1c",
    "\x00", "\x7f", "\x0b\x0c", "!", "...", "=====", "//", "/\n/", "?!\r\n", "{\"key\": [1, 2]}",
    "def f(x):\n    return x\n", "<|endoftext|>", "<br/>\n", "https://example.org/a?b=c#d", "\\u00e9",
    "aGVsbG8gd29ybGQh", "deadbeefCAFE0123", "aaaaaaaaaaaaaaaa", "AAAAAAAAAAAAAAAAA", "\ud83d\ude00",
    "\ud800",
)  # fmt: skip
_RANGES = (
    (0x20, 0x7F), (0, 0x20), (0x80, 0x250), (0x250, 0x600), (0x600, 0xE80), (0x2000, 0x2C00),
    (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0xA640, 0xAB70), (0xF900, 0x10000),
    (0x10000, 0x12000), (0x16000, 0x17000), (0x1CC00, 0x1E000), (0x1E000, 0x20000),
    (0x2E000, 0x33000), (0xE0000, 0xE0200),
)  # fmt: skip


_TIKTOKEN_NAME = "fb374d419588a4632f3f557e76b4b70aebbca790"  # under which tiktoken caches the file


def official() -> tiktoken.Encoding:
    """Return tiktoken's own o200k_base, with the ranks of our table."""
    ranks = {token: rank for rank, token in Ranks(tokens.TABLE)}
    with mock.patch.object(openai_public, "load_tiktoken_bpe", return_value=ranks):
        return tiktoken.Encoding(**openai_public.o200k_base())


def random_text(rng: random.Random, prose: list[str]) -> str:
    """Return a text of some words, scripts, blanks and single characters."""
    parts: list[str] = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.45:
            parts.append(rng.choice(_PIECES))
        elif kind < 0.75:
            first, end = rng.choice(_RANGES)
            parts += (chr(rng.randrange(first, end)) for _ in range(rng.randint(1, 5)))
        elif kind < 0.9:
            line = rng.choice(prose)
            start = rng.randrange(len(line) + 1)
            parts.append(line[start : start + rng.randint(1, 200)])
        else:
            parts.append(rng.choice((" ", "\n", "a", "A", "1", "中", "=")) * rng.randint(1, 60))
        if rng.random() < 0.4:
            parts.append(rng.choice((" ", "  ", "\n", "\t", "'", ".")))
    return "".join(parts)


def every_code_point() -> list[str]:
    """Return short texts that together hold every code point in telling company."""
    texts = []
    for point in range(0x110000):
        char = chr(point)
        texts.append(f"a{char}B1{char} {char}\n{char}{char}'s")
    return texts


def mismatches(texts: list[str], encoding: tiktoken.Encoding) -> list[str]:
    """Return the texts that we count otherwise than tiktoken."""
    return [
        text
        for text in texts
        if tokens.count(text) != len(encoding.encode(text, disallowed_special=()))
    ]


def _cold_ms(code: str, cache: str, runs: int = 21) -> float:
    took = []
    for _ in range(runs):
        start = time.perf_counter()
        environment = {**os.environ, "TIKTOKEN_CACHE_DIR": cache}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        took.append((time.perf_counter() - start) * 1000)
    return sorted(took)[runs // 2]


def _report_cold(prose: list[str]) -> None:
    excerpts = [" ".join(prose)[i * 500 : i * 500 + 500] for i in range(10)]
    ours = f"from clawa_search.output import tokens\nfor t in {excerpts!r}: tokens.count(t)"
    theirs = (
        "import tiktoken\ne = tiktoken.get_encoding('o200k_base')\n"
        f"for t in {excerpts!r}: len(e.encode_ordinary(t))"
    )
    with tempfile.TemporaryDirectory() as cache:
        (Path(cache) / _TIKTOKEN_NAME).write_bytes(published(Ranks(tokens.TABLE)))
        nothing = _cold_ms("pass", cache)
        print(f"cold, 10 excerpts of 500 characters: pass {nothing:.1f} ms", end="")
        print(f", import re +{_cold_ms('import re', cache) - nothing:.1f}", end="")
        print(f", ours +{_cold_ms(ours, cache) - nothing:.1f}", end="")
        print(f", tiktoken +{_cold_ms(theirs, cache, 5) - nothing:.1f}")


def _report_speed(prose: list[str]) -> None:
    text = "\n".join(prose)[:200_000]
    for name in ("first", "again"):
        start = time.perf_counter()
        tokens.count(text)
        took = time.perf_counter() - start
        print(f"count, {name} time: {len(text) / took / 1e6:.2f} M characters/s")
    start = time.perf_counter()
    found = tokens.count("a" * 1_000_000)
    print(f"1 MB of one letter: {found} tokens in {time.perf_counter() - start:.1f} s")


def main() -> int:
    """Print every comparison; return 1 when a count differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    files = sorted(Path(__file__).parent.parent.rglob("clawa_search/**/*.py"))
    prose = [line for file in files for line in file.read_text().splitlines() if line]
    encoding = official()
    wrong = mismatches([random_text(rng, prose) for _ in range(arguments.texts)], encoding)
    print(f"{arguments.texts} random texts, seed {arguments.seed}: {len(wrong)} mismatches")
    points = mismatches(every_code_point(), encoding)
    print(f"{0x110000} code points: {len(points)} mismatches")
    for text in (wrong + points)[:10]:
        print("  ", ascii(text))
    _report_speed(prose)
    _report_cold(prose)
    return 1 if wrong or points else 0


if __name__ == "__main__":
    sys.exit(main())
