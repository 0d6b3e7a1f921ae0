"""Other programs write the same file with plain SQL; nothing may break on either side."""

import json
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from clawa_search.errors import NotFoundError, StoreError
from clawa_search.memory.store import OWN_REFRESH, MemoryStore
from clawa_search.memory.writing import MAX_CHARACTERS
from indexer.analysis import query_words
from tests.memory.asking import DELETE, INSERT, OLD, UPDATE, find, rows_of, texts

NODE = Path(__file__).parents[1] / "node/node_modules/.bin/node"
NO_NODE = "Node 24 is not installed: run tests/node/install"


def test_what_another_program_writes_is_found_at_once(store, foreign):
    number = foreign.execute(INSERT, (5, "a pear from afar", '["fruit"]')).lastrowid
    assert find(store, "pear") == [number]
    assert find(store, "pear", tags=["fruit"]) == find(store, "fruit") == [number]
    assert [memory.id for memory in store.newest(5, ["fruit"])] == [number]
    foreign.execute(UPDATE, (6, "a plum from afar", '["stone"]', number))
    assert (find(store, "pear"), find(store, "plum")) == ([], [number])
    assert (store.newest(5, ["fruit"]), len(store.newest(5, ["stone"]))) == ([], 1)
    foreign.execute(DELETE, (number,))
    assert find(store, "plum") == store.newest(5) == store.newest(5, ["stone"]) == []
    assert store.integrity() == []


def test_the_same_holds_for_memories_that_were_indexed(store, foreign):
    store.remember("a pear from here", tags=["fruit"])
    number = foreign.execute(INSERT, (5, "a pear from afar", '["fruit"]')).lastrowid
    assert store.refresh() == 1
    foreign.execute(UPDATE, (6, "a plum", "[]", 2))
    foreign.execute(DELETE, (number,))
    assert (find(store, "pear"), find(store, "plum")) == ([], [2])
    assert store.newest(5, ["fruit"]) == []
    assert store.refresh() == 2
    assert (find(store, "pear"), find(store, "plum")) == ([], [2])
    assert store.integrity() == []


def test_the_statements_of_pi_report_what_they_did(store, foreign):
    foreign.executescript(OLD)  # Pi's extension runs this at each open
    store.remember("pear")
    assert foreign.execute(UPDATE, (1, "plum", "[]", 2)).rowcount == 1
    assert foreign.execute(UPDATE, (1, "plum", "[]", 99)).rowcount == 0
    assert foreign.execute(INSERT, (1, "fig", "[]")).lastrowid == 3
    assert foreign.execute(DELETE, (3,)).rowcount == 1
    assert foreign.execute(DELETE, (3,)).rowcount == 0
    assert foreign.execute(INSERT, (1, "fig", "[]")).lastrowid == 4


@pytest.mark.parametrize("conflict", ["ABORT", "FAIL", "ROLLBACK", "IGNORE", "REPLACE"])
def test_no_conflict_clause_makes_a_statement_fail(store, foreign, conflict):
    number = foreign.execute(INSERT, (1, "pear", "[]")).lastrowid
    for text in ("plum", "fig"):  # the id is stale already
        foreign.execute(f"UPDATE OR {conflict} memories SET text = ? WHERE id = ?", (text, number))
    foreign.execute(f"INSERT OR {conflict} INTO memories (ts, text) VALUES (2, 'quince')")
    foreign.execute(
        "INSERT INTO memories (id, ts, text) VALUES (?, 3, 'medlar')"
        " ON CONFLICT(id) DO UPDATE SET text = excluded.text",
        (number,),
    )
    assert sorted(texts(store)) == ["medlar", "quince"]
    assert find(store, "medlar") == [number]
    assert store.refresh() == 2
    assert store.integrity() == []


def test_an_sqlite_without_fts5_and_json_can_still_write(store, foreign):
    def deny(action, first, second, *_):
        words = f"{first} {second}".lower()
        return sqlite3.SQLITE_DENY if "fts" in words or "json" in words else sqlite3.SQLITE_OK

    store.remember("pear", tags=["a"])
    foreign.set_authorizer(deny)
    number = foreign.execute(INSERT, (1, "plum", '["b"]')).lastrowid
    foreign.execute(UPDATE, (1, "fig", "[]", 2))
    foreign.execute(UPDATE, (1, "medlar", "[]", number))
    foreign.execute(DELETE, (2,))
    assert find(store, "pear plum fig medlar") == [number]


@pytest.mark.parametrize(
    ("ts", "text", "tags"),
    [
        (b"\x00\xff", b"raw \xff bytes", b'["a"]'),
        ("2026-01-01", 12345, 7),
        (1.5, 2.5, '["a"'),
        (1e300, "infinite", '{"a": 1}'),
        (-5, "nul \0 inside pear", "[[[["),
        ("", "", ""),
    ],
)
def test_values_of_any_type_are_read(store, foreign, ts, text, tags):
    number = foreign.execute(INSERT, (ts, text, tags)).lastrowid
    for _ in range(2):
        (memory,) = store.newest(5)
        assert memory == store.get(number)
        assert isinstance(memory.ts_ms, int)
        assert isinstance(memory.text, str)
        assert memory.tags == ()
        assert store.newest(9) == [memory]
        assert find(store, "nothing like it") == []
        if "pear" in memory.text:
            assert find(store, "pear") == [number]
        store.refresh()
    assert store.integrity() == []


def test_a_table_that_was_dropped_and_made_again_is_noticed(store, foreign, path):
    store.remember("pear", tags=["a"])
    foreign.executescript("DROP TABLE memories;" + OLD)
    foreign.execute(INSERT, (1, "plum", '["b"]'))
    store.close()
    with MemoryStore(path) as again:
        assert (find(again, "pear"), find(again, "plum")) == ([], [1])
        assert again.newest(5, ["a"]) == []
        assert again.remember("fig") == ("created", 2)
        again.forget(2)
        assert again.remember("fig") == ("created", 3)
        assert again.integrity() == []


def test_our_writes_bring_what_others_wrote_up_to_date(store, foreign):
    for number in range(20):
        foreign.execute(INSERT, (number, f"pear {number}", "[]"))
    store.remember("plum")
    assert store.refresh() == 0
    assert len(find(store, "pear")) == 20


def test_many_foreign_memories_are_indexed_by_a_search(store, foreign, monkeypatch):
    monkeypatch.setattr("clawa_search.memory.database.SCAN_ROWS", 10)
    monkeypatch.setattr("clawa_search.memory.candidates.SCAN_ROWS", 10)
    foreign.executemany(INSERT, [(number, f"pear{number} pear", "[]") for number in range(30)])
    answer = store.candidates(query_words("pear"), limit=99)
    assert (len(answer.rows), answer.complete, answer.notes) == (30, True, [])


def test_many_foreign_memories_in_a_locked_file_are_searched_in_part(store, foreign, monkeypatch):
    monkeypatch.setattr("clawa_search.memory.database.SCAN_ROWS", 10)
    monkeypatch.setattr("clawa_search.memory.database.UPGRADE_WAIT_S", 0.01)
    monkeypatch.setattr("clawa_search.memory.candidates.SCAN_ROWS", 10)
    foreign.executemany(INSERT, [(number, f"pear{number} pear", "[]") for number in range(30)])
    foreign.execute("BEGIN IMMEDIATE")
    answer = store.candidates(query_words("pear"), limit=99)
    assert {row.ts_ms for row in answer.rows} == set(range(20, 30))
    assert not answer.complete
    (note,) = answer.notes
    assert "newest 10" in note
    foreign.execute("ROLLBACK")
    assert len(store.candidates(query_words("pear"), limit=99).rows) == 30


NODE_PROGRAM = """
const { DatabaseSync } = require('node:sqlite');
const [path, ...steps] = process.argv.slice(1);
const db = new DatabaseSync(path);
db.exec(%s);
const said = JSON.parse(steps[0]).map(([sql, ...values]) => {
  const done = db.prepare(sql).run(...values);
  return [Number(done.changes), Number(done.lastInsertRowid)];
});
const rows = db.prepare('SELECT id, ts, text, tags FROM memories ORDER BY id').all();
db.close();
console.log(JSON.stringify({ said, rows: rows.map((row) => Object.values(row)) }));
"""


def node(path, *steps):
    if not NODE.exists():
        assert not os.environ.get("CI"), NO_NODE
        pytest.skip(NO_NODE)
    program = NODE_PROGRAM % json.dumps(OLD)
    argv = [NODE, "--no-warnings", "-e", program, path, json.dumps(steps)]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_node_writes_into_our_file_and_reads_it(store, path):
    store.remember("pear of ours", tags=["a"])
    store.remember("plum of ours")
    done = node(
        path,
        [INSERT, 7, "quince of node 检索", '["b"]'],
        [UPDATE, 8, "medlar of node", '["a","b"]', 1],
        [DELETE, 2],
        [DELETE, 2],
    )
    assert [changes for changes, _ in done["said"]] == [1, 1, 1, 0]
    assert done["said"][0][1] == 3
    assert [tuple(row) for row in done["rows"]] == rows_of(path)
    assert (find(store, "quince"), find(store, "检索"), find(store, "medlar")) == ([3], [3], [1])
    assert find(store, "pear") == find(store, "plum") == []
    assert {memory.id for memory in store.newest(5, ["b"])} == {1, 3}
    store.refresh()
    assert store.integrity() == []
    assert store.remember("fig") == ("created", 4)


def test_we_take_over_a_file_that_node_made(store, path):
    os.makedirs(os.path.dirname(path))
    node(path, [INSERT, 7, "quince", '["b"]'], [INSERT, 8, "fig", "[]"], [DELETE, 1])
    assert find(store, "fig") == [2]
    store.forget(2)
    done = node(path, [INSERT, 9, "medlar", "[]"])
    assert done["said"] == [[1, 3]]
    assert find(store, "medlar") == [3]
    assert store.integrity() == []


def test_an_id_that_was_caught_up_with_is_not_given_again(store, foreign):
    number = store.remember("pear")[1]
    foreign.execute("UPDATE memories SET id = 9 WHERE id = ?", (number,))
    store.refresh()
    store.forget(9)
    assert store.remember("plum") == ("created", 10)
    foreign.execute("UPDATE memories SET id = 30 WHERE id = 10")
    foreign.execute("DELETE FROM memories WHERE id = 30")
    store.refresh()
    assert store.remember("fig") == ("created", 31)


@pytest.mark.parametrize("change", ["forget", "update"])
def test_a_text_of_ours_leaves_the_file_however_much_others_wrote(store, foreign, change):
    for number in range(OWN_REFRESH + 20):
        foreign.execute(INSERT, (1, f"filler {number}", "[]"))
    number = store.remember("zanzibarsecret")[1]
    store.refresh()
    foreign.execute("UPDATE memories SET ts = ts + 1")
    if change == "forget":
        store.forget(number)
    else:
        store.remember("something else", memory_id=number)
    held = foreign.execute("SELECT text FROM memories_index WHERE id = ?", (number,)).fetchone()
    assert held == (None if change == "forget" else ("someth els",))
    assert find(store, "zanzibarsecret") == []


def test_words_of_what_another_program_wrote_or_deleted_are_told_as_they_are(store, foreign):
    number = store.remember("a quokkastone")[1]
    foreign.execute(DELETE, (number,))
    foreign.execute(INSERT, (1, "a zebrastone", "[]"))
    assert store.terms("zebra", 5) == ["zebraston"]
    assert store.document_frequencies(["quokkaston", "zebraston"]) == {
        "quokkaston": 0,
        "zebraston": 1,
    }


def test_tags_alone_are_changed_whatever_the_text_is(store, foreign):
    texts_of = {5: "  ", 6: b"alpha \xff\xfe", 7: "x" * (MAX_CHARACTERS + 6), 8: None}
    for number, text in texts_of.items():
        if text is not None:
            foreign.execute("INSERT INTO memories VALUES (?, 1, ?, '[]')", (number, text))
            assert store.remember(None, memory_id=number, tags=["keep"]) == ("updated", number)
            kept = foreign.execute("SELECT text FROM memories WHERE id = ?", (number,)).fetchone()
            assert kept == (text,)
            assert store.newest(9, ["keep"])[0].id == number
            assert store.remember(None, memory_id=number, tags=["keep"])[0] == "unchanged"
    with pytest.raises(NotFoundError):
        store.remember(None, memory_id=8, tags=["keep"])


def test_when_no_id_is_left_that_is_what_is_told(store, foreign):
    foreign.execute("INSERT INTO memories VALUES (?, 1, 'last', '[]')", ((1 << 63) - 1,))
    with pytest.raises(StoreError, match="no id is left"):
        store.remember("one more")
    assert store.integrity() == []


def test_a_view_of_that_name_is_told_and_not_taken_for_an_empty_home(tmp_path):
    path = tmp_path / "memories.sqlite"
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, ts, text, tags)")
        database.execute("CREATE VIEW memories AS SELECT * FROM notes")
    database.close()
    with MemoryStore(str(path)) as store, pytest.raises(StoreError, match="is not ours"):
        store.remember("tea")
    database = sqlite3.connect(path)
    assert database.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    database.close()
