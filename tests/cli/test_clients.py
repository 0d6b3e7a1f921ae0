"""`setup claude` and `setup codex`: the agent's own command is asked, in words that it knows."""

import json
import sys

import pytest

from clawa_search.cli import clients

PROGRAM = """#!{python}
import json, sys
with open({log!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
asked = open({log!r}).read()
if "exists" in {refuses!r} and sys.argv[2] == "add" and "remove" not in asked:
    sys.exit("a server of that name already exists")
if sys.argv[2] in {refuses!r}:
    sys.exit("no server\\nof that name")
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """Put commands on the PATH that note what they are asked, and refuse some of it."""
    log = tmp_path / "log"

    def make(name, *refuses):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(PROGRAM.format(python=sys.executable, log=str(log), refuses=refuses))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))
        return lambda: [json.loads(line) for line in log.read_text().splitlines()]

    return make


SERVER = ["clawa-search", "--", sys.executable, "-P", "-m", "clawa_search"]


def test_the_server_takes_the_place_of_an_older_one(agent, cli):
    asked = agent("claude", "exists")
    ran = cli("setup", "claude")
    assert (ran.code, ran.err) == (0, "")
    assert "claude: clawa-search is registered" in ran.out
    add = ["mcp", "add", "--scope", "user", *SERVER, "mcp"]
    assert asked() == [add, ["mcp", "remove", "--scope", "user", "clawa-search"], add]


def test_an_agent_that_refuses_keeps_what_it_has(agent, cli):
    asked = agent("claude", "add")
    assert cli("setup", "claude").code == 2
    assert [words[1] for words in asked()] == ["add"]


def test_places_that_are_named_are_handed_on_as_absolute_paths(agent, cli):
    asked = agent("codex")
    named = ("--home", "here", "--index-dir", "there", "--sessions-dir", "a", "--sessions-dir", "b")
    ran = cli(*named, "setup", "codex")
    assert ran.code == 0
    assert "required = true" in ran.err
    at = cli.home.project
    words = [str(at / word) if not word.startswith("--") else word for word in named]
    assert asked()[-1] == ["mcp", "add", *SERVER, *words, "mcp"]


def test_it_is_taken_out_again(agent, cli):
    asked = agent("claude")
    ran = cli("setup", "claude", "--remove")
    assert (ran.code, ran.out) == (0, "claude: clawa-search is no longer registered\n")
    assert asked() == [["mcp", "remove", "--scope", "user", "clawa-search"]]


@pytest.mark.parametrize(("words", "refused"), [((), "add"), (("--remove",), "remove")])
def test_what_the_agent_refuses_is_told_in_its_words(agent, cli, words, refused):
    agent("claude", refused)
    ran = cli("setup", "claude", *words)
    assert (ran.code, ran.out) == (2, "")
    assert "claude: no server of that name" in ran.err


def test_an_agent_that_is_not_there_is_an_error_with_the_command_to_type(cli, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    ran = cli("setup", "codex")
    assert ran.code == 2
    assert "codex: there is no such command on the PATH" in ran.err
    assert "codex mcp add clawa-search -- " in ran.err


def test_an_agent_that_does_not_answer_is_not_waited_for_for_ever(agent, cli, monkeypatch):
    asked = agent("claude")
    assert asked  # it is there
    program = cli.home.project / "claude"
    program.write_text(f"#!{sys.executable}\nimport time; time.sleep(60)\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(cli.home.project))
    monkeypatch.setattr(clients, "TIMEOUT_S", 0.5)
    ran = cli("setup", "claude", "--remove")
    assert ran.code == 2
    assert "did not answer" in ran.err
