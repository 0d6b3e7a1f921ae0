"""Damage, full disks, closed folders, files that change under the reader: nothing is lost."""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clawa_search.places import Places
from clawa_search.recall import Recall
from clawa_search.search.question import Question
from clawa_search.search.sessions import SessionIndex
from indexer import passing, step, store
from indexer.catalog import Catalog
from indexer.errors import IndexBrokenError, IndexBusyError
from indexer.sync import sync
from indexer.tail import read_lines
from tests.builders import swap
from tests.indexer.lab import WORD, Lab, indexed, said, session

ROOT = Path(__file__).parents[2]


@pytest.fixture
def lab(tmp_path):
    made = Lab(tmp_path)
    made.write("a.jsonl", session("one", "two"))
    made.write("sub/b.jsonl", session("three", session_id="s2"))
    made.sync()
    yield made
    made.close()


def generation(lab):
    found = store.current(lab.index_dir)
    assert found is not None
    return found


def generations(lab):
    return sorted(name for name in os.listdir(lab.index_dir) if name.startswith("gen-"))


def snapshot(folder):
    """Return every file below *folder* with its bytes and times."""
    return {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", "-wal", ".lock"))
    }


def part(lab, pattern):
    return max(Path(generation(lab).folder).glob(pattern), key=lambda path: path.stat().st_size)


def cut(path):
    swap(path, path.read_bytes()[: path.stat().st_size // 2])


def scribble(path):
    swap(path, b"\xa5" * path.stat().st_size)


DAMAGE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "meta.json is no JSON": ("messages/meta.json", scribble),
    "meta.json is cut": ("priors/meta.json", cut),
    "meta.json is missing": ("messages/meta.json", Path.unlink),
    "a segment is cut": ("messages/*.store", cut),
    "a segment is missing": ("messages/*.term", Path.unlink),
    "positions are missing": ("messages/*.pos", Path.unlink),
    "a segment is scribbled over": ("messages/*.idx", scribble),
    "the catalog is no database": ("catalog.sqlite", scribble),
    "the catalog is cut": ("catalog.sqlite", cut),
    "the catalog is missing": ("catalog.sqlite", Path.unlink),
    "an index is missing": ("messages", shutil.rmtree),
    "the generation is missing": (".", shutil.rmtree),
    "it is of another version": ("../CURRENT", lambda path: path.write_text("gen-1 s0a0\n")),
    "the pointer is empty": ("../CURRENT", lambda path: path.write_text("")),
}


@pytest.fixture(params=DAMAGE)
def damaged(lab, request):
    pattern, damage = DAMAGE[request.param]
    folder = Path(generation(lab).folder)
    damage(part(lab, pattern) if "*" in pattern else folder / pattern)
    return lab


def test_a_reindex_heals_a_damaged_index(damaged):
    damaged.sync()
    assert indexed(damaged.index_dir) == damaged.expected(torn=False)
    assert len(generations(damaged)) == 1
    assert damaged.sync().indexed == 0


def test_a_recall_heals_a_damaged_index(damaged):
    expected = {(path, line) for path, line, _ in damaged.expected(torn=True)}
    assert damaged.recalled(recall=damaged.new_recall()) == expected
    damaged.sync()
    assert indexed(damaged.index_dir) == damaged.expected(torn=False)


def test_a_panic_inside_the_engine_is_healed_like_any_damage(lab, monkeypatch):
    panic = type("PanicException", (BaseException,), {})
    calls = []

    def panics(*_args):
        calls.append(1)
        raise panic("range end index 3 out of range")

    with monkeypatch.context() as patch:
        patch.setattr(SessionIndex, "prior", panics)
        with pytest.raises(panic):
            lab.recalled()
    assert len(calls) == 2
    assert len(lab.recalled()) == 3


def test_a_healthy_index_is_not_touched_by_a_run_with_nothing_to_do(lab):
    before = snapshot(lab.index_dir)
    report = lab.sync()
    assert (report.unchanged, report.indexed) == (2, 0)
    assert snapshot(lab.index_dir) == before


def test_a_second_writer_changes_nothing_and_readers_answer_meanwhile(lab):
    lab.append("a.jsonl", said("e9", f"{WORD} later"))
    with store.WriterLock(lab.index_dir):
        before = snapshot(lab.index_dir)
        for rebuild in (False, True):
            with pytest.raises(IndexBusyError):
                lab.sync(rebuild=rebuild)
        assert len(lab.recalled()) == 4
        assert len(lab.recalled(recall=lab.new_recall())) == 4
        assert snapshot(lab.index_dir) == before
    assert lab.sync().added == 1


def test_a_lock_that_was_removed_with_its_folder_is_not_taken(lab, monkeypatch):
    import fcntl

    real = fcntl.flock

    def removed_meanwhile(fd, how):
        monkeypatch.setattr(fcntl, "flock", real)
        shutil.rmtree(lab.index_dir)
        os.mkdir(lab.index_dir)
        real(fd, how)

    monkeypatch.setattr(fcntl, "flock", removed_meanwhile)
    with store.WriterLock(lab.index_dir), pytest.raises(IndexBusyError):
        store.WriterLock(lab.index_dir).__enter__()


def test_a_file_system_without_locks_is_said_to_be_one(lab, monkeypatch):
    def unsupported(_fd, _how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", unsupported)
    lab.append("a.jsonl", said("e9", "later"))
    with pytest.raises(IndexBrokenError, match="No locks available"):
        lab.sync()


def test_a_reader_held_open_across_a_rebuild_still_answers(lab):
    held = SessionIndex(generation(lab))
    book = Catalog(generation(lab).catalog)
    ids = [row[6] for row in book.statuses().values()]
    lab.append("a.jsonl", said("e9", f"{WORD} later"))
    assert len(lab.recalled()) == 4
    lab.sync(rebuild=True)
    texts = {stored.text for file_id in ids if (stored := held.entry(file_id, 0))}
    assert texts == {f"{WORD} one", f"{WORD} three"}
    assert len(book.statuses()) == 2
    assert len(lab.recalled()) == 4
    book.close()


def test_a_failed_rebuild_leaves_the_old_index_and_no_rest(lab, monkeypatch):
    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = generation(lab).folder
    with monkeypatch.context() as patch:
        patch.setattr(step.FileStep, "whole", lambda _self: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            lab.sync(rebuild=True)
        patch.setattr(store, "point_to", full)
        patch.undo()
        patch.setattr(store, "point_to", full)
        with pytest.raises(IndexBrokenError, match="No space left"):
            lab.sync(rebuild=True)
    assert generation(lab).folder == before
    assert generations(lab) == ["gen-1"]
    assert indexed(lab.index_dir) == lab.expected(torn=False)


def run_python(code, *arguments):
    """Run *code* in a process of its own; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FULL_DISK = """
import resource, sys
from pathlib import Path
from indexer.errors import IndexBrokenError
from tests.indexer.lab import Lab, indexed, session

lab = Lab(Path(sys.argv[1]))
lab.write("a.jsonl", session("one", "two"))
lab.sync()
known = indexed(lab.index_dir)
lab.write("b.jsonl", session(*(f"{n} {n * 7919} {n * 104729}" for n in range(3000))))
for limit in (100, 2_000, 30_000, 90_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for rebuild in (False, True):
        try:
            lab.sync(rebuild=rebuild)
            print("done", end=" ")
        except IndexBrokenError as error:
            print("full", end=" ")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert known <= indexed(lab.index_dir)
lab.sync()
assert indexed(lab.index_dir) == lab.expected(torn=False)
lab.close()
"""


def test_a_full_disk_loses_nothing(tmp_path):
    told = run_python(FULL_DISK, tmp_path / "lab").split()
    assert told[:4] == ["full"] * 4
    assert os.listdir(tmp_path / "lab/index/").count("CURRENT") == 1


CLOSED = """
import os, sys
from pathlib import Path
from clawa_search.search.question import Question
from indexer import store
from indexer.errors import IndexBrokenError
from tests.indexer.lab import WORD, Lab, drop_privileges, said, session, indexed
from tests.indexer.test_trouble import snapshot

drop_privileges()
lab = Lab(Path(sys.argv[1]))
lab.write("a.jsonl", session("one"))
lab.write("sub/b.jsonl", session("two", session_id="s2"))
lab.write("sub/c.jsonl", session("three", session_id="s3"))
lab.sync()

# Session folders and files that may not be read keep what was indexed.
os.chmod(lab.sessions / "sub", 0)
report = lab.sync()
assert (report.removed, report.failed) == (0, 0), report.removed
assert report.notes == [(str(lab.sessions / "sub"), "Permission denied")], report.notes
answer = lab.recall.search(Question(WORD, everything=True))
assert not answer.complete
assert "Permission denied" in answer.notes[0]
os.chmod(lab.sessions / "sub", 0o700)
os.chmod(lab.sessions / "sub/b.jsonl", 0)
report = lab.sync()
assert (report.removed, report.failed) == (0, 1)
assert "Permission denied" in report.notes[0][1]
os.chmod(lab.sessions / "sub/b.jsonl", 0o600)
assert len(lab.recalled()) == 3
lab.close()
lab.sync()
before = snapshot(lab.index_dir)

# An index that may not be read or written is left alone.
lab.append("a.jsonl", said("e9", f"{WORD} later"))
for path in (store.current(lab.index_dir).messages, store.current(lab.index_dir).folder,
             store.current(lab.index_dir).catalog, lab.index_dir):
    mode = os.stat(path).st_mode
    os.chmod(path, 0)
    try:
        lab.sync()
        raise SystemExit(f"{path}: no error")
    except IndexBrokenError as error:
        assert error.hint
    with lab.new_recall() as recall:
        answer = recall.search(Question(WORD, everything=True))
    assert len(answer.hits) == 4, answer.notes
    assert not answer.complete
    os.chmod(path, mode)
    assert snapshot(lab.index_dir) == before, path
lab.sync()
assert indexed(lab.index_dir) == lab.expected(torn=False)
lab.close()
print("held")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="drops Linux capabilities when run as root")
def test_what_may_not_be_read_or_written_is_kept_and_told(tmp_path):
    assert run_python(CLOSED, tmp_path / "lab") == "held\n"


def test_a_missing_root_is_not_everything_deleted(lab):
    known = indexed(lab.index_dir)
    away = lab.sessions.with_name("unmounted")
    lab.sessions.rename(away)
    report = lab.sync()
    assert report.removed == 0
    assert "kept" in report.notes[0][1]
    away.rename(lab.sessions)
    assert lab.sync().unchanged == 2
    assert indexed(lab.index_dir) == known


def test_a_linked_folder_that_is_away_is_not_deleted(lab, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "d.jsonl").write_bytes(session("four", session_id="s4"))
    (lab.sessions / "linked").symlink_to(disk)
    lab.sync()
    disk.rename(tmp_path / "unplugged")
    report = lab.sync()
    assert report.removed == 0
    (tmp_path / "unplugged").rename(disk)
    assert lab.sync().unchanged == 3
    shutil.rmtree(disk)
    (lab.sessions / "linked").unlink()
    assert lab.sync().removed == 1


def test_a_file_that_vanishes_between_listing_and_reading_is_removed(lab):
    lab.append("a.jsonl", said("e9", "later"))
    new = lab.write("new.jsonl", session("never seen"))
    listing = lab.listing()
    new.unlink()
    (lab.sessions / "a.jsonl").unlink()
    report = sync(lab.index_dir, listing)
    assert report.removed == 1
    assert report.notes == [(str(new), "vanished before it was read")]
    assert indexed(lab.index_dir) == lab.expected(torn=False)


def test_a_file_that_becomes_a_fifo_is_not_waited_for(lab):
    lab.append("a.jsonl", said("e9", "later"))
    listing = lab.listing()
    path = lab.sessions / "a.jsonl"
    path.unlink()
    os.mkfifo(path)
    assert sync(lab.index_dir, listing).removed == 1
    assert len(lab.recalled()) == 1
    path.unlink()
    lab.write("a.jsonl", session("back"))
    assert len(lab.recalled()) == 2


def test_a_session_that_becomes_a_folder_is_forgotten(lab):
    path = lab.sessions / "a.jsonl"
    path.unlink()
    path.mkdir()
    assert lab.sync().removed == 1


@pytest.mark.parametrize("grow", [True, False])
def test_a_file_written_to_while_it_is_read_ends_right(lab, monkeypatch, grow):
    def slowly(*arguments):
        for number, line in enumerate(read_lines(*arguments)):
            yield line
            if number == 1 and grow:
                lab.append("c.jsonl", said("x", f"{WORD} grown"))
            elif number == 1:
                lab.write("c.jsonl", session("other", "texts", session_id="s3"))

    lab.write("c.jsonl", session("first", "again", session_id="s3"))
    with monkeypatch.context() as patch:
        patch.setattr(step, "read_lines", slowly)
        lab.sync()
    assert lab.recalled() == {(path, line) for path, line, _ in lab.expected(torn=True)}
    lab.sync()
    assert indexed(lab.index_dir) == lab.expected(torn=False)


@pytest.mark.parametrize("known", [True, False])
def test_a_file_that_fails_while_it_is_read_is_tried_again(lab, monkeypatch, known):
    def failing(*arguments):
        lines = read_lines(*arguments)
        yield next(lines)
        yield next(lines)
        raise OSError(errno.EIO, "Input/output error")

    name = "a.jsonl" if known else "c.jsonl"
    lab.write(name, session("five", "six", "seven", session_id="s3"))
    with monkeypatch.context() as patch:
        patch.setattr(step, "read_lines", failing)
        report = lab.sync()
    assert report.failed == 1
    assert "Input/output error" in report.notes[0][1]
    assert lab.recalled() == {(path, line) for path, line, _ in lab.expected(torn=True)}
    lab.sync()
    assert indexed(lab.index_dir) == lab.expected(torn=False)


def test_a_write_within_the_same_clock_tick_is_not_missed(lab, monkeypatch):
    path = lab.write("c.jsonl", session("just now", session_id="s3"))
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(time, "time_ns", lambda: os.stat(path).st_ctime_ns + 1)
    lab.sync()
    assert waited == [(passing.TICK_NS - 1) / 1e9]


def test_forgetting_a_session(lab):
    secret = "zqxjkvbn8471"
    lab.write("c.jsonl", session(f"the password is {secret}", session_id=secret))

    def bytes_left():
        return any(secret.encode() in data for data, _ in snapshot(lab.index_dir).values())

    lab.sync()
    assert bytes_left()
    (lab.sessions / "c.jsonl").unlink()
    lab.sync()
    assert not lab.recall.search(Question(secret, everything=True)).hits
    lab.sync(rebuild=True)
    assert not bytes_left()


def test_a_file_that_was_indexed_by_name_stays_known(lab, tmp_path):
    path = tmp_path / "elsewhere.jsonl"
    path.write_bytes(session("by name", session_id="s5"))
    with Recall(Places(index_dir=lab.index_dir, cwd=str(lab.home), env={})) as recall:
        recall.reindex([str(path)])
        lab.sync(rebuild=True)
        assert (str(path), 2, f"{WORD} by name") in indexed(lab.index_dir)
        with path.open("ab") as file:
            file.write(said("x", f"{WORD} appended") + b"\n")
        assert lab.recalled("appended", recall) == {(str(path), 3)}
        recall.reindex()
        assert (str(path), 3, f"{WORD} appended") in indexed(lab.index_dir)
        path.unlink()
        assert recall.reindex().removed == 1
        book = Catalog(generation(lab).catalog)
        assert str(path) not in book.roots()
        book.close()


def test_what_a_killed_writer_left_is_cleared_away(lab):
    rest = Path(generation(lab).messages, ".tmpAbCdEf")
    rest.write_bytes(b"x" * 1000)
    lab.append("a.jsonl", said("e9", "later"))
    lab.sync()
    assert not rest.exists()


def test_the_journal_of_the_catalog_is_emptied_though_readers_stay_open(lab):
    assert lab.recalled()
    for number in range(5):
        lab.append("a.jsonl", said(f"n{number}", f"{WORD} {number}"))
        lab.sync()
        assert lab.recalled()
    journal = Path(f"{generation(lab).catalog}-wal")
    assert not journal.exists() or journal.stat().st_size == 0


def test_three_hundred_one_line_reindexes_leave_few_segments(memory_path):
    lab = Lab(memory_path)
    lab.write("a.jsonl", session())
    for number in range(300):
        lab.append("a.jsonl", said(f"n{number}", f"{WORD} {number}"))
        sync(lab.index_dir, lab.listing())
    index = SessionIndex(generation(lab))
    assert index.entries == 300
    assert index.segments <= 16
    lab.close()
