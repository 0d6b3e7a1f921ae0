"""Files that cannot be opened, read, written or trusted: said clearly, and nothing is lost."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from clawa_search.errors import StoreError
from clawa_search.memory.store import MemoryStore
from tests.memory.asking import INSERT, find, make_old, rows_of, texts

REPOSITORY = Path(__file__).parents[2]
ROWS = [(1, 1, "pear", '["a"]'), (2, 2, "plum", "[]")]


def every_call(store):
    return [
        lambda: store.newest(5),
        lambda: store.newest(5, ["a"]),
        lambda: store.get(1),
        lambda: store.candidates([], prefixes=["pe"]),
        lambda: store.literal("%", 5),
        store.count,
        lambda: store.document_frequencies(["pear"]),
        lambda: store.newest(9, ["b"]),
        lambda: store.remember("x"),
        lambda: store.forget(1),
        store.refresh,
        store.repair,
    ]


def test_what_is_no_database_is_named_and_left_alone(store, path):
    Path(path).parent.mkdir(parents=True)
    Path(path).write_bytes(b"these are my notes, not a database\n" * 100)
    before = Path(path).read_bytes()
    for call in every_call(store):
        with pytest.raises(StoreError, match="not an SQLite database") as caught:
            call()
        assert str(caught.value).startswith(path)
        assert caught.value.hint
    assert "not an SQLite database" in store.integrity()[0]
    assert Path(path).read_bytes() == before
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "fifo"])
def test_what_is_no_file_is_named(store, path, make):
    Path(path).parent.mkdir(parents=True)
    make(path)
    for call in every_call(store):
        with pytest.raises(StoreError, match="not a regular file"):
            call()


def test_an_empty_file_is_an_empty_store(store, path):
    Path(path).parent.mkdir(parents=True)
    Path(path).touch()
    assert store.newest(5) == find(store, "pear") == []
    assert store.remember("pear") == ("created", 1)


def test_a_damaged_file_is_reported_never_replaced(store, path):
    for number in range(400):
        store.remember(f"pear number {number}")
    store.close()
    raw = bytearray(Path(path).read_bytes())
    for page in range(1, len(raw) // 4096):
        raw[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
    Path(path).write_bytes(raw)
    assert store.integrity()
    for call in every_call(store)[:-1]:
        with pytest.raises(StoreError) as caught:
            call()
        assert path in str(caught.value)
    store.close()
    assert Path(path).read_bytes() == raw


# Python itself may lie where nobody may read: everything is imported before.
DROP = """
import os
from clawa_search.memory import candidates, care, mirror, schema, store, writing
from indexer.analysis import query_words
query_words("pear")
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
"""


def run_as_nobody(code, *argv):
    """Run *code* as a user whom permissions bind."""
    ran = subprocess.run(
        [sys.executable, "-c", DROP + code, *argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


READ = """
import sys
from clawa_search.errors import StoreError
from clawa_search.memory.store import MemoryStore
store = MemoryStore(sys.argv[1])
answer = store.candidates([], prefixes=["pe"])
print([row.text for row in answer.rows], len(answer.notes))
print([memory.text for memory in store.newest(5)], [m.text for m in store.newest(5, ["a"])])
print(store.count(), store.get(1).text)
try:
    store.remember("x")
except StoreError as error:
    print("cannot be" in str(error), bool(error.hint))
store.close()
"""


@pytest.fixture
def public():
    """A folder that other users can reach, too: pytest's own is private."""
    folder = tempfile.mkdtemp(prefix="clawa-test-")
    os.chmod(folder, 0o755)
    yield folder
    for parent, _, _ in os.walk(folder):
        os.chmod(parent, 0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", ["old", "closed", "open"])
def test_a_folder_that_cannot_be_written_is_read(public, kind):
    path = f"{public}/home/m.sqlite"
    make_old(path, ROWS)
    held = None
    if kind != "old":
        with MemoryStore(path) as store:
            store.refresh()
    if kind == "open":
        held = MemoryStore(path)
        held.remember("pearl")
        for name in os.listdir(f"{public}/home"):
            os.chmod(f"{public}/home/{name}", 0o644)
    before = {
        name: os.path.getsize(f"{public}/home/{name}") for name in os.listdir(f"{public}/home")
    }
    os.chmod(f"{public}/home", 0o555)
    os.chmod(path, 0o444)
    said = run_as_nobody(READ, path)
    assert said == [
        f"{['pearl', 'pear'] if held else ['pear']} {int(kind == 'old')}",
        f"{['pearl', 'plum', 'pear'] if held else ['plum', 'pear']} ['pear']",
        f"{3 if held else 2} pear",
        "True True",
    ]
    after = {
        name: os.path.getsize(f"{public}/home/{name}") for name in os.listdir(f"{public}/home")
    }
    assert after == before
    if held:
        held.close()


def test_a_file_that_may_not_be_read_is_named(public):
    path = f"{public}/home/m.sqlite"
    make_old(path, ROWS)
    os.chmod(path, 0)
    code = READ.split("answer", maxsplit=1)[0] + (
        "try:\n    store.newest(5)\nexcept StoreError as error:\n    print(str(error), error.hint)\n"
    )
    (said,) = run_as_nobody(code, path)
    assert said.startswith(f"{path}: it cannot be opened")
    assert "permissions" in said


@pytest.mark.parametrize("kind", ["pages", "file size"])
def test_a_full_disk_loses_nothing(store, path, kind):
    store.remember("pear")
    if kind == "pages":
        con = store.database.open_writer()
        con.execute(f"PRAGMA max_page_count = {con.execute('PRAGMA page_count').fetchone()[0] + 4}")
        with pytest.raises(StoreError, match="disk is full") as caught:
            remember_much(store)
        assert caught.value.hint
    else:
        pid = os.fork()
        if pid == 0:
            fill_up(path)
        assert os.waitpid(pid, 0)[1] == 0
    stored = rows_of(path)
    assert stored[0][2] == "pear"
    assert find(store, "pear") == [1]
    store.close()
    assert len(texts(store)) == len(stored)
    assert store.remember("plum")[0] == "created"
    assert store.integrity() == []


def remember_much(store):
    for number in range(500):
        store.remember(f"a long memory {number} " * 50)


def fill_up(path):
    """Remember until the system refuses to let the file grow; end with 0 if that was said."""
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    code = 1
    try:
        with MemoryStore(path) as store:
            remember_much(store)
    except StoreError as error:
        code = 0 if path in str(error) and error.hint else 2
    finally:
        os._exit(code)


def test_a_write_that_fails_half_way_leaves_nothing(store, path, monkeypatch):
    store.remember("pear")
    before = rows_of(path)

    def fail(*_):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("clawa_search.memory.mirror.refresh", fail)
    for call in (
        lambda: store.remember("plum"),
        lambda: store.remember("plum", memory_id=1),
        lambda: store.forget(1),
    ):
        with pytest.raises(StoreError, match="disk I/O error"):
            call()
    assert rows_of(path) == before


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("DELETE FROM memories_fts WHERE rowid = 1", "full-text index differs"),
        ("INSERT INTO memories_fts(rowid, text) VALUES (9, 'ghost')", "full-text index differs"),
        ("DELETE FROM memories_index WHERE id = 1", "memories without a row"),
        ("DELETE FROM memories_tags", "tags cannot all be found"),
        ("INSERT INTO memories_tags VALUES ('ghost', 1, 1)", "tags that their memory"),
        ("UPDATE memories_state SET tokens = tokens + 1", "sums"),
        ("UPDATE memories_df SET text = text + 1", "frequencies"),
        (
            "DELETE FROM memories_stale; INSERT INTO memories_index VALUES (9,'','','','',0,0)",
            "rows of",
        ),
        ("DROP TRIGGER memories_stale_update", "mirror"),
        ("DROP TABLE memories_index", "mirror"),
    ],
)
def test_a_mirror_out_of_step_is_noticed_and_repaired(store, path, harm, said):
    store.remember("pear", tags=["a"])
    store.remember("plum")
    before = rows_of(path)
    con = sqlite3.connect(path, isolation_level=None)
    con.executescript(harm)
    con.close()
    assert any(said in problem for problem in store.integrity()), store.integrity()
    copy = store.repair()
    assert rows_of(copy) == rows_of(path) == before
    assert store.integrity() == []
    assert (find(store, "pear"), find(store, "plum")) == ([1], [2])
    assert [memory.id for memory in store.newest(5, ["a"])] == [1]
    assert store.count() == 2


@pytest.mark.parametrize(
    "gone",
    [
        "TABLE memories_df",
        "TABLE memories_fts",
        "TABLE memories_tags",
        "TRIGGER memories_stale_insert",
    ],
)
def test_a_part_of_the_mirror_that_is_gone_is_made_again_by_a_search(store, path, gone):
    store.remember("pear", tags=["a"])
    con = sqlite3.connect(path)
    con.execute(f"DROP {gone}")
    con.close()
    assert find(store, "pear") == [1]
    assert [memory.id for memory in store.newest(5, ["a"])] == [1]
    assert store.integrity() == []


def test_a_forgotten_word_is_nowhere_in_the_folder(store, path):
    for number in range(50):
        store.remember(f"memory {number}")
    store.remember("the code word is Xylophonebutter", tags=["quuxtag"])
    store.forget(51)
    store.close()
    folder = Path(path).parent
    everything = b"".join(file.read_bytes() for file in folder.iterdir()).lower()
    assert b"xylophonebutter" not in everything
    assert b"quuxtag" not in everything


def test_an_odd_path_is_just_a_path(tmp_path):
    for name in ("a b", "100%25", "q?x=1#f", "ünï", "new\nline", "file:x", "quote'\""):
        path = str(tmp_path / name / "m.sqlite")
        with MemoryStore(path) as store:
            store.remember("pear")
            assert find(store, "pear") == [1]
            store.close()
            assert texts(store) == ["pear"]
            assert store.integrity() == []


def test_repair_of_an_old_file_makes_the_mirror(store, path):
    make_old(path, ROWS)
    store.repair()
    assert store.integrity() == []
    con = sqlite3.connect(path)
    assert con.execute(INSERT, (1, "x", "[]")).lastrowid == 3
    con.close()
