"""Paths and settings that are none: told, passed over, never waited for."""

import json
import os
import sys

import pytest

from clawa_search.continuity.legacy import FOLDER as LEGACY
from clawa_search.continuity.legacy import RECORD
from clawa_search.pi import install
from tests.builders import user

ODD = ["a\0b", "a\ud83db", "file://[", "file:///tmp/%00x"]
SECONDS = 30


def settings(home, **values):
    folder = home.project / ".pi"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values))


@pytest.mark.parametrize("folder", ODD)
def test_a_setting_that_is_no_path_stops_nothing(home, folder):
    settings(home, sessionDir=folder)
    for verb in (["recall", "x"], ["recall", "--all", "x"], ["status"], ["reindex"], ["doctor"]):
        ran = home.run(*verb)
        assert "internal error" not in ran.err
        assert ran.code in (0, 1, 2)


@pytest.mark.parametrize("path", ["file://[", "file:///a%00b"])
@pytest.mark.parametrize(
    "words",
    [["recall", "--project", "{}", "x"], ["recall", "--session-file", "{}", "x"], ["reindex", "{}"],
     ["show", "{}:1"], ["--home", "{}", "status"], ["--index-dir", "{}", "recall", "x"]],
)  # fmt: skip
def test_a_flag_that_is_no_path_is_no_accident(home, words, path):
    home.write("a.jsonl", user("x"))
    ran = home.run(*(word.format(path) for word in words))
    assert "internal error" not in ran.err
    assert ran.code in (0, 1, 2)


@pytest.mark.parametrize("kind", ["fifo", "stdin"])
def test_settings_that_are_no_file_are_not_waited_for(home, kind):
    settings(home)
    path = home.project / ".pi" / "settings.json"
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/stdin")
    home.write("a.jsonl", user("a banana split"), user("a cherry"))
    ran = home.run("recall", "-", "--json", stdin=b"banana")
    assert ran.json["hits"][0]["line"] == 2
    assert ran.json["query"] == "banana"


def test_parts_of_the_extension_that_are_no_files_are_not_waited_for(home):
    assert home.run("setup", "pi").code == 0
    tools = home.agent / install.FOLDER / "tools.json"
    tools.unlink()
    os.mkfifo(tools)
    assert home.run("status").code == 0
    assert home.run("setup", "pi").code == 0
    assert tools.is_file()


@pytest.mark.parametrize("name", ["package.json", "command.json"])
def test_an_extension_nested_too_deeply_is_told_or_mended(home, name):
    assert home.run("setup", "pi").code == 0
    (home.agent / install.FOLDER / name).write_text("[" * 200_000)
    ran = home.run("setup", "pi")
    assert "internal error" not in ran.err
    assert ran.code == (2 if name == "package.json" else 0)


@pytest.mark.parametrize("kind", ["fifo", "deep"])
def test_a_record_of_imports_that_is_none_is_passed_over(home, kind):
    settings(home)
    record = home.project / ".pi" / RECORD
    if kind == "fifo":
        os.mkfifo(record)
    else:
        record.write_text("[" * 200_000)
    folder = home.project / LEGACY
    folder.mkdir(parents=True)
    most = (1 << 53) - 1
    (folder / "c.md").write_text(json.dumps({"id": most, "ts": 5, "text": "x", "tags": []}))
    assert home.run("setup", "pi").code == 0
    told = home.run("recall", "x", "--json").json
    assert [hit["id"] < 10 for hit in told["hits"]] == [True]


def test_the_same_python_by_another_name_is_no_other_install(tmp_path, monkeypatch):
    for name in ("python3.11", "python3.13"):
        (tmp_path / name).write_text("#!/bin/sh")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "python3").symlink_to("python3.11")
    agent = str(tmp_path / "agent")
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/python3")
    install.install(agent)
    states = {}
    for name in ("python3", "python3.11", "python3.13"):
        monkeypatch.setattr(sys, "executable", f"{tmp_path}/{name}")
        states[name] = install.status(agent).state
    assert states == {"python3": "current", "python3.11": "current", "python3.13": "outdated"}


def test_a_time_that_ends_before_it_begins_is_told(either):
    either.write("a.jsonl", user("a banana"))
    either.recall.remember("bananas are ripe")
    either.ready()
    for query in ("banana", ""):
        for source in ("", "memory"):
            answer = either.ask(query, source=source, since_ms=2_000, until_ms=1_000)
            assert answer.hits == []
            assert "since is later than until" in answer.notes[0]
