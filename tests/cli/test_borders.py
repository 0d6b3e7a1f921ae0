"""What the entry point does with what nobody else caught."""

from __future__ import annotations

import os
import threading

import pytest

from clawa_search import main
from clawa_search.cli import streams


def raising(error):
    def run(argv):
        raise error

    return run


@pytest.fixture
def told(cli, monkeypatch):
    """Run a verb that raises; return what is told."""

    def run(error, *flags):
        monkeypatch.setattr("clawa_search.cli.app.run", raising(error))
        return cli("status", *flags)

    return run


def test_a_mistake_of_ours_is_one_line(told):
    ran = told(TypeError("no such\nthing"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "clawa-search: internal error: TypeError: no such thing "
        "(please report it; with CLAWA_TRACEBACK=1 it tells where)\n"
    )


def test_a_panic_of_the_engine_is_told_as_one(told):
    ran = told(type("PanicException", (BaseException,), {})("range end index"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("clawa-search: internal error: PanicException: range end index (")


def test_a_mistake_of_ours_is_one_object(told):
    assert told(KeyError("x"), "--json").json["error"]["code"] == "internal"


def test_a_mistake_of_ours_tells_where_if_asked(told, monkeypatch):
    monkeypatch.setenv("CLAWA_TRACEBACK", "1")
    with pytest.raises(TypeError):
        told(TypeError("here"))


def test_what_the_system_refuses_is_told_with_its_path(told):
    error = PermissionError(13, "Permission denied", "/secret")
    assert told(error).err == "clawa-search: /secret: Permission denied (set its permissions)\n"


def test_ctrl_c_is_130(told):
    assert told(KeyboardInterrupt()) == (130, "", "")


def test_a_reader_that_went_away_is_0(told):
    assert told(BrokenPipeError()) == (0, "", "")


def test_a_stdout_that_cannot_be_written_is_2(told):
    error = streams.OutputError(28, "No space left on device")
    assert told(error).err == "clawa-search: output: cannot be written: No space left on device\n"


@pytest.fixture
def stdout(capfdbinary):
    """Put another file in the place of stdout."""
    kept = os.dup(1)

    def replace(fd):
        os.dup2(fd, 1)
        os.close(fd)

    yield replace
    os.dup2(kept, 1)
    os.close(kept)


def test_results_reach_a_slow_reader_whole(stdout):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    stdout(writer)
    seen = []

    def read():
        while part := os.read(reader, 1 << 16):
            seen.append(part)

    thread = threading.Thread(target=read)
    thread.start()
    streams.put("x" * (1 << 20))
    os.dup2(2, 1)
    thread.join()
    os.close(reader)
    assert len(b"".join(seen)) == 1 << 20


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_an_error_of_its_own(stdout):
    stdout(os.open("/dev/full", os.O_WRONLY))
    with pytest.raises(streams.OutputError):
        streams.put("x")


def test_closed_streams_are_given_a_harmless_file(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    kept = os.dup(1)
    os.close(1)
    try:
        streams.keep_places()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(1, b"x")
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def test_leaving_flushes_and_never_fails(monkeypatch):
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)

    class Full:
        def flush(self):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.stderr", None)
    main.leave(1)
    monkeypatch.setattr("sys.stderr", Full())
    main.leave(0)
    assert left == [1, 2]
