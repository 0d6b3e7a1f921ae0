"""What a shell is told when TAB is pressed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from clawa_search.cli.verbs import VERBS

BASH = shutil.which("bash") or ""


@pytest.fixture
def complete(cli, monkeypatch):
    """Return the values that the words before the cursor lead to."""

    def ask(shell, *words, last=""):
        monkeypatch.setenv("_CLAWA_SEARCH_COMPLETE", f"{shell}_complete")
        if shell == "fish":
            monkeypatch.setenv("COMP_WORDS", " ".join(["clawa-search", *words]))
            monkeypatch.setenv("COMP_CWORD", last)
        else:
            monkeypatch.setenv("COMP_WORDS", " ".join(["clawa-search", *words, last]))
            monkeypatch.setenv("COMP_CWORD", str(len(words) + 1))
        told = cli.ok().strip("\n").split("\n")
        monkeypatch.delenv("_CLAWA_SEARCH_COMPLETE")
        if shell == "zsh":
            return told[1::3]
        return [line.partition(",")[2].partition("\t")[0] for line in told]

    return ask


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_verbs_flags_and_choices_are_completed(complete, shell):
    assert complete(shell) == [*VERBS]
    assert complete(shell, last="re") == ["recall", "remember", "reindex"]
    assert complete(shell, "recall", last="--s") == [
        "--source", "--sessions", "--session-file", "--since", "--sessions-dir",
    ]  # fmt: skip
    assert complete(shell, "recall", "--source") == ["memory", "session"]
    assert complete(shell, "recall", "--all", "--role", last="b") == ["branch"]
    assert complete(shell, "completion") == ["bash", "zsh", "fish"]
    assert complete(shell, "--home", "x", "setup") == ["pi", "claude", "codex"]


def test_an_unknown_shell_is_told_nothing(cli, monkeypatch):
    monkeypatch.setenv("_CLAWA_SEARCH_COMPLETE", "tcsh_complete")
    assert cli() == (2, "", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_asks_with_our_variable(cli, shell):
    script = cli.ok("completion", shell)
    assert f"_CLAWA_SEARCH_COMPLETE={shell}_complete" in script


@pytest.mark.skipif(not BASH, reason="no bash here")
def test_bash_itself_completes(home, tmp_path):
    program = tmp_path / "clawa-search"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m clawa_search "$@"\n')
    program.chmod(0o755)
    script = """
    eval "$(clawa-search completion bash)"
    COMP_WORDS=(clawa-search rec); COMP_CWORD=1
    _clawa_search_completion clawa-search rec clawa-search
    echo "${COMPREPLY[@]}"
    """
    known = {**home.env, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": os.getcwd()}
    done = subprocess.run([BASH, "-c", script], env=known, capture_output=True, check=True)
    assert done.stdout.split() == [b"recall"]
