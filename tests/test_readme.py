"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
import sqlite3
from pathlib import Path

import pytest

from clawa_search import main
from clawa_search.cli.verbs import VERBS
from tests.builders import REPOSITORY

README = Path(REPOSITORY, "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def demo_home(tmp_path, monkeypatch):
    home = tmp_path / "greenhouse"
    shutil.copytree(REPOSITORY / "clawa_search/demo_home", home)
    (home / ".pi").mkdir()
    for name in ("sessions", "settings.json"):
        (home / name).rename(home / ".pi" / name)
    monkeypatch.chdir(home)
    monkeypatch.setenv("TZ", "UTC")
    return home


def test_the_shell_lines_print_what_is_shown(demo_home, capfdbinary):
    (session,) = blocks("console")
    steps = re.findall(r"^\$ clawa-search (.*)\n((?:[^$\n].*\n)*)", session, re.MULTILINE)
    assert len(steps) == session.count("$ ")
    for words, shown in steps:
        assert main.run(shlex.split(words)) == 0
        out, err = capfdbinary.readouterr()
        assert (out.decode(), err) == (shown, b"")


def test_the_lines_of_python_run(demo_home, capsys):
    (lines,) = blocks("python")
    exec(compile(lines, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("mem:1 Tomatoes get 1.5 litres a day.\n")


def test_every_verb_is_in_the_table():
    told = set(
        re.findall(r"`([a-z-]+)", "".join(re.findall(r"^\| (`.*?) \|", README, re.MULTILINE)))
    )
    assert set(VERBS) <= told


def test_messages_that_are_explained_are_ones_that_we_write():
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("clawa_search", "indexer")
        for path in Path(REPOSITORY, folder).rglob("*.py")
    )
    table = README.partition("| message |")[2].partition("## The code")[0]
    told = re.findall(r"^\| `(.+?)` \|", table, re.MULTILINE)
    assert len(told) > 5
    for message in told:
        assert message in source, message


def test_the_triggers_can_be_taken_out(demo_home):
    (statements,) = re.findall(r'sqlite3 \.pi/clawa-memory\.sqlite "(.*)"', README)
    assert main.run(["remember", "tea"]) == 0
    with sqlite3.connect(".pi/clawa-memory.sqlite") as database:
        database.executescript(statements)
        left = database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'memories'"
        ).fetchall()
    database.close()
    assert left == []


def holds(folder, word):
    return [path for path in folder.rglob("*") if path.is_file() and word in path.read_bytes()]


def test_what_is_deleted_for_good_leaves_no_byte(demo_home, tmp_path, capfdbinary):
    index = ["--index-dir", str(tmp_path / "index")]
    for words in (["remember", "zebraquagga"], ["remember", "tea"], ["forget", "1"], ["reindex"]):
        assert main.run([*index, *words]) == 0
    assert holds(demo_home / ".pi", b"zebraquagga") == []
    assert holds(tmp_path / "index", b"capacitive")
    for path in holds(demo_home / ".pi", b"capacitive"):
        path.unlink()
    assert main.run([*index, "reindex", "--rebuild"]) == 0
    assert holds(tmp_path / "index", b"capacitive") == []


def test_nothing_of_this_machine_is_named():
    for name in ("README.md", "CHANGELOG.md", "constraints.txt", "pyproject.toml"):
        text = Path(REPOSITORY, name).read_text(encoding="utf-8")
        assert not re.search(
            r"/(root|work|tmp|Users|home)/|simple/|https?://[^ )\"]*(pypi|index)", text
        )
