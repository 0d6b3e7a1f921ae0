"""The real Pi: whatever becomes of the child, the agent goes on, the human hears of it once, nothing is left over."""

import json
import os
import resource
import signal
import sys

import pytest

from tests.pi.lab import CURRENT, FLOOR, Lab, assert_gone, processes_with


@pytest.fixture
def lab(lab):
    lab.use_fake_bridge()
    lab.live(CLAW="# Claw\nI am a claw.\n")
    return lab


def bridge_of(pi) -> int:
    """Return the process id of the child that Pi runs now."""
    (child,) = processes_with(b"tests.pi.fake", parent=pi.process.pid)
    return child


def kill_bridge(pi) -> int:
    """End the child that Pi runs now, and return its process id."""
    child = bridge_of(pi)
    os.kill(child, signal.SIGKILL)
    assert_gone(child)
    return child


def test_errors_of_the_child_are_results_that_the_model_reads(lab):
    with lab.rpc() as pi:
        pi.prompt('!call remember {"text":"blue","tags":["rock"]}')
        pi.prompt('!call recall {"query":"boom"}')
        pi.prompt('!call remember {"text":"x","id":99}')
        pi.prompt('!call recall {"query":"blue"}')
        remembered, boom, unknown, found = pi.results()
        assert pi.notices() == []
    assert remembered == ("remember", False, "Remembered #1.")
    assert boom[1:] == (True, "clawa-search: ZeroDivisionError: thrown boom")
    assert unknown[1:] == (True, "clawa-search: memory #99: there is none; recall names the ids")
    assert "blue" in found[2]
    assert lab.model.requests[-1].answers == [found[2]]


def test_a_child_that_dies_is_started_again_for_the_next_call(lab):
    with lab.rpc() as pi:
        pi.prompt('!call recall {"query":"die"}')
        pi.prompt('!call recall {"query":"anything"}')
        dead, alive = pi.results()
    assert dead[1]
    assert "the bridge ended (3)" in dead[2]
    assert not alive[1]
    assert [one.hydrations for one in lab.model.turns] == [[lab.hydration_text()]] * 4


def test_a_child_killed_while_idle_is_started_again(lab):
    with lab.rpc() as pi:
        pi.prompt("!say hi")
        first = kill_bridge(pi)
        pi.prompt("!say hi")  # Pi may not have heard of the end yet
        pi.prompt('!call recall {"query":"anything"}')
        assert not pi.results()[0][1]
        second = bridge_of(pi)
    assert second != first
    assert_gone(second)


@pytest.mark.parametrize(
    "command",
    [["/nowhere/python", "bridge"], ["/bin/false"], ["/bin/echo", "null"], ["/bin/echo", "{}"]],
    ids=["missing", "failing", "null", "empty"],
)
def test_without_python_the_agent_goes_on_and_says_so_once(lab, command):
    lab.env["CLAWA_SEARCH_CMD"] = json.dumps(command)
    with lab.rpc() as pi:
        pi.prompt("hello !say hi")
        pi.prompt('!call recall {"query":"x"}')
        pi.prompt("!usage 19500 !say full")
        assert len(pi.notices()) == 1
        assert pi.results()[0][1]
    assert pi.notices()[0].startswith("clawa-search: ")
    assert lab.run("-p", "hello !say hi") == "hi\n"


def test_a_call_that_takes_too_long_is_an_error_and_the_next_one_is_served(lab):
    lab.env["CLAWA_SEARCH_TIMEOUT_MS"] = "1500"
    with lab.rpc() as pi:
        pi.prompt("!say hi")
        first = bridge_of(pi)
        pi.prompt('!call recall {"query":"hang"}')
        pi.prompt('!call recall {"query":"x"}')
        late, served = pi.results()
        assert_gone(first)
    assert late[:2] == ("recall", True)
    assert late[2].startswith("clawa-search: no answer in 1500 ms; ")
    assert not served[1]


def test_an_aborted_call_does_not_hold_up_the_next_one(lab):
    with lab.rpc() as pi:
        pi.send("prompt", message='!call recall {"query":"hang"}')
        pi.until(lambda event: event["type"] == "tool_execution_start")
        first = bridge_of(pi)
        pi.ask("abort")
        pi.until(lambda event: event["type"] == "agent_settled")
        pi.prompt('!call recall {"query":"x"}')
        assert not pi.results()[-1][1]
        assert_gone(first)
        assert pi.notices() == []


def test_quitting_while_a_call_is_open_leaves_no_process_behind(lab):
    with lab.rpc() as pi:
        pi.send("prompt", message='!call recall {"query":"hang"}')
        pi.until(lambda event: event["type"] == "tool_execution_start")
        child = bridge_of(pi)
        pi.close()
    assert_gone(child)


def test_when_pi_is_killed_even_a_busy_child_ends(lab):
    with lab.rpc() as pi:
        pi.send("prompt", message='!call recall {"query":"hang"}')
        pi.until(lambda event: event["type"] == "tool_execution_start")
        child = bridge_of(pi)
        pi.process.kill()
    assert_gone(child)


def test_a_stale_copy_of_the_extension_is_told_once(lab):
    script = lab.agent / "extensions/clawa-search/clawa.ts"
    script.write_text(script.read_text() + "\n// of another version\n")
    with lab.rpc() as pi:
        pi.prompt("!say hi")
        (notice,) = pi.notices()
    assert "clawa-search setup pi" in notice


@pytest.mark.parametrize("written", ["{", "", "[]", "{}", "[1]", "null"])
def test_a_broken_command_file_is_named_with_its_remedy(lab, written):
    del lab.env["CLAWA_SEARCH_CMD"]
    path = lab.agent / "extensions/clawa-search/command.json"
    path.write_text(written)
    with lab.rpc() as pi:
        pi.prompt("hello !say hi")
        (notice,) = pi.notices()
    assert str(path) in notice
    assert "clawa-search setup pi" in notice


def test_without_descriptors_left_the_agent_goes_on(lab):
    with lab.rpc() as pi:
        pi.prompt("!say hi")
        kill_bridge(pi)
        used = max(int(name) for name in os.listdir(f"/proc/{pi.process.pid}/fd"))
        resource.prlimit(pi.process.pid, resource.RLIMIT_NOFILE, (used + 3, 4096))
        pi.send("prompt", message='!call recall {"query":"x"}')
        pi.until(lambda event: event["type"] == "agent_settled")
        resource.prlimit(pi.process.pid, resource.RLIMIT_NOFILE, (1024, 4096))
        pi.prompt('!call recall {"query":"x"}')
        assert not pi.results()[-1][1]


def test_a_bridge_that_was_down_at_the_start_hydrates_as_soon_as_it_answers(lab):
    command = lab.env["CLAWA_SEARCH_CMD"]
    flag = lab.project / "up"
    late = f"[ -e '{flag}' ] || exit 3; exec {' '.join(json.loads(command))}"
    lab.env["CLAWA_SEARCH_CMD"] = json.dumps(["/bin/sh", "-c", late])
    with lab.rpc() as pi:
        pi.prompt("!say hi")
        assert lab.model.turns[-1].hydrations == []
        flag.touch()
        pi.prompt('!call recall {"query":"x"}')
        pi.prompt("!say hi again")
    assert lab.model.turns[-1].hydrations == [lab.hydration_text()]


def errors_of(pi) -> list[dict[str, object]]:
    return [event for event in pi.log if event["type"] == "extension_error"]


@pytest.mark.parametrize("limit", ["3000000000", "-5", "Infinity", "soon"])
def test_a_time_limit_that_no_timer_takes_is_no_short_one(lab, limit):
    lab.env["CLAWA_SEARCH_TIMEOUT_MS"] = limit
    with lab.rpc() as pi:
        pi.prompt('!call recall {"query":"nothing"}')
        assert [failed for _, failed, _ in pi.results()] == [False]


@pytest.mark.parametrize("result", ["{}", "null", "5", '{"text": 7}'])
def test_an_answer_of_another_shape_is_told_once_and_an_error_to_the_model(lab, result):
    code = (
        "import json, sys\nfor line in sys.stdin:\n"
        f" print(json.dumps({{'id': json.loads(line)['id'], 'ok': True, 'result': json.loads({result!r})}}),"
        " flush=True)"
    )
    lab.env["CLAWA_SEARCH_CMD"] = json.dumps([sys.executable, "-c", code])
    with lab.rpc() as pi:
        pi.prompt('!call recall {"query":"x"}')
        assert [one["event"] for one in errors_of(pi)] == []
        assert len(pi.notices()) == 1
        assert [failed for _, failed, _ in pi.results()] == [True]


def test_a_child_that_was_stopped_while_busy_does_not_outlive_pi(lab):
    with lab.rpc() as pi:
        pi.prompt("hello !say hi")
        child = bridge_of(pi)
        os.kill(child, signal.SIGSTOP)
        pi.send("prompt", message='!call recall {"query":"x"}')
        pi.until(lambda event: event["type"] == "tool_execution_start")
        pi.close()
    assert_gone(child)


@pytest.mark.parametrize("script", [CURRENT, FLOOR], ids=["current", "floor"])
def test_a_session_that_is_replaced_in_mid_run_is_no_error(tmp_path, model, script):
    lab = Lab(tmp_path, model, script)
    lab.live(CLAW="# Claw\nI am a claw.\n")
    with lab.rpc() as pi:
        pi.prompt("warm !say w")
        pi.send("prompt", message='!call recall {"query":"warm"}')
        pi.until(lambda event: event["type"] == "tool_execution_start")
        pi.ask("new_session")
        pi.prompt("next !say n")
        assert [one["event"] for one in errors_of(pi)] == []
