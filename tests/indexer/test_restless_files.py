"""Session files that vanish, change or fail under the reader: nothing is lost, nothing stays."""

import errno
import os
import shutil
import time

import pytest

from clawa_search.places import Places
from clawa_search.recall import Recall
from clawa_search.search.question import Question
from indexer import passing, step
from indexer.catalog import Catalog
from indexer.sync import sync
from indexer.tail import read_lines
from tests.indexer.lab import WORD, generation, indexed, said, session, snapshot


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
