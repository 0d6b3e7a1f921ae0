"""`reindex --watch` in a process of its own, told by signals and files alone."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from clawa_search.cli.stopping import Stop
from clawa_search.cli.watching import reports
from indexer.report import Progress
from tests.builders import strict, user

NO_WATCHFILES = """
import sys
sys.modules["watchfiles"] = None
from clawa_search.main import main
main()
"""


@pytest.fixture(params=["told by the system", "looking again and again"])
def watching(request, home):
    """Start it; return the process and how to read its next line."""
    program = ("-m", "clawa_search") if "system" in request.param else ("-c", NO_WATCHFILES)
    process = home.start("reindex", "--watch", "--json", program=program)
    yield process, lambda: strict(process.stdout.readline().decode())
    process.kill()
    with process:
        process.communicate()


def test_each_change_is_one_line_and_sigint_is_130(watching, home):
    process, read = watching
    assert read()["files"]["indexed"] == 4
    path = home.write("new.jsonl", user("first"))
    assert read()["entries"]["added"] == 1
    path.unlink()
    assert read()["files"]["removed"] == 1
    process.send_signal(signal.SIGINT)
    assert home.finish(process) == (130, "", "")


def test_sigterm_is_a_clean_end(watching, home):
    process, read = watching
    read()
    process.send_signal(signal.SIGTERM)
    assert home.finish(process) == (0, "", "")


def test_a_root_may_be_missing_and_come_back(watching, home):
    _, read = watching
    read()
    away = home.sessions.rename(home.user / "away")
    away.rename(home.sessions)
    home.write("late.jsonl", user("late"))
    assert read()["entries"]["added"] >= 1


def test_an_index_folder_that_cannot_be_is_told_at_once(home, tmp_path):
    (tmp_path / "file").write_text("")
    ran = home.run("--index-dir", str(tmp_path / "file"), "reindex", "--watch", "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "index_broken"


def test_a_busy_index_is_told_and_tried_again(home):
    from indexer.store import WriterLock

    with WriterLock(str(home.index)):
        process = home.start("reindex", "--watch", "--json")
        assert process.stderr is not None
        told = process.stderr.readline().decode()
        assert told == f"clawa-search: {home.index}: another process is indexing; trying again\n"
    assert process.stdout is not None
    assert strict(process.stdout.readline().decode())["files"]["indexed"] == 4
    process.send_signal(signal.SIGTERM)
    assert home.finish(process).code == 0


def test_in_words_it_says_what_it_did(home):
    process = home.start("reindex", "--watch", str(home.sessions))
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"4 files: 4 indexed")
    process.send_signal(signal.SIGTERM)
    assert home.finish(process).code == 0


@pytest.fixture(params=[True, False], ids=["watchfiles", "polling"])
def followed(request, cli, home, monkeypatch):
    """The same in this process: its reports, one after the other."""
    if not request.param:
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    with Stop() as stop:
        yield reports(home.recall, [], stop, Progress()), stop


def test_reports_follow_the_files(followed, home):
    found, stop = followed
    assert next(found).indexed == 4
    home.write("new.jsonl", user("first"))
    assert next(found).added == 1
    os.kill(os.getpid(), signal.SIGTERM)
    assert list(found) == []
    assert stop.code == 0


def test_a_folder_made_anew_is_watched_anew(followed, home):
    found, _ = followed
    next(found)
    home.sessions.rename(home.user / "away")
    home.write("anew.jsonl", user("anew"))
    told = next(found)
    assert (told.added, told.removed) == (1, 4)


def test_a_watcher_that_fails_is_replaced_by_looking(cli, home, monkeypatch, capfdbinary):
    def watch(*_, **__):
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr("watchfiles.watch", watch)
    with Stop() as stop:
        found = reports(home.recall, [str(home.sessions)], stop, Progress())
        assert next(found).indexed == 4
        home.write("new.jsonl", user("first"))
        assert next(found).added == 1
    assert b"looking every few seconds instead" in capfdbinary.readouterr().err
