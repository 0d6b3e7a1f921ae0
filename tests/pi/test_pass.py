"""The real Pi: the memory pass runs once a compaction cycle, hidden, and only where a human sees it."""

import pytest

from clawa_search.continuity.memory_pass import PROMPT, threshold
from tests.pi.lab import CURRENT, FLOOR, Lab

LONG = "x" * 3_000
WORKER = """export default function (pi: any) {
  pi.registerCommand("worker", {
    description: "another extension starts a turn",
    handler: async (text: string) => {
      pi.sendMessage({ customType: "other", content: text, display: true }, { triggerTurn: true });
    },
  });
}
"""


def passes(lab) -> int:
    """Count the passes that reached the model: each is one run of turns with its prompt."""
    return sum(one.is_pass and not one.answers for one in lab.model.turns)


def settle(pi, text: str) -> None:
    """Send a message and wait for the end of everything that it sets off."""
    pi.prompt(text)
    pi.ask("get_state")


@pytest.mark.parametrize(
    ("name", "window"), [("m128k", 128_000), ("m200k", 200_000), ("m1m", 1_000_000)]
)
def test_it_runs_once_when_the_threshold_of_the_window_is_reached(lab, name, window):
    lab.settings()  # Pi's own defaults
    limit = threshold(window)
    with lab.rpc(model=name) as pi:
        settle(pi, f"!usage {limit - 100} !say below")
        assert passes(lab) == 0
        settle(pi, f"!usage {limit} !say hot")
        assert passes(lab) == 1
        settle(pi, f"!usage {limit + 100} !say hot again")
        assert not [event for event in pi.log if event["type"] == "compaction_start"]
    assert passes(lab) == 1
    assert len(lab.model.requests) == 3 + 3


def test_it_recalls_updates_and_remembers_hidden_from_the_human(lab):
    with lab.rpc() as pi:
        settle(pi, "!usage 18100 !say hot")
        assert [name for name, failed, _ in pi.results() if not failed] == ["recall", "remember"]
    (entry,) = [one for one in lab.entries() if one.get("customType") == "clawa-memory-pass"]
    assert entry["display"] is False
    assert entry["content"] == PROMPT
    assert entry["details"]["cycle"] == 0


def test_it_is_armed_again_by_a_compaction_and_by_a_new_session_not_by_a_resume(lab):
    with lab.rpc() as pi:
        for number in range(3):
            settle(pi, f"{number} {LONG} !say ok")
        settle(pi, "!usage 18100 !say hot")
        assert passes(lab) == 1
        pi.ask("compact")
        settle(pi, "!usage 18100 !say hot after the compaction")
        assert passes(lab) == 2
    with lab.rpc("--continue") as pi:
        settle(pi, "!usage 18200 !say still the same cycle")
        assert passes(lab) == 2
        pi.ask("new_session")
        settle(pi, "!usage 18100 !say hot in a new session")
    assert passes(lab) == 3


def test_when_one_turn_jumps_over_both_limits_it_still_runs_once(lab):
    with lab.rpc() as pi:
        for number in range(3):
            settle(pi, f"{number} {LONG} !say ok")
        settle(pi, "!usage 19500\n!loop 2")
        settle(pi, "calm !say c")
        assert [event for event in pi.log if event["type"] == "compaction_end"]
    assert passes(lab) == 1


@pytest.mark.parametrize("mode", [("-p",), ("--mode", "json")], ids=["print", "json"])
def test_it_never_runs_where_no_human_sees_it(lab, mode):
    lab.run(*mode, "!usage 18100 !say hot")
    assert passes(lab) == 0
    assert len(lab.model.requests) == 1


def test_it_does_not_follow_an_error(lab):
    lab.settings(enabled=False)
    with lab.rpc() as pi:
        settle(pi, "!usage 17000 !say warm")
        settle(pi, "!overflow")
    assert passes(lab) == 0


@pytest.mark.parametrize("script", [CURRENT, FLOOR], ids=["current", "floor"])
def test_it_comes_where_other_extensions_start_the_turns(tmp_path, model, script):
    lab = Lab(tmp_path, model, script)
    (lab.agent / "extensions/worker.ts").write_text(WORKER)
    with lab.rpc() as pi:
        for text in ("one !say w", "two !usage 18100 !say hot", "three !usage 18200 !say hot"):
            pi.ask("prompt", message=f"/worker {text}")
            pi.until(lambda event: event["type"] == "agent_settled")
            pi.ask("get_state")
    assert passes(lab) == 1
