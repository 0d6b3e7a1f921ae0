"""Ctrl-C and SIGTERM: heard at once, obeyed where nothing is half done."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from clawa_search.cli.progress import LEAST_BYTES, LazyBar
from clawa_search.cli.stopping import Stop, Stoppable
from indexer.report import Progress
from tests.builders import user


def send(number):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_signal_ends_a_wait_at_once(number, code):
    with Stop() as stop:
        assert stop.wait(0.0)
        assert not stop.is_set()
        send(number)
        assert not stop.wait(60.0)
        assert (stop.is_set(), stop.code) == (True, code)


def test_a_second_signal_interrupts():
    with Stop():
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_what_was_there_before_is_there_again():
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with Stop():
        pass
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_beside_the_main_thread_nothing_is_caught():
    seen = []

    def wait():
        with Stop() as stop:
            seen.append(stop.wait(0.0))

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert seen == [True]


class Interrupting(Progress):
    """Presses Ctrl-C when the work starts."""

    number = signal.SIGINT

    def start(self, total_bytes):
        send(self.number)


def test_work_goes_on_to_its_next_step_and_stops_there():
    with Stop() as stop:
        progress = Stoppable(stop, None)
        progress.start(5)
        progress.advance(1)
        send(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            progress.advance(1)
        progress.stop()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_reindex_is_130_and_the_next_one_whole(cli, home, monkeypatch, number):
    home.write("long.jsonl", *[user(f"word{n} " * 3000) for n in range(60)])
    monkeypatch.setattr(Interrupting, "number", number)
    monkeypatch.setattr("clawa_search.cli.reindexing.progress_bar", Interrupting)
    assert cli("reindex") == (130, "", "")
    monkeypatch.undo()
    for name, value in home.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(home.project)
    assert cli.json("reindex")["files"]["indexed"] == 5
    assert cli("doctor").code == 0


def test_a_bar_is_shown_for_long_work_only(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes stderr for a terminal
    monkeypatch.setenv("TERM", "xterm")
    bar = LazyBar()
    bar.start(LEAST_BYTES - 1)
    bar.advance(10)
    bar.stop()
    assert capsys.readouterr() == ("", "")
    bar.start(LEAST_BYTES)
    bar.advance(LEAST_BYTES)
    bar.stop()
    said = capsys.readouterr()
    assert said.out == ""
    assert "indexing sessions" in said.err


def test_off_a_terminal_there_is_no_bar(monkeypatch):
    from clawa_search.cli import hot

    assert hot.progress_bar() is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert isinstance(hot.progress_bar(), LazyBar)
