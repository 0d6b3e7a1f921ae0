"""Files of older programs are taken over without losing anything."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from clawa_search.errors import StoreError
from clawa_search.memory import condition, schema
from clawa_search.memory.store import MemoryStore
from indexer.analysis import query_words
from indexer.version import ANALYSIS_VERSION
from tests.memory.asking import INSERT, OLD, find, make_old, rows_of, texts

ROWS = [
    (2, 30, "a pear", '["fruit"]'),
    (5, 10, "a plum", "[]"),
    (9, 20, "file_name in src/app/main.ts", '["code","fruit"]'),
]
SHAPES = {
    "as Pi makes it": OLD,
    "no index": "CREATE TABLE memories (id INTEGER PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT)",
    "quoted names": 'CREATE TABLE "memories" ("id" INTEGER PRIMARY KEY ASC NOT NULL,'
    ' "ts" INTEGER NOT NULL, "text" TEXT NOT NULL, "tags" TEXT NOT NULL DEFAULT \'[]\')',
    "key at the end": "CREATE TABLE memories (id INTEGER, ts INT, text TEXT, tags TEXT,"
    " PRIMARY KEY(id))",
    "comments": "CREATE TABLE memories /* no PRIMARY KEY */ (id INTEGER -- the PRIMARY KEY\n"
    " PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT DEFAULT 'PRIMARY KEY')",
    "numbered for ever": "CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " ts INTEGER, text TEXT, tags TEXT)",
    "strict": "CREATE TABLE memories (id INTEGER PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT)"
    " STRICT",
}


def backups(path):
    return sorted(Path(path).parent.glob("*.backup-*"))


@pytest.fixture(params=SHAPES)
def shape(request):
    return SHAPES[request.param]


@pytest.mark.parametrize("rows", [(), ROWS], ids=["empty", "rows"])
@pytest.mark.parametrize("first", ["search", "newest", "remember"])
def test_an_old_file_is_taken_over(store, path, shape, rows, first):
    make_old(path, rows, shape)
    before = rows_of(path)
    if first == "search":
        find(store, "pear")
    elif first == "newest":
        assert [memory.id for memory in store.newest(9)] == [2, 9, 5][: len(rows)]
    else:
        store.remember("one more")
        store.forget(store.newest(9)[0].id)
    assert find(store, "pear") == [row[0] for row in rows if "pear" in row[2]]
    assert rows_of(path) == before
    assert {m.id for m in store.newest(9, ["fruit"])} == {r[0] for r in rows if "fruit" in r[3]}
    assert store.integrity() == []
    assert store.version() == condition.SCHEMA
    # An id above all old ones, and never one that was used since.
    _, number = store.remember("another")
    assert number > max([0, *(row[0] for row in rows)])
    store.forget(number)
    assert store.remember("another") == ("created", number + 1)


def test_a_copy_is_made_before_memories_are_rewritten(store, path):
    make_old(path, ROWS)
    store.remember("one more")
    (copy,) = backups(path)
    assert copy.name.startswith("clawa-memory.sqlite.backup-20270115-")
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert rows_of(str(copy)) == ROWS
    store.close()
    with MemoryStore(path) as again:
        again.remember("and more")
    assert backups(path) == [copy]


def test_a_copy_with_nothing_in_it_is_not_made(store, path):
    make_old(path)
    store.remember("one more")
    assert backups(path) == []


def test_everything_that_another_program_added_is_kept(store, path):
    make_old(path, ROWS)
    con = sqlite3.connect(path)
    con.executescript("""
        ALTER TABLE memories ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm' COLLATE NOCASE
          CHECK (mood != 'bad');
        ALTER TABLE memories ADD COLUMN "odd ""name" REAL;
        ALTER TABLE memories ADD COLUMN size INTEGER GENERATED ALWAYS AS (length(text)) VIRTUAL;
        CREATE INDEX memories_mood ON memories(mood) WHERE mood != 'calm';
        CREATE UNIQUE INDEX memories_text ON memories(text);
        CREATE TABLE log (note TEXT);
        CREATE TABLE link (memory INTEGER REFERENCES memories(id) ON DELETE CASCADE);
        CREATE TRIGGER memories_log AFTER INSERT ON memories
          BEGIN INSERT INTO log VALUES (new.text); END;
        CREATE VIEW calm AS SELECT id, text FROM memories WHERE mood = 'calm';
        CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO counted DEFAULT VALUES;
        INSERT INTO link VALUES (5);
        UPDATE memories SET mood = 'Glad', "odd ""name" = 1.5 WHERE id = 5;
    """)
    everything = "SELECT * FROM memories ORDER BY id"
    before = con.execute(everything).fetchall()
    store.remember("one more")
    assert con.execute(everything).fetchall()[:3] == before
    assert con.execute("SELECT id FROM memories WHERE mood = 'GLAD'").fetchall() == [(5,)]
    assert con.execute("SELECT note FROM log").fetchall() == [("one more",)]
    assert con.execute("SELECT memory FROM link").fetchall() == [(5,)]
    assert len(con.execute("SELECT * FROM calm").fetchall()) == 3
    assert con.execute("SELECT seq FROM sqlite_sequence WHERE name = 'counted'").fetchone() == (1,)
    names = {name for (name,) in con.execute("SELECT name FROM sqlite_master")}
    assert {"memories_mood", "memories_text", "memories_log", "calm"} <= names
    for text, mood in (("a pear", "calm"), ("new", "bad")):
        with pytest.raises(sqlite3.IntegrityError):
            con.execute("INSERT INTO memories (ts, text, mood) VALUES (1, ?, ?)", (text, mood))
    con.close()
    assert find(store, "pear") == [2]


COLUMNS = "(id INTEGER PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT)"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE memories (id TEXT PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT)",
        "CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT)",
        "CREATE TABLE memories (id INTEGER, ts INTEGER, text TEXT, tags TEXT)",
        f"CREATE TABLE t {COLUMNS}; CREATE VIEW memories AS SELECT * FROM t",
        f"CREATE TABLE memories {COLUMNS} WITHOUT ROWID",
    ],
)
def test_a_table_of_another_kind_is_left_alone(store, path, sql):
    make_old(path, None, sql)
    con = sqlite3.connect(path)
    before = list(con.iterdump())
    with pytest.raises(StoreError, match="memories is not ours"):
        store.remember("x")
    assert list(con.iterdump()) == before
    con.close()


def test_ten_thousand_memories_are_taken_over(store, path):
    make_old(
        path, [(number, number, f"memory pear{number % 7}", "[]") for number in range(1, 10_001)]
    )
    assert len(store.candidates(query_words("pear3"), limit=50).rows) == 50
    assert store.count() == 10_000
    assert store.refresh() == 0
    assert store.integrity() == []


def test_a_new_analyser_indexes_everything_again(store, path, monkeypatch):
    for text in ("pear", "plum"):
        store.remember(text, tags=["a"])
    before = rows_of(path)
    store.close()
    with_analyser(monkeypatch, ANALYSIS_VERSION + 1)
    with MemoryStore(path) as newer:
        assert find(newer, "pear") == [1]
        assert newer.integrity() == []
    assert rows_of(path) == before
    assert backups(path) == []


def with_analyser(patch, version):
    for module in (condition, schema):
        patch.setattr(module, "ANALYSIS_VERSION", version)


def test_a_newer_analyser_is_left_alone_but_memories_are_written(store, path, monkeypatch):
    store.remember("pear")
    store.close()
    with monkeypatch.context() as older:
        with_analyser(older, ANALYSIS_VERSION - 1)
        with MemoryStore(path) as old:
            assert old.remember("plum") == ("created", 2)
            answer = old.candidates(query_words("plum"))
            assert [row.id for row in answer.rows] == [2]
            assert "newer" in answer.notes[0]
            old.forget(1)
    assert (find(store, "plum"), find(store, "pear")) == ([2], [])
    assert store.integrity() == []


def test_a_newer_schema_is_read_but_not_written(store, path):
    store.remember("pear", tags=["a"])
    con = sqlite3.connect(path)
    con.execute("UPDATE memories_state SET schema = 99")
    con.commit()
    con.close()
    before = rows_of(path)
    for call in (
        lambda: store.remember("plum"),
        lambda: store.remember("plum", memory_id=1),
        lambda: store.forget(1),
        store.refresh,
        store.repair,
    ):
        with pytest.raises(StoreError, match="newer clawa-search") as caught:
            call()
        assert "update clawa-search" in caught.value.hint
    answer = store.candidates(query_words("pear"))
    assert [row.id for row in answer.rows] == [1]
    assert "newer" in answer.notes[0]
    assert texts(store) == ["pear"]
    assert [memory.id for memory in store.newest(5, ["a"])] == [1]
    assert store.get(1).text == "pear"
    assert rows_of(path) == before
    assert store.version() == 99


def test_steps_are_recorded_by_name(store, path):
    store.remember("pear")
    con = sqlite3.connect(path)
    names = con.execute("SELECT name FROM _sqlite_migrations ORDER BY id").fetchall()
    con.close()
    assert names == [("0001_ids_are_never_reused",), ("0002_mirror",)]


def test_a_migration_that_fails_changes_nothing(store, path, monkeypatch):
    make_old(path, ROWS)
    con = sqlite3.connect(path)
    before = list(con.iterdump())
    broken = (*schema.MIRROR, "CREATE TABLE memories_state (twice INTEGER)")
    with monkeypatch.context() as bad:
        bad.setattr(schema, "MIRROR", broken)
        with pytest.raises(StoreError):
            store.remember("x")
        assert list(con.iterdump()) == before
        answer = store.candidates(query_words("pear"))
        assert [row.id for row in answer.rows] == [2]
        assert "already exists" in answer.notes[0]
    con.close()
    assert find(store, "pear") == [2]
    con = sqlite3.connect(path)
    assert con.execute(INSERT, (1, "x", "[]")).lastrowid == 10
    con.close()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE memories(id INT PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT)",
        "CREATE TABLE memories(id INTEGER PRIMARY KEY DESC, ts INTEGER, text TEXT, tags TEXT)",
        "CREATE TABLE memories(id INTEGER PRIMARY KEY, ts INTEGER, text TEXT, tags TEXT) WITHOUT ROWID",
    ],
)
def test_a_file_that_cannot_be_migrated_is_not_copied_again_and_again(tmp_path, sql):
    path = str(tmp_path / "m.sqlite")
    con = sqlite3.connect(path)
    con.execute(sql)
    con.execute("INSERT INTO memories VALUES (1, 1, 'pear', '[]')")
    con.commit()
    con.close()
    with MemoryStore(path) as store:
        for _ in range(3):
            assert find(store, "pear") == [1]
            with pytest.raises(StoreError):
                store.remember("plum")
    assert not [name for name in os.listdir(tmp_path) if "backup" in name]


@pytest.mark.parametrize(
    "table", ["memories_tags", "memories_df", "memories_state", "memories_index"]
)
def test_a_table_of_another_program_is_left_alone(tmp_path, table):
    path = str(tmp_path / "m.sqlite")
    con = sqlite3.connect(path)
    con.execute(
        "CREATE TABLE memories(id INTEGER PRIMARY KEY AUTOINCREMENT, ts INTEGER, text TEXT, tags TEXT)"
    )
    con.execute("INSERT INTO memories VALUES (1, 1, 'pear', '[]')")
    con.execute(f"CREATE TABLE {table}(memory_id INTEGER, label TEXT)")
    con.execute(f"INSERT INTO {table} VALUES (1, 'mine')")
    con.commit()
    with MemoryStore(path) as store:
        assert find(store, "pear") == [1]
        with pytest.raises(StoreError, match=f"the table {table} is another program's"):
            store.remember("plum")
    assert con.execute(f"SELECT * FROM {table}").fetchall() == [(1, "mine")]
    con.close()
