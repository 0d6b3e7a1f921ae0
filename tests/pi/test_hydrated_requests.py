"""The real Pi: every request to the model carries exactly one hydration, the current one, and no turn is added."""

import io
import json

import pytest
from PIL import Image

from tests.pi.lab import CURRENT, FLOOR, Lab

LONG = "x" * 3_000  # three of these and Pi has something to compact


@pytest.fixture
def lab(lab):
    lab.live(
        CLAW="# Claw\n\n## Voice\nI am a claw \u2028 with ✓ and 🦀.\n",
        HUMAN="# Human\nlikes rocks\n",
    )
    return lab


def fill(pi, count: int = 3) -> None:
    for number in range(count):
        pi.prompt(f"prompt {number} {LONG} !say ok{number}")


def assert_hydrated(lab: Lab, turns: int) -> None:
    """Every turn carried the hydration once; so many turns were not of a memory pass."""
    found = lab.model.turns
    assert [one.hydrations for one in found] == [[lab.hydration_text()]] * len(found)
    assert sum(not one.is_pass for one in found) == turns


def hydrations_on_branch(lab: Lab) -> int:
    return sum(entry.get("customType") == "clawa-hydration" for entry in lab.entries())


def test_in_print_mode_the_answer_is_printed_and_the_hydration_stays_hidden(lab):
    assert lab.run("-p", "hello !say hi") == "hi\n"
    assert_hydrated(lab, turns=1)
    (entry,) = [one for one in lab.entries() if one["type"] == "custom_message"]
    assert entry["display"] is False
    assert entry["details"]["sha"]


def test_in_json_mode_several_tool_turns_carry_it_once_each(lab):
    out = lab.run(
        "--mode", "json", '!call remember {"text":"blue"}\n!call recall {"query":"blue"}\n!loop 2'
    )
    assert json.loads(out.splitlines()[-1])["type"] == "agent_settled"
    assert_hydrated(lab, turns=3)
    assert hydrations_on_branch(lab) == 1


def test_after_a_manual_compaction_it_is_refreshed_once(lab):
    with lab.rpc() as pi:
        fill(pi)
        pi.ask("compact")
        pi.prompt("after !say after")
        assert hydrations_on_branch(lab) == 2
    assert_hydrated(lab, turns=4)
    assert len(lab.model.requests) == 5


def test_while_it_is_still_in_the_kept_part_it_is_not_refreshed(lab):
    lab.settings(reserveTokens=1_000, keepRecentTokens=15_000)
    with lab.rpc() as pi:
        pi.prompt("!say one")
        pi.prompt("!say two")
        pi.send("compact")  # there is nothing to leave out: Pi refuses, or keeps everything
        pi.until(
            lambda event: event.get("type") == "response" and event.get("command") == "compact"
        )
        pi.prompt("after !say after")
    assert_hydrated(lab, turns=3)
    assert hydrations_on_branch(lab) == 1


@pytest.mark.parametrize("script", [CURRENT, FLOOR], ids=["current", "floor"])
def test_a_compaction_in_mid_run_leaves_no_hole_and_adds_no_turn(tmp_path, model, script):
    lab = Lab(tmp_path, model, script)
    lab.live(CLAW="# Claw\nI am a claw.\n")
    with lab.rpc() as pi:
        fill(pi)
        pi.prompt("!usage 19500\n!loop 3")
        pi.prompt("next !say n")
        compactions = sum(event["type"] == "compaction_end" for event in pi.log)
    assert compactions >= 1
    assert_hydrated(lab, turns=3 + 4 + 1)


def test_a_compaction_after_the_last_answer_adds_no_turn(lab):
    with lab.rpc() as pi:
        fill(pi)
        pi.prompt("!usage 19500 !say big")
        pi.prompt("next !say n")
    assert_hydrated(lab, turns=5)


def test_an_overflow_that_is_compacted_away_leaves_no_hole(lab):
    with lab.rpc() as pi:
        fill(pi)
        pi.prompt("!overflow")
        pi.prompt("next !say n")
    assert_hydrated(lab, turns=3 + 2 + 1)  # tried, and once more after the compaction


def test_a_fork_and_a_resume_in_a_new_process_carry_it_along(lab):
    with lab.rpc() as pi:
        pi.prompt("first !say one")
        pi.prompt("second !say two")
        last = pi.ask("get_fork_messages")["data"]["messages"][-1]
        pi.ask("fork", entryId=last["entryId"])
        pi.prompt("in the fork !say three")
        assert hydrations_on_branch(lab) == 1
    assert lab.run("-p", "--continue", "again !say four") == "four\n"
    assert hydrations_on_branch(lab) == 1
    assert_hydrated(lab, turns=4)


def test_a_new_session_and_a_switch_back_are_hydrated(lab):
    with lab.rpc() as pi:
        pi.prompt("first !say one")
        before = pi.ask("get_state")["data"]["sessionFile"]
        pi.ask("new_session")
        pi.prompt("second !say two")
        pi.ask("switch_session", sessionPath=before)
        pi.prompt("third !say three")
    assert_hydrated(lab, turns=3)


def test_an_edited_living_file_replaces_the_old_text_in_a_resumed_session(lab):
    old = lab.hydration_text()
    lab.run("-p", "first !say one")
    lab.live(HUMAN="# Human\nlikes bananas\n")
    lab.run("-p", "--continue", "second !say two")
    lab.run("-p", "--continue", "third !say three")
    new = lab.hydration_text()
    assert new != old
    assert [one.hydrations for one in lab.model.turns] == [[old], [new], [new]]
    assert hydrations_on_branch(lab) == 2


def test_a_file_edited_in_mid_session_counts_from_the_next_compaction_on(lab):
    old = lab.hydration_text()
    with lab.rpc() as pi:
        fill(pi)
        lab.live(HUMAN="# Human\nlikes bananas\n")
        pi.prompt("still !say old")
        pi.ask("compact")
        pi.prompt("after !say new")
    assert [one.hydrations for one in lab.model.turns] == [[old]] * 4 + [[lab.hydration_text()]]


def test_a_home_without_living_files_is_not_hydrated(lab):
    for name in ("CLAW.md", "HUMAN.md"):
        (lab.project / name).unlink()
    assert lab.run("-p", "hello !say hi") == "hi\n"
    assert [one.hydrations for one in lab.model.turns] == [[]]


def test_the_portrait_reaches_a_model_that_takes_images_and_no_other(lab):
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(out, "PNG")
    (lab.project / "CLAWA.png").write_bytes(out.getvalue())
    lab.run("-p", "hello !say hi")
    lab.run("-p", "--continue", "hello !say hi", model="blind")
    lab.run("-p", "--continue", "hello !say hi")
    assert [one.images for one in lab.model.turns] == [1, 0, 1]
    assert "omitted" not in json.dumps(lab.model.turns[1].messages)
    assert hydrations_on_branch(lab) == 1
    assert_hydrated(lab, turns=3)


def test_without_a_session_file_it_is_hydrated_as_well(lab):
    assert lab.run("-p", "--no-session", "hello !say hi") == "hi\n"
    assert_hydrated(lab, turns=1)
    assert lab.sessions() == []


@pytest.mark.parametrize("details", ["absent", None, {}, {"hash": "x"}, {"sha": "old"}])
@pytest.mark.parametrize("living", [True, False])
def test_a_block_of_another_version_is_never_shown(lab, details, living):
    if not living:
        for name in ("CLAW.md", "HUMAN.md"):
            (lab.project / name).unlink()
    lab.run("-p", "hello !say hi")
    (path,) = lab.sessions()
    last = json.loads(path.read_text().splitlines()[-1])
    block = {
        "type": "custom_message",
        "id": "0ld00001",
        "parentId": last["id"],
        "timestamp": last["timestamp"],
        "customType": "clawa-hydration",
        "content": "CLAWA HYDRATION: of an old version",
        "display": False,
    }
    if details != "absent":
        block["details"] = details
    with path.open("a") as file:
        file.write(json.dumps(block) + "\n")
    lab.run("-p", "-c", "again !say hi")
    assert lab.model.turns[-1].hydrations == ([lab.hydration_text()] if living else [])


def test_in_print_mode_a_compaction_does_not_hide_the_answer(lab):
    for number in range(3):
        lab.run("-p", "-c", f"{number} {'x' * 3_000} !say ok")
    before = len(lab.model.requests)
    assert lab.run("-p", "-c", "!usage 19500 !say THE ANSWER") == "THE ANSWER\n"
    assert any(request.for_summary for request in lab.model.requests[before:])
    lab.run("-p", "-c", "after !say after")
    assert_hydrated(lab, turns=5)
