"""Two stores under stress: runs at once, LIKE signs, an SQLite without FTS5."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPOSITORY, Home, user

WRITERS = 4


def test_memories_are_looked_for_literally(home):
    rows = ["progress 100%", "progress 1000 items", "file_name", "filename", "back\\slash", "x"]
    for row in rows:
        home.recall.remember(row)

    def found(query):
        hits = home.hits(query, source="memory")
        return [rows[hit.id - 1] for hit in hits]

    assert found("100%") == ["progress 100%"]
    assert found("file_name") == ["file_name"]
    assert found("%") == ["progress 100%"]
    assert found("_") == ["file_name"]
    assert found("\\") == ["back\\slash"]
    assert found("%%") == found("__") == []
    assert "file_name" not in found("filenam%")


def test_runs_at_once_all_answer_and_store_everything_once(tmp_path):
    home = Home(tmp_path)
    for number in range(40):
        home.write(f"{number}.jsonl", *(user(f"sentinelrun w{number}x{n}") for n in range(50)))
    runs = [home.start("reindex") for _ in range(WRITERS)]
    runs += [home.start("recall", "sentinelrun", "--json") for _ in range(WRITERS)]
    runs += [home.start("remember", f"memo{n}") for n in range(WRITERS)]
    done = [home.finish(run) for run in runs]
    assert [ran.err for ran in done if "Traceback" in ran.err] == []
    assert {ran.code for ran in done[WRITERS:]} == {0}
    for ran in done[:WRITERS]:  # one works, the others may say that it does
        assert ran.code == 0 or "another process is indexing" in ran.err
    assert len(home.hits("memo0 memo1 memo2 memo3")) == WRITERS
    home.reindex()
    assert home.recall.status()["entries"] == 2000
    (hit,) = home.found("w7x7")
    assert hit.copies == 1
    home.close()


def test_a_held_writer_lock_keeps_nobody_from_answering(home):
    path = home.write("a.jsonl", user("sentinelold"))
    home.reindex()
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[-1])
    home.write("b.jsonl", user("sentinelnew"))
    with (home.index / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = home.run("recall", "sentinelnew", "--json")
        assert (ran.code, ran.json["complete"]) == (0, True)
        told = home.run("reindex")
    assert told.code == 2
    assert "another process" in told.err


@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_memory_database_keeps_nobody_from_answering(home, mode):
    home.recall.remember("memo sentinelmemo")
    home.write("a.jsonl", user("sentinelsession sentinelmemo"))
    holder = sqlite3.connect(home.recall.places.database, isolation_level=None)
    try:
        holder.execute(f"BEGIN {mode}")
        ran = home.run("recall", "sentinelmemo", "--json")
        assert ran.code == 0
        assert "session" in [hit["kind"] for hit in ran.json["hits"]]
        assert ran.json["complete"] or ran.json["notes"]
    finally:
        holder.close()


NO_FTS5 = """
import _sqlite3, sys

class Plain(_sqlite3.Connection):
    def execute(self, sql, *values):
        if "fts5" in sql.lower() or "memories_fts" in sql:
            raise _sqlite3.OperationalError("no such module: fts5")
        return super().execute(sql, *values)
    def executescript(self, sql):
        if "fts5" in sql.lower() or "memories_fts" in sql:
            raise _sqlite3.OperationalError("no such module: fts5")
        return super().executescript(sql)

real = _sqlite3.connect
_sqlite3.connect = lambda *a, **k: real(*a, factory=Plain, **k)
import sqlite3
sqlite3.connect = _sqlite3.connect
from clawa_search.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("made_with_fts5", [False, True])
def test_without_fts5_memories_are_kept_listed_and_found(home, made_with_fts5):
    def run(*argv):
        return home.finish(home.start(*argv, program=("-c", NO_FTS5)))

    if made_with_fts5:
        assert home.run("remember", "first memo").code == 0
    else:
        assert run("remember", "first memo").code == 0
    home.write("a.jsonl", user("second in a session"))
    assert run("remember", "second memo").code == 0
    assert {hit["kind"] for hit in run("recall", "second", "--json").json["hits"]} == {
        "memory", "session",
    }  # fmt: skip
    ran = run("recall", "memo")
    assert ran.code == 0
    assert "first memo" in ran.out
    assert "second memo" in ran.out
    assert "Traceback" not in ran.err
    assert run("recall", "--source", "memory").code == 0
    assert run("show", "mem:2").code == 0
    assert run("forget", "1").code == 0
    assert home.run("recall", "second", "--source", "memory").code == 0


KILLED = """
import os, signal, sys, threading
from clawa_search.main import run
threading.Timer(float(sys.argv[1]), lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
sys.exit(run(sys.argv[2:]))
"""


def test_a_writer_killed_at_any_time_costs_nothing(tmp_path):
    home = Home(tmp_path)
    for number in range(12):
        home.write(f"{number}.jsonl", *(user(f"w{number}x{n} sentinelkill") for n in range(20)))
    for attempt in range(8):
        env = {**os.environ, **home.env, "PYTHONPATH": str(REPOSITORY)}
        argv = [sys.executable, "-c", KILLED, str(0.1 + attempt * 0.03), "reindex"]
        killed = subprocess.run(argv, env=env, cwd=home.project, capture_output=True, check=False)
        assert killed.returncode in (0, -signal.SIGKILL)
        (home.sessions / f"{attempt}.jsonl").touch()
        home.write(f"extra{attempt}.jsonl", user(f"extra{attempt}q sentinelkill"))
    assert len(home.found("w11x19")) == 1
    home.reindex()
    assert home.recall.status()["entries"] == 12 * 20 + 8
    assert [len(home.found(f"extra{n}q")) for n in range(8)] == [1] * 8
    assert sum(1 for _ in home.index.glob("gen-*")) == 1
    left = [f for f in home.index.rglob("*") if f.name.startswith(".tmp")]
    assert left == []
    home.close()


def damage(folder: Path, how: str) -> None:
    for path in sorted(f for f in folder.rglob("*") if f.is_file()):
        if how == "meta" and path.name == "meta.json":
            path.write_bytes(b"{")
        if how == "segment" and path.suffix == ".idx":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        if how == "catalog" and path.name == "catalog.sqlite":
            path.write_bytes(b"not a database at all" * 100)
        if how == "no catalog" and path.name.startswith("catalog.sqlite"):
            path.unlink()
        if how == "pointer" and path.name == "CURRENT":
            path.write_bytes(b"\xff\xfe")
        if how == "old pointer" and path.name == "CURRENT":
            path.write_text("gen-1 s0a0\n")
        if how == "nothing left" and path.name != "CURRENT":
            path.unlink()


DAMAGES = ["meta", "segment", "catalog", "no catalog", "pointer", "old pointer", "nothing left"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_index_heals_itself(home, how):
    home.write("a.jsonl", user("sentineldamage"))
    home.reindex()
    home.close()
    damage(home.index, how)
    ran = home.run("recall", "sentineldamage", "--json")
    assert ran.code == 0
    assert ran.json["hits"][0]["line"] == 2
    assert home.run("reindex").code == 0
    ran = home.run("recall", "sentineldamage", "--json")
    assert (ran.code, ran.json["notes"]) == (0, [])
    assert home.run("doctor").code == 0
