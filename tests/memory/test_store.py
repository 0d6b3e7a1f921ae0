"""What remember, forget and reading promise."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.errors import InvalidInputError, NotFoundError
from clawa_search.memory.store import MemoryStore
from clawa_search.memory.writing import MAX_CHARACTERS
from indexer.analysis import Word, query_words, text_tokens
from tests.memory.asking import find, rows_of, texts

LITERALS = Path(__file__).parents[1] / "data/memory_rows.json"


def test_without_a_file_there_are_no_memories_and_none_is_made(store, path):
    assert not store.exists()
    assert store.newest(5) == store.newest(5, ["tag"]) == store.literal("x", 5) == []
    assert store.get(1) is None
    assert store.count() == 0
    assert store.candidates(query_words("banana")).rows == []
    assert store.document_frequencies(["banana"]) == {"banana": 0}
    assert store.newest(9) == []
    assert store.integrity() == []
    assert store.refresh() == 0
    for call in (lambda: store.forget(1), lambda: store.remember("x", memory_id=1)):
        with pytest.raises(NotFoundError):
            call()
    assert not os.path.exists(os.path.dirname(path))


def test_a_text_is_remembered_found_and_forgotten(store):
    assert store.remember("The human likes banana sparks", tags=["Human"]) == ("created", 1)
    assert find(store, "banana") == find(store, "sparks likes") == [1]
    memory = store.get(1)
    assert (memory.id, memory.text, memory.tags) == (
        1,
        "The human likes banana sparks",
        ("human",),
    )
    assert store.forget(1) == ("deleted", 1)
    assert find(store, "banana") == []
    assert store.get(1) is None
    assert store.newest(5) == []


def test_an_update_changes_text_time_and_tags(store):
    store.remember("pears are ripe", tags=["fruit"])
    first = store.get(1)
    assert store.remember("plums are ripe", memory_id=1) == ("updated", 1)
    changed = store.get(1)
    assert changed.ts_ms > first.ts_ms
    assert changed.tags == ("fruit",)
    assert (find(store, "pears"), find(store, "plums")) == ([], [1])
    store.remember("plums are ripe", memory_id=1, tags=["stone", "fruit"])
    assert store.get(1).tags == ("stone", "fruit")
    store.remember("plums are ripe", memory_id=1, tags=[])
    assert store.get(1).tags == ()
    assert store.newest(5, ["fruit"]) == []


def test_an_update_to_the_same_changes_nothing_not_even_the_time(store, path):
    store.remember("pears", tags=["fruit"])
    before = rows_of(path)
    assert store.remember(" pears ", memory_id=1) == ("unchanged", 1)
    assert store.remember("pears", memory_id=1, tags=["Fruit"]) == ("unchanged", 1)
    assert rows_of(path) == before


def test_an_empty_text_with_an_id_deletes(store):
    store.remember("pears")
    assert store.remember(" \n", memory_id=1) == ("deleted", 1)
    assert store.newest(5) == []


def test_an_id_is_never_used_again(store, path):
    for text in ("one", "two", "three"):
        store.remember(text)
    store.forget(3)
    store.forget(2)
    assert store.remember("four") == ("created", 4)
    store.forget(4)
    store.close()
    with MemoryStore(path) as again:
        assert again.remember("five") == ("created", 5)


def test_what_cannot_be_done_is_said_and_nothing_changes(store, path):
    store.remember("pears")
    before = rows_of(path)
    for number in (2, 0, -1, 1 << 70):
        with pytest.raises(NotFoundError, match=str(number)):
            store.remember("x", memory_id=number)
        with pytest.raises(NotFoundError):
            store.forget(number)
        assert store.get(number) is None
    for text in ("", " \t\n"):
        with pytest.raises(InvalidInputError):
            store.remember(text)
    with pytest.raises(InvalidInputError, match="100,001"):
        store.remember("x" * (MAX_CHARACTERS + 1))
    assert rows_of(path) == before


def test_the_longest_text_is_kept_whole(store):
    text = "word " * (MAX_CHARACTERS // 5 - 1) + "last!"
    store.remember(text)
    assert len(text) == MAX_CHARACTERS
    assert store.get(1).text == text
    assert find(store, "last") == [1]


@given(text=st.text(alphabet=st.characters(exclude_categories=()), min_size=1, max_size=80))
def test_every_text_is_stored_exactly_but_for_what_cannot_be(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("store") / "m.sqlite"
    with MemoryStore(str(path)) as store:
        if not text.strip():
            return
        store.remember(text)
        (memory,) = store.newest(1)
        kept = memory.text
        expected = "".join(
            "\ufffd" if sign == "\0" or "\ud800" <= sign <= "\udfff" else sign
            for sign in text.strip()
        )
        assert kept == expected
        (row,) = rows_of(path)
        assert row[2] == kept
        tokens = text_tokens(kept)
        if tokens:
            assert find(store, kept)[:1] == [1]


def test_the_file_and_its_folder_are_private_but_others_are_left_alone(store, path, tmp_path):
    store.remember("pears")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(path + "-wal").st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    (shared / "m.sqlite").touch(mode=0o644)
    with MemoryStore(str(shared / "m.sqlite")) as other:
        other.remember("pears")
    assert stat.S_IMODE(os.stat(shared).st_mode) == 0o755
    assert stat.S_IMODE(os.stat(shared / "m.sqlite").st_mode) == 0o644


def test_newest_is_by_time_then_id(store, foreign):
    for ts, text in ((30, "c"), (10, "a"), (30, "d"), (20, "b")):
        foreign.execute("INSERT INTO memories (ts, text) VALUES (?, ?)", (ts, text))
    assert texts(store) == ["d", "c", "b", "a"]
    assert [memory.text for memory in store.newest(2)] == ["d", "c"]
    assert [memory.text for memory in store.newest(9, since_ms=20, until_ms=29)] == ["b"]


def test_all_tags_must_be_there_exactly(store):
    store.remember("one", tags=["a", "b"])
    store.remember("two", tags=["a", "a:b"])
    store.remember("three a b")
    assert [m.id for m in store.newest(9, ["a"])] == [2, 1]
    assert [m.id for m in store.newest(9, ["A", "b"])] == [1]
    assert [m.id for m in store.newest(1, ["a"])] == [2]
    assert store.newest(9, ["c"]) == store.newest(9, ["a", "c"]) == []
    assert find(store, "one two three", tags=["a", "b"]) == [1]
    assert find(store, "one two three", tags=["b", "a:b"]) == []


def test_tags_are_found_by_words_as_a_whole_and_in_part(store):
    store.remember("first", tags=["project:clawa"])
    store.remember("second about a project")
    assert find(store, "clawa") == [1]
    assert set(find(store, "project")) == {1, 2}
    assert find(store, "project:clawa") == [1]


def test_phrases_must_exclusions_must_not_and_words_only_lift(store):
    for text in ("red apple pie", "apple red pie", "red apple jam", "pie"):
        store.remember(text)
    phrase = [Word("", ("red", "appl"))]
    assert set(find(store, "", phrases=phrase)) == {1, 3}
    assert find(store, "jam", phrases=phrase)[0] == 3
    assert find(store, "pie", phrases=phrase, excluded=[Word("", ("jam",))]) == [1]
    assert set(find(store, "pie", excluded=phrase)) == {2, 4}


def test_times_bound_a_search(store, foreign):
    for ts in (10, 20, 30):
        foreign.execute("INSERT INTO memories (ts, text) VALUES (?, 'pear')", (ts,))
    store.refresh()
    assert len(find(store, "pear")) == 3
    assert find(store, "pear", since_ms=20) == [4, 3]
    assert find(store, "pear", until_ms=20) == [3, 2]
    assert find(store, "pear", since_ms=21, until_ms=29) == []


def test_a_candidate_carries_what_a_caller_needs_to_score_it(store):
    store.remember("The file_name is red red", tags=["Config:x"])
    store.remember("another red thing")
    answer = store.candidates(query_words("file_name red"))
    first = answer.rows[0]
    assert first.id == 1
    assert first.text_tokens == text_tokens(first.text)
    assert "file_name" in first.code_tokens
    assert first.tag_tokens[0] == "config:x"
    assert first.tags == ("config:x",)
    assert first.ts_ms > 0
    assert answer.df["red"] == store.document_frequencies(["red"])["red"] == 2
    assert answer.df["file"] == 1
    assert (
        answer.code_df["file_name"]
        == store.document_frequencies(["file_name"], "code")["file_name"]
        == 1
    )
    assert answer.df["name"] == 1
    assert answer.total_rows == store.count() == 2
    assert answer.total_tokens == len(first.text_tokens) + 3
    assert answer.complete
    assert answer.notes == []


def test_literal_signs_match_themselves_only(store, foreign):
    for row in json.loads(LITERALS.read_text()):
        foreign.execute(
            "INSERT INTO memories (id, ts, text) VALUES (?, 1, ?)", (row["id"] + 10, row["text"])
        )
    for _ in range(2):
        assert find(store, "100%")[:1] == [11]
        assert find(store, "file_name") == [13]
        assert [m.id for m in store.literal("100%", 9)] == [11]
        assert [m.id for m in store.literal("%", 9)] == [11]
        assert [m.id for m in store.literal("_", 9)] == [13]
        assert [m.id for m in store.literal("\\", 9)] == [15]
        assert store.literal("'; DROP TABLE memories; --", 9) == store.literal("", 9) == []
        store.refresh()


def test_literal_obeys_limit_tags_and_time(store):
    store.remember("a % sign", tags=["x"])
    store.remember("more % signs")
    last = store.get(2).ts_ms
    assert [m.id for m in store.literal("%", 1)] == [2]
    assert [m.id for m in store.literal("%", 9, tags=["x"])] == [1]
    assert [m.id for m in store.literal("%", 9, until_ms=last - 1)] == [1]
    assert [m.id for m in store.literal("%", 9, since_ms=last)] == [2]


@given(query=st.text(max_size=40))
def test_no_query_is_an_error(tmp_path_factory, query):
    path = tmp_path_factory.mktemp("store") / "m.sqlite"
    with MemoryStore(str(path)) as store:
        store.remember('a "quoted" NOT text* AND (more) ^with: {signs}')
        find(store, query)
        find(store, query, phrases=[Word("", (query,))], excluded=[Word("", (query, '"'))])
        store.literal(query, 5)
        store.document_frequencies([query])


def test_a_file_that_was_replaced_or_removed_is_noticed(store, path, tmp_path):
    store.remember("pears")
    store.close()
    with MemoryStore(str(tmp_path / "other.sqlite")) as other:
        other.remember("plums")
        other.remember("figs")
    assert texts(store) == ["pears"]
    store.remember("pears again")
    for suffix in ("-wal", "-shm", ""):
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)
    assert store.newest(5) == []
    os.rename(tmp_path / "other.sqlite", path)
    assert texts(store) == ["figs", "plums"]
    assert store.remember("more") == ("created", 3)
