"""Our counts are tiktoken's counts; a damaged table is an error, never a wrong number."""

import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import tokens as bench_tokens
from clawa_search.errors import RecallError
from clawa_search.output import tokens
from clawa_search.output.o200k import NO_TOKEN, SHA256, Ranks, published, table_of

PROSE = Path(tokens.__file__).read_text(encoding="utf-8").splitlines()
ENCODING = bench_tokens.official()
WORDS = st.sampled_from(
    [*"aAéÉß1٣中ªः́ '\n\r\t/.!\u2028\u200d👍", "'s", "'LL", "  ", "abc", "XYZ", "123"]
)
TEXTS = st.one_of(
    st.lists(WORDS, max_size=30).map("".join),
    st.text(st.characters(exclude_categories=["Cn"]), max_size=60),
)


def oracle(text: str) -> int:
    return len(ENCODING.encode(text, disallowed_special=()))


@settings(max_examples=1000, deadline=None)
@given(TEXTS)
def test_every_count_is_that_of_tiktoken(text):
    assert tokens.count(text) == oracle(text)


@pytest.mark.parametrize("seed", range(2))
def test_mixed_texts_are_counted_as_by_tiktoken(seed):
    rng = random.Random(seed)
    texts = [bench_tokens.random_text(rng, PROSE) for _ in range(1000)]
    assert bench_tokens.mismatches(texts, ENCODING) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<|endoftext|>",
        "it's IT'S it'\u017f we'Ll you'",
        "a" * 3000,
        "acgt" * 700,
        " " * 3000 + "x",
        "\n \r\n\t\n x",
        "\u0897\u1c89\U00011f50\U0001fae8",  # newer than Unicode 14
        "\ud83d\ude00 \ud800",  # surrogates, paired and alone
        "\x1c\x1d\x1e\x1f \x85\xa0",  # blanks to Python, half of them not to the pattern
    ],
)
def test_odd_texts_are_counted_as_by_tiktoken(text):
    assert tokens.count(text) == oracle(text)


@pytest.mark.parametrize("char", [" ", "7", "=", "ab", "中"])
def test_a_long_run_is_counted_where_tiktoken_would_panic_or_crawl(char):
    text = char * 60_000
    pieces = [text[i : i + 3] for i in range(0, len(text), 3)] if char == "7" else [text]
    assert tokens.count(text) == sum(len(ENCODING._encode_single_piece(piece)) for piece in pieces)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(0, 40))
def test_fits_agrees_with_count(text, budget):
    assert tokens.fits(text, budget) == (oracle(text) <= budget)


def test_a_text_of_few_bytes_is_decided_without_the_table():
    code = (
        "import sys; from clawa_search.output import tokens; assert tokens.fits('x' * 99, 99);"
        "assert not tokens.fits('x' * 9999, 9); assert tokens._ranks is None;"
        "print({'re', 'tiktoken', 'unicodedata', 'json'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == "set()\n"


def test_the_table_is_the_published_file_byte_for_byte():
    file = published(Ranks(tokens.TABLE))
    assert sha256(file).hexdigest() == SHA256
    assert table_of(file) == Path(tokens.TABLE).read_bytes()


def test_what_is_not_a_token_has_no_rank():
    assert Ranks(tokens.TABLE).rank(b"no such token") == NO_TOKEN


@pytest.mark.parametrize("keep", [0, 7, 16, 1000, -1])
def test_a_table_cut_short_is_reported_with_a_remedy(tmp_path, keep):
    path = tmp_path / "o200k_base.table"
    path.write_bytes(Path(tokens.TABLE).read_bytes()[:keep])
    with pytest.raises(RecallError, match=r"o200k_base\.table: it is|cannot mmap") as raised:
        Ranks(str(path))
    assert "reinstall" in raised.value.hint


def test_a_foreign_or_absent_table_is_reported(tmp_path):
    path = tmp_path / "o200k_base.table"
    with pytest.raises(RecallError, match="No such file"):
        Ranks(str(path))
    path.write_bytes(b"o200k/0\n" + Path(tokens.TABLE).read_bytes()[8:])
    with pytest.raises(RecallError, match="this version"):
        Ranks(str(path))


def test_a_full_memory_of_counts_is_emptied_not_grown(monkeypatch):
    monkeypatch.setattr(tokens, "_COUNTS_LIMIT", 10)
    texts = [f"word{n}" for n in range(40)]
    assert [tokens.count(text) for text in texts] == [oracle(text) for text in texts]
    assert len(tokens._counts) <= max(10, 1)
