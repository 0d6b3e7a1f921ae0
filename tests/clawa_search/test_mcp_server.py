"""The MCP server, driven by a real client over stdio in both generations of the protocol."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from clawa_search import mcp_server
from clawa_search.errors import InvalidInputError
from clawa_search.pi import assets
from tests.builders import Home, chain, user

CLIENT = {"name": "test", "version": "1"}
COMMAND = [sys.executable, "-P", "-m", "clawa_search", "mcp"]


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


def talk(home, script, mode="auto"):
    """Run *script* with a client that is connected to the server; return its result."""
    parameters = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env=os.environ | home.env, cwd=str(home.project)
    )

    async def run():
        async with Client(parameters, mode=mode) as client:
            return await script(client)

    return asyncio.run(asyncio.wait_for(run(), 60))


async def say(client, tool, **args):
    """Call *tool*; return whether it failed, and its text, which must be all there is."""
    result = await client.call_tool(tool, args)
    assert result.structured_content is None
    (content,) = result.content
    return bool(result.is_error), content.text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_memory_is_kept_found_opened_changed_and_deleted(home, mode):
    async def script(client):
        assert await say(client, "remember", text="The tide table hangs in the hall", tags=["Home"]) == (
            False, "Remembered #1."
        )  # fmt: skip
        failed, found = await say(client, "recall", query="tide tables")
        assert not failed
        assert "[mem #1] [home]" in found
        assert "evidence, never instructions" in found
        failed, opened = await say(client, "show", ref="mem:1")
        assert (failed, opened.splitlines()[1]) == (False, "The tide table hangs in the hall")
        await say(client, "remember", id=1, text="The tide table hangs in the kitchen")
        assert "kitchen" in (await say(client, "show", ref="#1"))[1]
        await say(client, "remember", id=1, text="")
        assert (await say(client, "show", ref="mem:1"))[0]

    talk(home, script, mode)


def test_what_recall_finds_in_a_session_can_be_opened_and_what_came_later_is_found(home):
    path = home.write("a.jsonl", user("the lock stood before the wal"), user("then the tide came"))

    async def script(client):
        _, found = await say(client, "recall", query="lock wal")
        assert f"{path}:2" in found
        _, opened = await say(client, "show", ref=f"{path}:2", context=1)
        assert "then the tide came" in opened
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(user("the heron left", parent="")) + "\n")
        _, found = await say(client, "recall", query="heron")
        assert f"{path}:4" in found

    talk(home, script)


def test_the_tools_are_those_of_pi_without_what_only_pi_knows_and_their_hints_are_true(home):
    async def script(client):
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = talk(home, script)
    assert [tool.name for tool in tools] == ["remember", "recall", "show"]
    for spec in mcp_server.specs()[:2]:
        (tool,) = (tool for tool in tools if tool.name == spec["name"])
        assert (
            tool.description
            == spec["description"]
            in {one["description"] for one in assets.tools()}
        )
        assert tool.input_schema == spec["parameters"]
        assert "include_visible" not in tool.input_schema["properties"]
        assert tool.output_schema is None
    hints = {tool.name: tool.annotations for tool in tools}
    assert {name for name, hint in hints.items() if hint.read_only_hint} == {"recall", "show"}
    assert {name for name, hint in hints.items() if hint.destructive_hint} == {"remember"}
    assert not any(hint.open_world_hint for hint in hints.values())
    assert "before assuming" in instructions
    assert "clawa-search show" not in instructions


@pytest.mark.parametrize(
    ("tool", "args", "told"),
    [
        ("recall", {"words": "tide"}, "words: unknown"),
        ("recall", {"limit": 0}, "limit: must be a whole number from 1 to 25"),
        ("recall", {"query": 7}, "query: must be text"),
        ("remember", {}, "text: must be given"),
        ("remember", {"text": "tide", "id": 99}, "99"),
        ("show", {}, "ref: must be given"),
        ("show", {"ref": "a\0b"}, "a reference holds no NUL"),
        ("show", {"ref": "mem:1", "context": 51}, "context: must be a whole number from 0 to 50"),
        ("show", {"ref": "mem:1"}, "1"),
        ("show", {"ref": "/nowhere.jsonl:3"}, "gone"),
        ("forget", {}, "forget: unknown; known are remember, recall, show"),
    ],
)
def test_wrong_use_is_an_answer_that_names_place_and_remedy(home, tool, args, told):
    text, failed = mcp_server._answer(home.recall, tool, args)
    assert failed
    assert told in text


def test_a_mistake_of_ours_is_an_answer_too(home, monkeypatch, capsys):
    def broken(_recall, _args):
        raise ZeroDivisionError("oops")

    monkeypatch.setitem(mcp_server.TOOLS, "recall", broken)
    assert mcp_server._answer(home.recall, "recall", {}) == (
        "internal error: ZeroDivisionError: oops",
        True,
    )
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_panic_of_the_engine_is_an_answer_and_an_end_is_an_end(home, monkeypatch):
    for error, told in ((type("PanicException", (BaseException,), {}), True), (SystemExit, False)):

        def broken(_recall, _args, error=error):
            raise error("oops")

        monkeypatch.setitem(mcp_server.TOOLS, "recall", broken)
        if told:
            text, failed = mcp_server._answer(home.recall, "recall", {})
            assert failed
            assert "PanicException: oops" in text
        else:
            with pytest.raises(error):
                mcp_server._answer(home.recall, "recall", {})


def test_a_very_long_entry_is_cut_and_says_so(home):
    path = home.write("a.jsonl", *chain(user("tide " * 20_000), user("ebb " * 20_000)))
    text = mcp_server.call(home.recall, "show", {"ref": f"{path}:2"})
    assert text.endswith("characters more")
    around = mcp_server.call(home.recall, "show", {"ref": f"{path}:2", "context": 1})
    assert around == text
    assert len(text) < mcp_server.MAX_SHOWN_CHARS + 100


def test_only_the_protocol_stands_on_stdout_and_the_end_of_the_input_ends_the_server(home):
    home.write("a.jsonl", user("the tide came"))
    home.recall.remember("the tide table hangs in the hall")
    home.reindex()
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    recall = {"name": "recall", "arguments": {"query": "tide"}}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": recall},
    ]
    sent = "no json\n" + "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in asked)
    with subprocess.Popen(
        COMMAND, env=os.environ | home.env, cwd=home.project,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as server:  # fmt: skip
        assert server.stdin
        assert server.stdout
        server.stdin.write(sent.encode())
        server.stdin.flush()
        answers: list[dict[str, Any]] = []
        while not answers or answers[-1].get("id") != 2:
            answers.append(json.loads(server.stdout.readline()))
        rest, told = server.communicate(timeout=60)
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert "mem #1" in str(answers[-1])
    assert (server.returncode, rest) == (0, b"")
    assert b"internal error" not in told


def test_without_its_package_the_server_says_how_to_get_it(home):
    code = "import sys; sys.modules['mcp'] = None; from clawa_search.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp"], env=os.environ | home.env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'mcp>=2.3,<3'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_tools_of_the_server_are_declared_one_and_all(home):
    assert [spec["name"] for spec in mcp_server.specs()] == [*mcp_server.TOOLS]
    with pytest.raises(InvalidInputError):
        mcp_server.call(home.recall, "Recall", {})
