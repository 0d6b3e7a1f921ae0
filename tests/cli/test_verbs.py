"""remember, forget, show, reindex, hydrate, memory-pass, setup on the command line."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.builders import user

WATERING = "2026-05-19T18-30-00-000Z_watering.jsonl"


def test_remember_update_forget_say_what_they_did(cli):
    assert cli.ok("remember", "tea", "at", "five", "--tag", "Human") == "Remembered #1.\n"
    assert cli.ok("remember", "--id", "1", "tea at six") == "Updated memory #1.\n"
    assert cli.ok("remember", "--id=1", "tea at six") == "Memory #1 is unchanged.\n"
    assert cli.ok("recall", "tea") == "1. [mem #1] [human]\ntea at six\n"
    assert cli.ok("forget", "#1") == "Deleted memory #1.\n"


def test_the_same_in_json(cli):
    assert cli.json("remember", "tea") == {"version": 1, "action": "created", "id": 1}
    assert cli.json("remember", "--id", "1", "milk")["action"] == "updated"
    assert cli.json("remember", "--id", "1", "milk")["action"] == "unchanged"
    assert cli.json("remember", "--id", "1", "")["action"] == "deleted"
    assert cli.json("remember", "new")["id"] == 2
    assert cli.json("forget", "mem:2") == {"version": 1, "action": "deleted", "id": 2}


def test_tags_can_be_changed_alone_and_cleared(cli):
    cli.ok("remember", "tea", "--tag", "a", "--tag", "b")
    cli.ok("remember", "--id", "1", "--tag", "c")
    assert cli.json("show", "1")["entry"]["tags"] == ["c"]
    cli.ok("remember", "--id", "1", "--no-tags")
    entry = cli.json("show", "1")["entry"]
    assert (entry["tags"], entry["text"]) == ([], "tea")


def test_a_tag_that_cannot_be_kept_is_told(cli):
    ran = cli("remember", "tea", "--tag", "日本", "--tag", "a")
    assert (ran.code, ran.out) == (0, "Remembered #1.\n")
    assert "'日本'" in ran.err
    assert cli.json("show", "1")["entry"]["tags"] == ["a"]


def test_text_may_begin_with_a_dash_or_come_from_stdin(cli, stdin):
    cli.ok("remember", "- a list")
    assert cli.json("show", "1")["entry"]["text"] == "- a list"
    stdin("  größer\n".encode())
    cli.ok("remember", "-")
    assert cli.json("show", "2")["entry"]["text"] == "größer"


@pytest.mark.parametrize("nothing", [b"", b" \n"])
def test_a_pipe_that_failed_deletes_no_memory(cli, stdin, nothing):
    cli.ok("remember", "tea")
    stdin(nothing)
    ran = cli("remember", "--id", "1", "-")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing came from stdin for #1" in ran.err
    assert cli.json("show", "1")["entry"]["text"] == "tea"
    cli.ok("remember", "--id", "1", "")
    assert cli("show", "1").code == 2


def test_doctor_looks_at_the_extension_of_pi_where_there_is_one(home):
    home.run("setup", "pi")
    told = home.run("doctor", "--json").json
    assert told["checks"][-1] == {
        "name": "pi extension", "ok": True, "detail": "as this version has it", "repair": "",
    }  # fmt: skip
    (home.user.parent / "agent/extensions/clawa-search/clawa.ts").write_text("// old\n")
    ran = home.run("doctor")
    assert ran.code == 2
    assert "WRONG  pi extension: outdated: was installed by another clawa-search\n" in ran.out
    assert "       run `clawa-search setup pi` again\n" in ran.out


@pytest.mark.parametrize(
    "argv",
    [
        ["remember"],
        ["remember", ""],
        ["remember", "--id", "1"],
        ["remember", "--tag", "a", "--no-tags", "x"],
        ["remember", "--id", "7", "x"],
        ["remember", "--id", "7", "--tag", "x"],
        ["remember", "--id", "0", "x"],
        ["remember", "--nonsense", "x"],
        ["forget", "7"],
        ["forget", "tea"],
        ["forget"],
        ["forget", "1", "2"],
        ["show"],
        ["show", "7"],
        ["show", "what is this"],
        ["show", "1", "-C", "51"],
        ["status", "now"],
        ["reindex", "--rebuilt"],
        ["memory-pass", "--tokens", "5"],
        ["setup", "emacs"],
        ["completion", "tcsh"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_exit_2_with_one_line_or_one_object(cli, argv):
    ran = cli(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("clawa-search: ")
    assert ran.err.count("\n") == 1
    told = cli(*argv, "--json")
    assert told.code == 2
    assert set(told.json["error"]) == {"code", "message", "hint"}


def test_an_unknown_id_changes_nothing(cli, home):
    cli.ok("remember", "tea")
    cli("remember", "--id", "2", "milk")
    cli("forget", "3")
    assert cli.json("status")["memories"] == 1


def test_show_opens_a_line_with_its_neighbours(cli, home):
    path = home.sessions / WATERING
    told = cli.json("show", f"{path}:6", "-C", "1")
    assert list(told) == ["version", "ref", "status", "entry", "context"]
    assert (told["status"], told["entry"]["entry_id"]) == ("ok", "a1b20c05")
    assert [shown["line"] for shown in told["context"]] == [5, 7]
    said = cli.ok("show", f"{path}:6", "-C1")
    assert [line[:3] for line in said.splitlines() if ".jsonl" in line] == ["  [", "> [", "  ["]


def test_show_names_tools_and_does_not_dump_them(cli, home):
    path = home.sessions / "2026-05-04T07-10-00-000Z_fan.jsonl"
    told = cli.json("show", f"{path}:4")["entry"]
    assert (told["text"], told["tools"]) == ("I will read the controller first.", ["read"])
    assert cli.ok("show", f"{path}:5").endswith("· tools: read\n")


def test_show_tells_gone_with_exit_1(cli, home):
    path = home.write("a.jsonl")
    path.unlink()
    ran = cli("show", f"{path}:2")
    assert (ran.code, ran.out) == (1, f"{path}:2: gone: the entry is no longer in that file\n")
    assert cli("show", f"{path}:2", "--json").json["status"] == "gone"


def test_reindex_reports_what_it_did(cli, home):
    told = cli.json("reindex")
    assert list(told) == ["version", "files", "entries", "bytes_read", "took_ms", "notes"]
    assert list(told["files"]) == "seen indexed unchanged removed failed not_sessions".split()
    assert list(told["entries"]) == ["added", "removed", "skipped_lines"]
    assert told["files"]["indexed"] == 4
    assert cli.ok("reindex").startswith("4 files: 0 indexed, 4 unchanged; 0 entries added")
    assert cli.json("reindex", "--rebuild")["entries"]["added"] == told["entries"]["added"]


def test_reindex_of_one_path_looks_only_there(cli, home):
    assert cli.json("reindex", str(home.sessions / WATERING))["files"]["seen"] == 1


def test_reindex_tells_what_it_could_not_read(cli, home):
    (home.sessions / "bad.jsonl").mkdir()
    ran = cli("reindex")
    assert ran.code == 0
    assert ran.err == f"clawa-search: {home.sessions}/bad.jsonl: is a folder, not a session file\n"


def test_hydrate_prints_the_living_files(cli, home):
    assert cli("hydrate") == (1, "", "")
    (home.project / "CLAW.md").write_text("# Me\n\nI grow tomatoes.\n", encoding="utf-8")
    assert "I grow tomatoes." in cli.ok("hydrate")
    told = cli.json("hydrate")
    assert {"version", "text", "sha", "chars", "files", "image", "warnings"} <= set(told)
    assert (told["version"], told["image"], told["warnings"]) == (1, None, [])
    assert [file["name"] for file in told["files"]] == ["CLAW.md"]


def test_memory_pass_tells_whether_it_is_due(cli):
    early = cli.json("memory-pass", "--tokens", "10", "--window", "200000")
    assert (early["version"], early["due"]) == (1, False)
    late = cli.json("memory-pass", "--tokens", "199000", "--window", "200000", "--reserve", "0")
    assert (late["due"], late["threshold"]) == (True, 180000)
    assert cli.ok("memory-pass", "--tokens", "10", "--window", "200000").startswith("not due (")
    said = cli.ok("memory-pass", "--tokens", "199000", "--window", "200000")
    assert said.startswith("due (from ")
    assert late["prompt"] in said


def test_setup_installs_and_removes_the_pi_extension(cli, home):
    folder = home.agent / "extensions/clawa-search"
    assert cli.ok("setup", "pi") == f"{folder}: current\n"
    assert json.loads((folder / "command.json").read_text())[-1] == "bridge"
    assert cli.json("status")["pi_extension"] == "current"
    assert cli.ok("setup", "pi", "--remove") == f"{folder}: absent\n"


def test_setup_takes_exported_memories_over_once(cli, home):
    folder = home.project / "memory/legacy"
    folder.mkdir(parents=True)
    exported = {"id": 7, "ts": 1_767_323_045_000, "text": "tea at five", "tags": ["human"]}
    (folder / "7.md").write_text(json.dumps(exported), encoding="utf-8")
    assert cli.ok("setup", "pi").startswith("1 memories taken over from memory/legacy\n")
    assert cli.json("show", "7")["entry"]["text"] == "tea at five"
    assert "taken over" not in cli.ok("setup", "pi")


def test_setup_tells_what_is_in_its_way(cli, home):
    folder = home.agent / "extensions/clawa-search"
    folder.mkdir(parents=True)
    (folder / "mine.ts").write_text("")
    ran = cli("setup", "pi")
    assert (ran.code, ran.out) == (2, "")
    assert str(folder) in ran.err


def test_bridge_answers_and_ends_with_its_input(home):
    ran = home.run("bridge", stdin=b'{"id": 1, "method": "hello"}\n')
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["ok"] is True


@pytest.mark.parametrize("number", ["-7", "0"])
def test_a_memory_of_any_number_can_be_changed_and_forgotten(cli, home, number):
    cli.ok("remember", "seed")
    con = sqlite3.connect(home.recall.memories.path)
    con.execute("INSERT INTO memories VALUES (?, 1, 'odd', '[]')", (number,))
    con.commit()
    con.close()
    assert cli.json("remember", f"--id={number}", "odder")["action"] == "updated"
    assert cli.ok("forget", f"mem:{number}") == f"Deleted memory #{number}.\n"


def test_a_file_is_counted_once_when_all_is_built_anew(cli, home):
    for name in ("a", "b", "c"):
        home.write(f"{name}.jsonl", user("tea"))
    seen = cli.json("reindex")["files"]["seen"]
    again = cli.json("reindex", "--rebuild")["files"]
    assert (again["seen"], again["indexed"]) == (seen, seen)
