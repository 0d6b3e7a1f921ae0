"""Whether entries are indexed, read in memory, or half of each: the answer holds the same hits."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import Home, assistant, chain, entry, header, lines, tool, user

NOUNS = "banana kiwi zebra quartz getUserById file_name 会议 C++ v1.2.10 running port 8080".split()
SMALL = "the of and".split()
SAID: dict[str, Callable[[str], Any]] = {
    "user": user,
    "assistant": assistant,
    "custom": lambda said: entry("custom_message", customType="n", content=said),
    "compaction": lambda said: entry("compaction", summary=said),
    "tool": tool,
    "name": lambda said: entry("session_info", name=said),
}

texts = st.lists(st.sampled_from(NOUNS + SMALL), min_size=1, max_size=6).map(" ".join)
said = st.tuples(st.sampled_from(sorted(SAID)), texts)
files = st.lists(st.lists(said, min_size=1, max_size=8), min_size=1, max_size=3)
plain = st.lists(st.sampled_from(NOUNS + SMALL), min_size=1, max_size=5).map(" ".join)
queries = st.one_of(
    plain,
    plain.map(lambda query: f'"{query}"'),
    st.tuples(plain, plain).map(lambda two: f'{two[0]} -"{two[1]}"'),
    st.tuples(plain, st.sampled_from(["role:user", "role:assistant", "since:2026-01-02"])).map(
        " ".join
    ),
    st.sampled_from(["", "*", "ban*", "bananna~", "run*", "%", "role:user", "nowhere", "bananas"]),
)


def facts(hits):
    return {
        (
            *(
                hit.kind,
                hit.ref,
                hit.role,
                hit.ts_ms,
                hit.copies,
                hit.edited,
                hit.live,
                hit.excerpt,
            ),
            *(hit.entry_id, hit.session_id, hit.project, hit.truncated, tuple(sorted(hit.also))),
        )
        for hit in hits
    }


def write(home, made, fork, edited):
    """Write the files, a fork of the first, and what later edits took out of the context."""
    for number, one in enumerate(made):
        entries = chain(*(SAID[kind](text) for kind, text in one), prefix=f"{number}")
        if edited and number == 0:
            entries += chain(entry("context_edit", targetId="00000001", replacement=None), first=50)
        home.write(f"{number}.jsonl", *entries, head=header(f"/srv/{number}", f"s{number}"))
        if fork and number == 0:
            head = header("/srv/fork", "f", parentSession="0") | {
                "timestamp": "2026-02-02T00:00:00Z"
            }
            home.write("fork.jsonl", *entries, user("forked banana"), head=head)


def go_on(home):
    """Append a branch to the first file, after it was indexed."""
    more = chain(user("later kiwi banana"), assistant("later answer"), first=70, parent="00000001")
    with (home.sessions / "0.jsonl").open("ab") as file:
        file.write(lines(*more))


@settings(max_examples=25)
@given(
    files, st.booleans(), st.booleans(), st.booleans(), st.lists(queries, min_size=2, max_size=6)
)
def test_the_answer_holds_the_same(tmp_path_factory, made, fork, edited, goes_on, asked):
    root = tmp_path_factory.mktemp("same")
    found = {}
    for state in ("fresh", "half", "indexed"):
        home = Home(root / "here")
        write(home, made, fork, edited)
        if state == "half":
            home.reindex(home.sessions / "0.jsonl")
        if goes_on:
            go_on(home)
        if state == "indexed":
            home.reindex()
        found[state] = [facts(home.hits(query, limit=100)) for query in asked]
        home.close()
        (root / "here").rename(root / state)
    assert found["half"] == found["fresh"]
    assert found["indexed"] == found["fresh"]
