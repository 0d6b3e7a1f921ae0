"""The process's surroundings: streams, locale, folders that are not as they should be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPOSITORY, user

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="uses /dev/full")


@pytest.fixture
def shell(home):
    """Run a shell line in which `clawa-search` is ours."""

    def run(line, **env):
        known = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), **home.env, **env}
        function = f'clawa-search() {{ "{sys.executable}" -P -m clawa_search "$@"; }}'
        done = subprocess.run(
            ["sh", "-c", f"{function.replace('clawa-search', 'cs')}\n{line}"],
            cwd=home.project,
            env={name: value for name, value in known.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


def test_a_reader_that_goes_away_is_no_error(shell):
    code, out, err = shell("{ cs recall fan -n 100; echo $? >&2; } | head -c1")
    assert (code, out, err) == (0, "1", "0\n")


@pytest.mark.parametrize("verb", ["recall fan", "recall --json fan", "status", "--help"])
def test_a_full_disk_is_told(shell, verb):
    code, _, err = shell(f"cs {verb} >/dev/full")
    assert code == 2
    assert err == "clawa-search: output: cannot be written: No space left on device\n"


@pytest.mark.parametrize("verb", ["recall fan", "remember tea", "doctor", "--version"])
def test_a_closed_stdout_is_told_and_no_file_takes_its_place(shell, home, verb):
    home.reindex()
    code, _, err = shell(f"cs {verb} >&-")
    assert code == 2
    assert err == "clawa-search: output: cannot be written: Bad file descriptor\n"
    assert (home.index / "lock").read_bytes() == b""


def test_a_closed_stderr_loses_notes_only(shell, home):
    home.write("torn.jsonl", user("sentinel"), b"{")
    code, out, _ = shell("cs recall sentinel 2>&-")
    assert code == 0
    assert "sentinel" in out
    assert shell("cs recall --limit 0 2>&-")[0] == 2


def test_a_closed_stdin_is_an_empty_one(shell):
    assert shell("cs recall fan <&-")[0] == 0
    code, _, err = shell("cs recall - <&-")
    assert code in (0, 2)
    assert "Traceback" not in err


@pytest.mark.parametrize("verb", ["bridge", "mcp"])
@pytest.mark.parametrize("closed", ["<&-", "</dev/null >&-"])
def test_what_speaks_with_a_program_says_that_it_cannot(shell, verb, closed):
    code, out, err = shell(f"cs {verb} {closed}")
    assert (code, out) == (2, "")
    assert err.startswith(f"clawa-search: {verb}: stdin or stdout is closed (")
    assert len(err.splitlines()) == 1


def test_an_mcp_client_that_goes_away_is_no_error(shell):
    ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    asked = f"echo '{ping}'; sleep 0.5; " * 3
    code, _, err = shell(f"{{ {asked} }} | {{ cs mcp; echo $? >&2; }} | head -c1")
    assert (code, err) == (0, "0\n")


def test_without_a_home_folder_memories_still_work(shell):
    code, out, _ = shell("unset HOME; cs remember tea && cs recall tea", CLAWA_INDEX_DIR="")
    assert code == 0
    assert out.endswith("tea\n")


def test_a_folder_that_was_removed_under_us(shell, home):
    line = "mkdir gone; cd gone; rmdir ../gone; cs recall fan -n1; cs --home .. status >/dev/null"
    code, out, err = shell(line)
    assert (code, err) == (0, "")
    assert out.startswith("1. ")


@pytest.mark.parametrize("settings", [{}, {"PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}])
def test_a_plain_locale_changes_nothing(shell, home, settings):
    path = home.write("größe 项目.jsonl", user("Übergröße 评审会议"))
    code, out, err = shell(f"cs recall Übergröße; cs show '{path}:2'", LC_ALL="C", **settings)
    assert (code, err) == (0, "")
    assert out.count("Übergröße 评审会议") == 2
    assert str(path) in out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_does_not_stop_recall(shell, home):
    home.index.mkdir(mode=0o500)
    assert shell("cs recall fan -n1")[0] == 0
    code, out, err = shell("cs reindex")
    assert (code, out) == (2, "")
    assert f"{home.index}: the index cannot be written" in err


@pytest.mark.parametrize("folder", ["/proc/clawa", "/dev/null/clawa"])
def test_an_index_folder_that_cannot_be_made_does_not_stop_recall(shell, folder):
    code, out, _ = shell("cs recall fan -n1; cs remember tea", CLAWA_INDEX_DIR=folder)
    assert code == 0
    assert out.endswith("Remembered #1.\n")
    code, out, err = shell("cs reindex", CLAWA_INDEX_DIR=folder)
    assert (code, out) == (2, "")
    assert err.startswith(f"clawa-search: {folder}: the index cannot be ")
    assert err.count("\n") == 1


def test_an_index_folder_that_is_a_file_is_told(shell, home):
    home.index.write_text("")
    code, out, err = shell("cs recall fan -n1")
    assert code == 0
    assert "5e1f0a" in out
    assert err.startswith(f"clawa-search: {home.index}: ")
    assert shell("cs reindex")[0] == 2
    assert home.index.read_text() == ""


def test_a_database_that_is_none_is_told(shell, home):
    (home.project / ".pi").mkdir()
    (home.project / ".pi/clawa-memory.sqlite").write_bytes(b"not a database, by any means" * 99)
    code, _, err = shell("cs recall fan -n1")
    assert code == 0
    assert "clawa-memory.sqlite" in err
    assert shell("cs remember tea")[0] == 2


def test_python_minus_m_and_the_script_are_the_same_program(shell, home):
    script = Path(REPOSITORY, "scripts/clawa-search").read_text(encoding="utf-8")
    assert script.startswith("#!python\n")
    done = subprocess.run(
        [sys.executable, "-c", script, "--version"],
        env={**home.env, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == shell("cs --version")[1]
