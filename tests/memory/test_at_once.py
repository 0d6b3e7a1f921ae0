"""Many programs at once, and programs that die."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clawa_search.errors import StoreError
from clawa_search.memory import database, write_connection
from clawa_search.memory.store import MemoryStore
from indexer.analysis import query_words
from tests.memory.asking import find, make_old, rows_of, texts

REPOSITORY = Path(__file__).parents[2]
WRITER = """
import sys
from clawa_search.memory.store import MemoryStore
with MemoryStore(sys.argv[1]) as store:
    for number in range(int(sys.argv[3])):
        action, id = store.remember(f"writer {sys.argv[2]} note {number}", tags=["w" + sys.argv[2]])
        print(id, f"writer {sys.argv[2]} note {number}", sep="\\t", flush=True)
"""


def start(path, name, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, path, str(name), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )


def acknowledged(lines):
    return {int(number): text for number, text in (line.split("\t") for line in lines)}


@pytest.mark.parametrize("moment", range(3), ids=["begins", "compares", "reads"])
@pytest.mark.parametrize("query", ["pear", "plum"])
@pytest.mark.parametrize("known", [False, True], ids=["first look", "row kept"])
@pytest.mark.parametrize("plain", [False, True], ids=["remember", "plain SQL"])
def test_what_is_written_between_two_statements_of_a_question_is_seen_whole_or_not(
    store, path, moment, query, known, plain
):
    store.remember("pear one")
    other = MemoryStore(path)
    find(store, "pear" if known else "apple")
    with store.database.reading(mirror=True) as con:
        assert con
    seen: list[str] = []

    def write(statement):
        seen.append(statement)
        if len(seen) - 1 == moment:
            if plain:
                execute(path, "UPDATE memories SET text = 'plum one' WHERE id = 1")
            else:
                other.remember("plum one", memory_id=1)

    con.set_trace_callback(write)
    try:
        for row in store.candidates(query_words(query)).rows:
            assert query in row.text
    finally:
        con.set_trace_callback(None)
    other.close()
    assert len(seen) > moment
    assert (find(store, "plum"), find(store, "pear")) == ([1], [])


def execute(path, sql):
    con = sqlite3.connect(path, isolation_level=None)
    con.execute(sql)
    con.close()


@pytest.mark.parametrize("old", [False, True], ids=["no file", "an old file"])
def test_sixteen_processes_remember_at_once(store, path, old):
    if old:
        make_old(path, [(7, 1, "old note", "[]")])
    running = [start(path, name, 50) for name in range(16)]
    done = [(*process.communicate(timeout=240), process.returncode) for process in running]
    told: dict[int, str] = {}
    for out, error, code in done:
        assert (code, error) == (0, "")
        said = acknowledged(out.splitlines())
        assert not said.keys() & told.keys()
        told |= said
    assert len(told) == 800
    stored = {number: text for number, _, text, _ in rows_of(path)}
    assert {number: text for number, text in stored.items() if text != "old note"} == told
    assert len(find(store, "note", limit=900)) == 800 + old
    assert len(store.newest(900, ["w3"])) == 50
    assert store.integrity() == []
    assert len(list(Path(path).parent.glob("*.backup-*"))) == old


def test_a_killed_writer_loses_nothing_that_it_acknowledged(store, path):
    for attempt in range(4):
        process = start(path, attempt, 5000)
        lines = [process.stdout.readline() for _ in range(15 * (attempt + 1))]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.communicate()
        told = acknowledged(line[:-1] for line in lines if line.endswith("\n"))
        stored = {number: text for number, _, text, _ in rows_of(path)}
        assert told.items() <= stored.items()
        assert store.integrity() == []
        assert store.remember("after the kill")[0] == "created"
        assert set(find(store, f"writer {attempt}", limit=9999)) >= told.keys()


def test_a_killed_migration_is_done_again(path):
    make_old(path, [(number, number, f"pear {number}", "[]") for number in range(1, 3000)])
    before = rows_of(path)
    code = f"from clawa_search.memory.store import MemoryStore; MemoryStore({path!r}).refresh()"
    for wait_s in (0.15, 0.25, 0.35, 0.45):
        process = subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(REPOSITORY)}
        )
        try:
            process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        assert rows_of(path) == before
    with MemoryStore(path) as store:
        assert len(find(store, "pear", limit=3000)) == 2999
        assert store.integrity() == []


def test_a_held_write_lock_keeps_nobody_from_reading(store, foreign, monkeypatch):
    monkeypatch.setattr(write_connection.begin, "__defaults__", (0.05,))
    store.remember("pear", tags=["a"])
    foreign.execute("BEGIN IMMEDIATE")
    foreign.execute("INSERT INTO memories (ts, text) VALUES (1, 'uncommitted')")
    assert find(store, "pear uncommitted") == [2]
    assert texts(store) == ["pear"]
    assert len(store.newest(5, ["a"])) == 1
    with pytest.raises(StoreError, match="another program holds the lock") as caught:
        store.remember("plum")
    assert store.path in str(caught.value)
    assert caught.value.hint
    foreign.execute("ROLLBACK")
    assert store.remember("plum") == ("created", 3)


def test_a_locked_old_file_is_searched_as_it_is(store, path, monkeypatch):
    monkeypatch.setattr(database, "UPGRADE_WAIT_S", 0.01)
    make_old(path, [(1, 1, "pear", '["a"]'), (2, 2, "plum", "[]")])
    con = sqlite3.connect(path, isolation_level=None)
    con.execute("BEGIN IMMEDIATE")
    answer = store.candidates(query_words("pear"))
    assert [row.id for row in answer.rows] == [1]
    (note,) = answer.notes
    assert "another program holds the lock" in note
    assert texts(store) == ["plum", "pear"]
    assert [memory.id for memory in store.newest(5, ["a"])] == [1]
    con.execute("ROLLBACK")
    con.close()
    answer = store.candidates(query_words("pear"))
    assert ([row.id for row in answer.rows], answer.notes) == ([1], [])


def test_a_reader_sees_one_state_while_others_write(store, foreign):
    store.remember("pear one")
    with store.database.reading(mirror=True) as con:
        before = con.execute("SELECT count(*) FROM memories").fetchone()
        foreign.execute("DELETE FROM memories")
        assert con.execute("SELECT count(*) FROM memories").fetchone() == before
    assert store.newest(5) == []


def test_ten_thousand_updates_do_not_make_the_file_grow(store, path):
    store.remember("a memory that changes")
    con = store.database.open_writer()
    con.execute("PRAGMA synchronous = OFF")  # ten thousand times the disk is not what is tested
    for number in range(200):
        store.remember(f"memory {number}")
    store.database.overwrite()
    fresh = os.path.getsize(path)
    for number in range(10_000):
        store.remember(f"version {number} of a memory that changes", memory_id=1)
    store.database.overwrite()
    assert os.path.getsize(path) < 2 * fresh
    assert os.path.getsize(path + "-wal") < 8_000_000
    assert find(store, "9999") == [1]
    assert find(store, "9998") == []
    assert store.integrity() == []


def test_a_writer_waits_for_a_short_lock(store, foreign):
    store.remember("pear")
    foreign.execute("BEGIN IMMEDIATE")
    path = store.path
    process = start(path, "late", 1)
    time.sleep(0.01)
    foreign.execute("ROLLBACK")
    out, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, "")
    assert len(acknowledged(out.splitlines())) == 1
