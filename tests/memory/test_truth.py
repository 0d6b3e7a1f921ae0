"""Answers that a plain look at all memories would give, and files that are not ours."""

import json
import os
import sqlite3
import time

import pytest

from clawa_search.errors import InvalidInputError, StoreError
from clawa_search.memory import listing
from clawa_search.memory.tags import wanted_tags
from indexer.analysis import query_words
from tests.builders import Home
from tests.memory.asking import INSERT, UPDATE, find, make_old, texts

LAST_ID = (1 << 63) - 1
TIMES = {"text": "2026-01-05T10:00:00Z", "ns": 1767323046000000000, "none": 0, "ms": 1767323046000}


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


def fill(home, rows, *, index=True):
    """Add `(ts, text, tags)` as another program does."""
    home.recall.remember("seed note")
    con = sqlite3.connect(home.recall.places.database)
    con.executemany(INSERT, rows)
    con.commit()
    con.close()
    if index:
        home.recall.memories.refresh()


@pytest.mark.parametrize("index", [False, True])
def test_of_equal_memories_the_newest_are_found(home, index):
    fill(home, [(1000 + run, f"backup done run {run}", "[]") for run in range(10, 50)], index=index)
    found = [hit.excerpt for hit in home.hits("backup", source="memory", limit=5)]
    assert found == [f"backup done run {run}" for run in (49, 48, 47, 46, 45)]


def test_beside_a_phrase_another_spelling_is_ranked(home):
    rows = [(1000 + number, f"status report item{number % 300}x", "[]") for number in range(600)]
    filler = " ".join(f"item{number}x" for number in range(30))
    report = f"status report of the week: the color of the login button was changed {filler}"
    fill(home, [*rows, (500, report, "[]")])
    for query in ('"status report" colour', '"status report" color'):
        assert home.hits(query, source="memory")[0].excerpt.startswith("status report of the week")


@pytest.mark.parametrize("more", [{}, {"tags": ("paint",)}, {"since_ms": 1}])
def test_the_spelling_that_was_typed_comes_first(home, more):
    rows = [(1000 + number, f"note {number} about water", "[]") for number in range(2000)]
    rows += [(9000 + number, f"grey wall number {number}", '["paint"]') for number in range(900)]
    rows += [(5000 + number, f"a gray wall number {number}", '["paint"]') for number in range(60)]
    fill(home, rows)
    found = home.hits("grey", source="memory", **more)
    assert all(hit.excerpt.startswith("grey") for hit in found)
    assert len(found) == 10


def test_a_memory_of_several_spellings_is_not_left_between_them(home):
    rows = [(1000 + number, f"note {number} about water and wind", "[]") for number in range(6000)]
    rows += [(9000, f"invoice number {number} sent", "[]") for number in range(400)]
    rows += [(9000, f"color number {number} sent", "[]") for number in range(400)]
    wanted = "the invoice template has the wrong color in its header row here"
    fill(home, [*rows, (20_000, wanted, "[]"), (20_001, "ledger", "[]"), (20_002, "colour", "[]")])
    found = home.hits("invoice colour ledger", source="memory")
    assert wanted in [hit.excerpt for hit in found]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE memories_fts(notes TEXT); INSERT INTO memories_fts VALUES ('precious')",
        """CREATE VIRTUAL TABLE memories_fts USING fts5(notes);
        INSERT INTO memories_fts VALUES ('precious')""",
        "CREATE VIEW memories_df AS SELECT 'precious' AS notes",
    ],
)
def test_a_table_of_another_program_stays(store, path, sql):
    make_old(path, [(1, 1, "a banana", "[]")])
    con = sqlite3.connect(path)
    con.executescript(sql)
    con.commit()
    name = "memories_df" if "VIEW" in sql else "memories_fts"
    assert find(store, "banana") == [1]
    with pytest.raises(StoreError, match=f"{name} is another program's"):
        store.remember("a plum")
    assert con.execute(f"SELECT notes FROM {name}").fetchall() == [("precious",)]
    con.close()


@pytest.mark.parametrize(
    ("columns", "number"), [("id TEXT PRIMARY KEY", "abc"), ("id REAL", 1.5), ("id INTEGER", None)]
)
def test_ids_that_are_no_numbers_are_told(home, columns, number):
    path = home.recall.places.database
    sql = f"CREATE TABLE memories({columns}, ts INTEGER, text TEXT, tags TEXT)"
    make_old(path, [(number, 1, "an apple", "[]")], sql)
    (home.sessions / "a").parent.mkdir(parents=True, exist_ok=True)
    for query in ("apple", ""):
        answer = home.ask(query)
        assert answer.hits == []
        assert not answer.complete
        assert any("is not ours" in note for note in answer.notes), answer.notes


def test_after_the_last_id_there_is_room_again(store, foreign):
    store.remember("one")
    insert = "INSERT INTO memories (id, ts, text) VALUES (?, 1, 'x')"
    foreign.execute(insert, (LAST_ID,))
    with pytest.raises(StoreError, match="no id is left"):
        store.remember("two")
    store.forget(LAST_ID)
    first = store.remember("two")[1]
    assert [store.remember(text)[1] for text in ("three", "four")] == [first + 1, first + 2]
    assert first < 10


def test_a_tag_that_cannot_be_kept_clears_no_others(store):
    store.remember("a", tags=["x", "y"])
    store.remember(None, memory_id=1, tags=["日本"])
    assert store.get(1).tags == ("x", "y")
    store.remember(None, memory_id=1, tags=[])
    assert store.get(1).tags == ()


def test_more_tags_than_a_memory_can_have_are_all_wanted(store):
    tags = [f"t{number}" for number in range(12)]
    store.remember("b", tags=tags)
    assert len(store.newest(5, tags)) == len(find(store, "b", tags=tags)) == 1
    assert store.newest(5, [*tags, "nope"]) == find(store, "b", tags=[*tags, "nope"]) == []
    assert len(wanted_tags([*tags, "nope"])) == 13
    with pytest.raises(InvalidInputError):
        wanted_tags(["日本"])


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize(
    ("when", "found"),
    [
        ({}, ["ms", "none", "ns", "text"]),
        ({"since_ms": 1_000_000_000_000}, ["ms"]),
        ({"until_ms": 1_800_000_000_000}, ["ms"]),
        ({"since_ms": 1_800_000_000_000}, []),
    ],
)
def test_what_has_no_time_is_in_no_time(store, foreign, index, when, found):
    store.forget(store.remember("seed")[1])
    rows = [(ts, f"apple %% {name}", '["t"]') for name, ts in TIMES.items()]
    foreign.executemany(INSERT, rows)
    if index:
        store.refresh()
    asked = {
        "word": [row.text for row in store.candidates(query_words("apple"), **when).rows],
        "tag": [memory.text for memory in store.newest(9, ["t"], **when)],
        "newest": [memory.text for memory in store.newest(9, **when)],
        "literal": [memory.text for memory in store.literal("%%", 9, **when)],
    }
    expected = [f"apple %% {name}" for name in found]
    assert {how: sorted(texts) for how, texts in asked.items()} == dict.fromkeys(asked, expected)


@pytest.mark.parametrize("index", [False, True])
def test_what_a_replace_took_away_is_gone(store, foreign, index):
    store.remember("seed")
    foreign.execute("CREATE UNIQUE INDEX u ON memories(text)")
    rows = [(number, f"text {number}", '["t"]') for number in range(1, 31)]
    foreign.executemany(INSERT, rows)
    store.refresh()
    replace = INSERT.replace("INSERT", "INSERT OR REPLACE")
    foreign.executemany(replace, [(100 + number, text, '["x"]') for number, text, _ in rows[10:]])
    if index:
        store.refresh()
        assert store.integrity() == []
    assert len(store.newest(10, ["t"])) == 10
    assert len(find(store, "text", tags=["t"], limit=30)) == 10


def test_a_rebuilt_table_is_copied_before_whatever_its_comments_say(store, path):
    sql = """CREATE TABLE memories (id INTEGER PRIMARY KEY, -- no AUTOINCREMENT here
        ts INTEGER NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '[]')"""
    make_old(path, [(1, 1, "x", "[]")], sql)
    store.remember("y")
    assert [name for name in os.listdir(os.path.dirname(path)) if "backup" in name]


def test_a_reader_does_not_hold_up_forgetting(store, foreign):
    number = store.remember("one")[1]
    foreign.execute("BEGIN")
    foreign.execute("SELECT * FROM memories").fetchall()
    began = time.monotonic()
    store.forget(number)
    assert time.monotonic() - began < 4
    foreign.execute("ROLLBACK")
    assert texts(store) == []


def test_a_repair_that_is_refused_leaves_no_copy(store, path):
    sql = "CREATE TABLE memories(id INTEGER PRIMARY KEY, content TEXT)"
    make_old(path, (), sql)
    for _ in range(3):
        with pytest.raises(StoreError):
            store.repair()
    assert not [name for name in os.listdir(os.path.dirname(path)) if "backup" in name]


def test_a_literal_search_says_what_it_did_not_look_at(home, monkeypatch):
    monkeypatch.setattr(listing, "SCAN_ROWS", 50)
    monkeypatch.setattr("clawa_search.search.unranked.SCAN_ROWS", 50)
    fill(home, [(number, f"number {number}", "[]") for number in range(2000, 2060)])
    answer = home.ask("%%~~", source="memory")
    assert not answer.complete
    assert "newest 50 memories" in " ".join(answer.notes)
    told = home.run("recall", "--source", "memory", "--json", "number").json
    assert told["complete"], json.dumps(told)


def test_an_update_by_another_program_is_ranked_by_its_new_text(store, foreign):
    number = store.remember("a cherry")[1]
    foreign.execute(UPDATE, (5, "a plum", "[]", number))
    assert (find(store, "cherry"), find(store, "plum")) == ([], [number])
