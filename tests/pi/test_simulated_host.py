"""The extension in a scripted host: no order of turns, compactions, forks and outages breaks its laws."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pi.lab import CURRENT, NODE, REPOSITORY, WAIT_SECONDS, need

MANAGER = CURRENT.parents[1] / "core/session-manager.js"
BRIDGE = "from clawa_search.bridge import main; raise SystemExit(main())"


class SimulatedHost:
    """One node process that plays any number of scripts."""

    def __init__(self, home) -> None:
        need(NODE, MANAGER)
        (home / ".git").mkdir()
        (home / "CLAW.md").write_text("# Claw\nI am a claw.\n")
        self.home = home
        self.process = subprocess.Popen(
            [
                str(NODE),
                str(REPOSITORY / "tests/pi/host.mjs"),
                str(MANAGER),
                str(REPOSITORY / "clawa_search/pi/clawa.ts"),
                *(sys.executable, "-c", BRIDGE),
            ],
            cwd=REPOSITORY,
            env={"PATH": f"{NODE.parent}:/usr/bin:/bin", "HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def play(self, steps):
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"home": str(self.home), "steps": steps}) + "\n")
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate(timeout=WAIT_SECONDS)
        assert self.process.returncode == 0


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    made = SimulatedHost(tmp_path_factory.mktemp("home"))
    yield made
    made.close()


number = st.integers(0, 200)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("prompt"), number, number),
        st.tuples(
            st.sampled_from(["abort", "compact", "overflow", "fork", "tree", "resume", "model"]),
            number,
            number,
        ),
        st.tuples(st.sampled_from(["new", "edit"])),
    ),
    max_size=25,
)


@settings(max_examples=80)
@given(steps)
def test_every_request_has_one_hydration_it_is_refreshed_only_when_gone_and_a_cycle_has_one_pass(
    host, script
):
    trace = host.play(script)
    for request in trace["requests"]:
        assert request["hydrations"] == [request["expected"]]
    assert trace["wrong"] == []
    assert len(trace["passesOnBranch"]) == len(set(trace["passesOnBranch"]))


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["outage", "prompt", "compact", "resume", "edit"]), number, number
        ),
        max_size=20,
    )
)
def test_during_an_outage_the_last_known_hydration_stays(host, script):
    trace = host.play(script)
    for request in trace["requests"]:
        if request["expected"] is None:  # nothing could be read since this process began
            assert len(request["hydrations"]) == min(1, request["inContext"])
        else:
            assert request["hydrations"] == [request["expected"]]
    assert trace["wrong"] == []


def test_the_pass_runs_again_after_each_compaction(host):
    cycle = [["prompt", 91, 0], ["prompt", 92, 0], ["compact", 0]]
    trace = host.play([["prompt", 50, 0], *cycle * 3, ["prompt", 93, 0]])
    assert trace["passes"] == [0, 1, 2, 3]
    assert trace["passesOnBranch"] == [0, 1, 2, 3]


def test_a_context_that_no_compaction_empties_has_one_pass_a_human_message(host):
    trace = host.play([["world", "stuck"], *[["prompt", 96, 0]] * 3])
    assert len(trace["passes"]) == 3
    assert trace["passesOnBranch"] == sorted(set(trace["passesOnBranch"]))


@pytest.mark.parametrize("what", ["compact", "abort", "follow-up"])
def test_no_pass_is_queued_when_the_run_was_overtaken_while_python_was_asked(host, what):
    assert host.play([["race", what], ["prompt", 92, 0]])["passes"] == []


def test_no_pass_is_queued_when_its_tools_are_switched_off(host):
    assert host.play([["world", "blunt"], ["prompt", 92, 0]])["passes"] == []


def test_a_reserve_of_the_models_own_counts(host):
    assert host.play([["prompt", 60, 0]])["passes"] == []
    assert host.play([["world", "eager"], ["prompt", 60, 0]])["passes"] == [0]
