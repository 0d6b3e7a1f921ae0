"""Whatever the linear scan finds by a whole word, recall finds, on the same line of the same file."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import (
    Home,
    assistant,
    call,
    entry,
    header,
    image,
    shell,
    text,
    thinking,
    tool,
    user,
)
from tests.oracle.scan import scan

WORDS = [
    "banana", "Zebra", "kiwi", "QUARTZ", "running", "flies", "parsing", "naïve", "Größe", "ИВАН", "café",
    "file_name", "getUserById", "HTTPServer", "src/main.py", "v1.2.10", "node.js", "--no-cache", "C++", "POL-358",
    "_handleEvent", "icon_arrowUp", "x86_64", "2026-05-01", "0.26.1", "deadbeef42", "don't", "key:value", "foo@bar.com",
    "https://example.com/a/b", "会议", "설정", "テスト", "🚀", "e2e", "B2B", "iPhone", "TypeScript", "utf-8",
]  # fmt: skip
FILLER = "the and of it we then please look at this next thing with some other words".split()
GLUE = [
    " ",
    "  ",
    "\n",
    ", ",
    ". ",
    " (",
    ") ",
    "` ",
    " `",
    '" ',
    ' "',
    ": ",
    "; ",
    " - ",
    "\t",
    " **",
    "** ",
]

texts = st.lists(
    st.tuples(st.sampled_from([*WORDS, *FILLER]), st.sampled_from(GLUE)), min_size=1, max_size=14
)
SAID: dict[str, Callable[[str], Any]] = {
    "user": user,
    "blocks": lambda said: user([text(said), image("AAAA"), text("and this")]),
    "assistant": lambda said: assistant(thinking("hm"), said, call("bash", command="ls")),
    "custom": lambda said: entry("custom_message", customType="note", content=said),
    "compaction": lambda said: entry("compaction", summary=said),
    "branch": lambda said: entry("branch_summary", summary=said),
    "tool": tool,
    "shell": lambda said: shell("ls", said),
    "thought": lambda said: assistant(thinking(said)),
}


@st.composite
def entries(draw):
    said = "".join(itertools.chain.from_iterable(draw(texts)))
    return SAID[draw(st.sampled_from(sorted(SAID)))](said)


homes = st.lists(st.lists(entries(), min_size=1, max_size=8), min_size=1, max_size=4)


def places(hits):
    return {ref for hit in hits for ref in (hit.ref, *hit.also)}


@settings(max_examples=30)
@given(homes, st.lists(st.sampled_from(WORDS), min_size=1, max_size=12, unique=True), st.booleans())
def test_what_the_scan_finds_recall_finds(tmp_path_factory, files, words, indexed):
    home = Home(tmp_path_factory.mktemp("scan"), indexed=indexed)
    paths = [
        home.write(f"{number}.jsonl", *said, head=header(id=f"s{number}"))
        for number, said in enumerate(files)
    ]
    home.ready()
    for word in words:
        for query in {word, word.lower(), word.upper()}:
            missing = scan(paths, word) - places(home.hits(query, limit=100))
            assert missing == set(), query
    home.close()


@settings(max_examples=15)
@given(homes, homes, st.sampled_from(WORDS))
def test_half_indexed_homes_find_the_same(tmp_path_factory, first, second, word):
    """Some files are indexed, some are not, some have gone on since."""
    home = Home(tmp_path_factory.mktemp("half"))
    paths = [
        home.write(f"a{n}.jsonl", *said, head=header(id=f"a{n}")) for n, said in enumerate(first)
    ]
    home.reindex()
    for number, said in enumerate(second):
        path = home.write(f"b{number}.jsonl", *said, head=header(id=f"b{number}"))
        raw = path.read_bytes()
        if number < len(paths):  # what an agent appends to a session that is indexed
            path.unlink()
            with paths[number].open("ab") as file:
                file.write(raw.split(b"\n", 1)[1].replace(b'"id":"a', b'"id":"b'))
        else:
            paths.append(path)
    expected = scan(paths, word)
    for _ in range(2):
        assert expected <= places(home.hits(word, limit=100))
        home.reindex()
    home.close()


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_found_in_every_place_of_a_sentence(home, word):
    said = [f"{word} first", f"in the {word} middle", f"at the end {word}", f"({word})", f"`{word}`",
            f'"{word}"', f"{word}.", f"{word}, and", f"**{word}**", f"a\n{word}\nb", f"see {word}: x"]  # fmt: skip
    path = home.write("a.jsonl", user("nothing"), *map(user, said))
    expected = scan([path], word)
    assert len(expected) == len(said)
    for query in {word, word.lower(), word.upper(), f" {word} "}:
        assert expected - places(home.hits(query, limit=100)) == set(), query
