"""Damage, full disks, closed folders, writers that die: nothing of the index is lost."""

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clawa_search.doctor import doctor
from clawa_search.recall import Recall
from clawa_search.search.question import Question
from clawa_search.search.sessions import SessionIndex
from clawa_search.status import status
from indexer import step, store
from indexer.catalog import Catalog
from indexer.errors import IndexBrokenError, IndexBusyError
from indexer.sync import sync
from tests.builders import swap
from tests.indexer.lab import WORD, Lab, generation, indexed, said, session, snapshot

ROOT = Path(__file__).parents[2]


def generations(lab):
    return sorted(name for name in os.listdir(lab.index_dir) if name.startswith("gen-"))


def part(lab, pattern):
    return max(Path(generation(lab).folder).glob(pattern), key=lambda path: path.stat().st_size)


def cut(path):
    swap(path, path.read_bytes()[: path.stat().st_size // 2])


def scribble(path):
    swap(path, b"\xa5" * path.stat().st_size)


def exchange(messages):
    """Let two files of a segment take each other's place: both have a right checksum."""
    term, fast = next(messages.glob("*.term")), next(messages.glob("*.fast"))
    raw = term.read_bytes()
    swap(term, fast.read_bytes())
    swap(fast, raw)


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
    "the pointer is no name": ("../CURRENT", lambda path: path.write_text("gen-\0 s0a0\n")),
    "files of a segment were exchanged": ("messages", exchange),
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


def test_a_doctor_tells_of_a_damaged_index_and_mends_it(damaged):
    with damaged.new_recall() as recall:
        status(recall)
        doctor(recall, repair=False)
        assert all(check.ok for check in doctor(recall, repair=True))
    assert indexed(damaged.index_dir) in (damaged.expected(torn=False), [])


def test_numbers_that_a_disk_changed_are_damage_and_no_mistake_of_ours(lab, monkeypatch):
    monkeypatch.setattr(Recall, "catch_up", lambda *_args, **_more: "not now")
    path = part(lab, "messages/*.fast")
    raw, known = path.read_bytes(), path.stat()
    for at in range(0, len(raw), 2):
        swap(path, raw[:at] + bytes([raw[at] ^ 4]) + raw[at + 1 :])
        os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
        with lab.new_recall() as recall:
            recall.search(Question(WORD, source="session", everything=True))


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
from indexer import layout, store
from indexer.errors import IndexBrokenError
from tests.indexer.lab import WORD, Lab, drop_privileges, said, session, indexed, snapshot

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
for path in (layout.current(lab.index_dir).messages, layout.current(lab.index_dir).folder,
             layout.current(lab.index_dir).catalog, lab.index_dir):
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
