"""The demo: real output, exit 0, nothing left behind."""

from __future__ import annotations

import os
import signal

from clawa_search.cli import demo


def files_below(*folders):
    return {
        os.path.join(here, name)
        for folder in folders
        for here, _, names in os.walk(folder)
        for name in names
    }


def test_the_demo_shows_every_command_with_its_output(cli, home, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    before = files_below(tmp_path)
    said = cli.ok("demo")
    parts = said.split("\n$ ")[1:]
    assert [part.partition("\n")[0] for part in parts] == [*demo.COMMANDS]
    shown = dict(part.split("\n", 1) for part in parts)
    assert shown[demo.COMMANDS[0]] == "Remembered #1.\n"
    assert "_fan.jsonl:6 · 5e1f0a05" in shown["clawa-search recall fan relay"]
    assert "· 2 copies" in shown["clawa-search recall fan relay"]
    assert shown["clawa-search doctor"].count("\nok ") == 5
    assert files_below(tmp_path) == before
    assert not list((tmp_path / "tmp").iterdir())


def test_settings_of_the_user_do_not_lead_out_of_the_demo(cli, home, monkeypatch):
    monkeypatch.setenv("CLAWA_HOME", str(home.project))
    monkeypatch.setenv("PI_SESSION_FILE", str(home.sessions / "x.jsonl"))
    cli.ok("demo")
    assert not (home.project / ".pi").exists()
    assert not home.index.exists()


def test_a_step_that_fails_ends_the_demo_with_2(cli, monkeypatch):
    monkeypatch.setattr(demo, "COMMANDS", ("clawa-search forget 9", "clawa-search status"))
    ran = cli("demo")
    assert ran.code == 2
    assert "there is no memory #9" in ran.err
    assert "status" not in ran.out


def test_an_interrupted_demo_leaves_nothing_behind(home, tmp_path):
    there = tmp_path / "tmp"
    there.mkdir()
    process = home.start("demo", env={"TMPDIR": str(there)})
    assert process.stdout is not None
    while b"reindex" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    assert home.finish(process).code == 130
    assert not list(there.iterdir())
