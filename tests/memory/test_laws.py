"""Whatever happens to the file, it answers as a fresh one with the same rows."""

import sqlite3

from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.memory.store import MemoryStore
from tests.memory.asking import DELETE, INSERT, UPDATE, answers, rebuilt, rows_of
from tests.memory.conftest import Clock

WORDS = ["pear", "plum", "red", "Red pear", "file_name", "don't", "v1.2.10", "the", "DB锁", "C++"]
TAGS = ["a", "b", "project:x"]
QUERIES = ["pear", "red pear", "file_name", "1.2.10", "锁", "a", "project", "plum the"]
STORED_TAGS = ["[]", '["a"]', '["a", "B", 3]', "{", "null", '["project:x","b"]', ""]

text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
number = st.integers(1, 8)
step = st.one_of(
    st.tuples(st.just("remember"), text, st.lists(st.sampled_from(TAGS), max_size=2)),
    st.tuples(st.just("update"), number, text, st.none() | st.lists(st.sampled_from(TAGS))),
    st.tuples(st.just("forget"), number),
    st.tuples(st.just("refresh")),
    st.tuples(st.just("reopen")),
    st.tuples(st.just("insert"), st.integers(0, 99), text, st.sampled_from(STORED_TAGS)),
    st.tuples(st.just("replace"), number, text, st.sampled_from(STORED_TAGS)),
    st.tuples(st.just("change"), st.integers(0, 99), text, st.sampled_from(STORED_TAGS), number),
    st.tuples(st.just("retag"), st.sampled_from(STORED_TAGS), number),
    st.tuples(st.just("touch"), st.integers(0, 99), number),
    st.tuples(st.just("renumber"), number, st.integers(9, 12)),
    st.tuples(st.just("delete"), number),
    st.tuples(st.just("clear")),
)
SQL = {
    "insert": INSERT,
    "replace": "INSERT OR REPLACE INTO memories (id, ts, text, tags) VALUES (?, 5, ?, ?)",
    "change": UPDATE,
    "retag": "UPDATE memories SET tags = ? WHERE id = ?",
    "touch": "UPDATE memories SET ts = ? WHERE id = ?",
    "renumber": "UPDATE OR REPLACE memories SET id = ?2 WHERE id = ?1",
    "delete": DELETE,
    "clear": "DELETE FROM memories",
}


def do(store, foreign, name, *values):
    known = {memory.id for memory in store.newest(1 << 40)}
    if name == "remember":
        store.remember(values[0], tags=values[1])
    elif name == "update" and values[0] in known:
        store.remember(values[1], memory_id=values[0], tags=values[2])
    elif name == "forget" and values[0] in known:
        store.forget(values[0])
    elif name == "refresh":
        store.refresh()
    elif name == "reopen":
        store.close()
    elif name in SQL:
        foreign.execute(SQL[name], values)


@settings(max_examples=60)
@given(steps=st.lists(step, max_size=14))
def test_any_history_answers_like_a_fresh_store_with_its_rows(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("law")
    path = str(folder / "m.sqlite")
    store = MemoryStore(path, clock=Clock())
    store.remember("the first red pear", tags=["a"])
    foreign = sqlite3.connect(path, isolation_level=None)
    try:
        for name, *values in steps:
            do(store, foreign, name, *values)
        said = answers(store, QUERIES, TAGS)
        with rebuilt(str(folder / "fresh.sqlite"), rows_of(path)) as fresh:
            assert said == answers(fresh, QUERIES, TAGS)
        assert store.integrity() == []
        store.refresh()
        assert answers(store, QUERIES, TAGS) == said
        assert store.integrity() == []
    finally:
        foreign.close()
        store.close()


@settings(max_examples=25)
@given(steps=st.lists(step, max_size=12))
def test_no_history_uses_an_id_twice(tmp_path_factory, steps):
    path = str(tmp_path_factory.mktemp("law") / "m.sqlite")
    store = MemoryStore(path, clock=Clock())
    store.remember("seed")
    foreign = sqlite3.connect(path, isolation_level=None)
    highest = 1
    try:
        for name, *values in steps:
            do(store, foreign, name, *values)
            highest = max([highest, *(memory.id for memory in store.newest(1 << 40))])
        _, ours = store.remember("one more")
        theirs = foreign.execute(INSERT, (1, "and one", "[]")).lastrowid
        assert theirs is not None
        assert highest < ours < theirs
    finally:
        foreign.close()
        store.close()


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_of_what_was_forgotten_no_word_is_left_in_any_file(tmp_path_factory, random):
    folder = tmp_path_factory.mktemp("forget")
    with MemoryStore(str(folder / "m.sqlite")) as store:
        words: dict[int, list[str]] = {}
        for step in range(random.choice([40, 120])):
            if words and random.random() < 0.3:
                number = random.choice(sorted(words))
                store.forget(number)
                raw = b"".join(path.read_bytes() for path in folder.iterdir()).lower()
                assert not [word for word in words.pop(number) if word.encode() in raw]
            else:
                said = [f"w{step}x{at}q" for at in range(random.choice([5, 20, 60]))]
                words[store.remember(" ".join(said), tags=["t"])[1]] = said
