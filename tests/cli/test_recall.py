"""`recall` on the command line."""

from __future__ import annotations

import pytest

from clawa_search.cli import hot
from clawa_search.cli.flags import GLOBAL_FLAGS, RECALL_FLAGS, split
from clawa_search.errors import InvalidInputError
from clawa_search.places import Places
from tests.builders import user

MEMORY_FIELDS = "kind ref id tags ts score excerpt truncated tier".split()
SESSION_FIELDS = (
    "kind ref path line entry_id session_id role ts project live score excerpt truncated copies "
    "also edited tier context"
).split()


def question(*argv):
    values = split("recall", [*argv], (*GLOBAL_FLAGS, *RECALL_FLAGS)).values
    return hot.make_question(values, "tea", Places(cwd="/srv", env={"HOME": "/h"}), 1_000)


def test_found_is_0_and_nothing_found_is_1(cli):
    assert cli("recall", "fan", "relay").code == 0
    ran = cli("recall", "zqxjkvbn")
    assert ran == (1, "No matching memories or session entries found.\n", "")


def test_json_has_the_fields_of_the_contract_in_their_order(cli):
    cli.ok("remember", "The fan relay is loud.", "--tag", "human")
    found = cli.json("recall", "fan relay")
    assert list(found) == "version query took_ms complete notes hits".split()
    assert (found["version"], found["query"], found["complete"]) == (1, "fan relay", True)
    by_kind = {hit["kind"]: hit for hit in found["hits"]}
    assert [*by_kind["memory"]][:8] == MEMORY_FIELDS[:8]
    assert set(MEMORY_FIELDS) <= set(by_kind["memory"])
    assert [*by_kind["session"]][: len(SESSION_FIELDS)] == SESSION_FIELDS


def test_text_has_the_shape_of_the_contract(cli, home):
    cli.ok("remember", "Bananas tear.", "--tag", "human")
    said = cli.ok("recall", "Bananas tear", "--source", "memory")
    assert said == "1. [mem #1] [human]\nBananas tear.\n"
    head, text, *_ = cli.ok("recall", "fits the same plug", "-n1").splitlines()
    name = "2026-05-04T08-02-00-000Z_fork.jsonl"
    assert head == f"1. [assistant] {home.sessions / name}:8 · 7c0d1b02 · 2026-05-04 08:03"
    assert text.startswith("A capacitive sensor")


def test_hits_are_one_blank_line_apart(cli):
    blocks = cli.ok("recall", "-n", "3").split("\n\n")
    assert [block.partition(".")[0] for block in blocks] == ["1", "2", "3"]


def test_a_path_below_the_cwd_is_shown_from_there(cli, home):
    (home.project / "s").mkdir()
    (home.sessions / "2026-06-02T09-00-00-000Z_banana.jsonl").rename(home.project / "s/b.jsonl")
    said = cli.ok("recall", "--sessions-dir", "s", "banana", "thread", "-n1")
    assert said.startswith("1. [user] s/b.jsonl:2 · ")


def test_a_dash_alone_reads_the_query_from_stdin(cli, stdin):
    stdin(b"fan relay\n")
    assert cli.json("recall", "-")["query"] == "fan relay"
    assert cli.json("recall", "--", "-")["query"] == "-"
    assert cli.json("recall", "-", "x")["query"] == "- x"


def test_stdin_need_not_be_text(cli, stdin):
    stdin(b"fan \xff\xfe\0 relay")
    assert cli.json("recall", "-")["hits"]


def test_stdin_that_does_not_end_is_refused(cli, stdin):
    stdin(b"x" * (5 << 20))
    assert "longer than 4 MiB" in cli("recall", "-").err


def test_bytes_that_are_no_text_are_replaced(cli):
    assert cli.json("recall", "fan\udcff")["query"] == "fan\ufffd"
    assert cli.json("recall", "fan\ud800")["query"] == "fan?"


def test_global_flags_may_stand_before_and_after_the_verb(cli, home, tmp_path):
    empty = str(tmp_path / "empty")
    for argv in (
        ["--sessions-dir", empty, "recall", "fan"],
        ["recall", "fan", "--sessions-dir", empty],
    ):
        assert cli(*argv).code == 1
    assert cli("--json", "recall", "fan").json["hits"]


def test_every_flag_reaches_the_question():
    asked = question(
        "-n3", "--source=session", "--tag", "A b", "--sessions", "7", "--all", "--project", "x",
        "--session-file", "f", "--role", "user", "--role", "branch", "-C", "2", "--explain",
        "--since", "2026-05-01T00:00Z", "--until=2026-05-01T00:00Z",
    )  # fmt: skip
    assert (asked.limit, asked.source, asked.tags, asked.sessions) == (3, "session", ("a-b",), 7)
    assert (asked.everything, asked.project, asked.session_files) == (True, "/srv/x", ("f",))
    assert (asked.roles, asked.context, asked.explain) == (("user", "branch"), 2, True)
    assert (asked.since_ms, asked.until_ms) == (1_777_593_600_000, 1_777_593_659_999)


def test_what_is_not_asked_is_left_to_its_default():
    asked = question()
    assert (asked.limit, asked.sessions, asked.everything) == (10, 5, False)
    assert question("--sessions", "all").sessions is None
    assert question("--project", "~/x").project == "/h/x"


@pytest.mark.parametrize(
    "argv", [["--sessions", "0"], ["--sessions", "few"], ["--tag", "!"], ["--since", "someday"]]
)
def test_a_value_that_means_nothing_is_told(argv):
    with pytest.raises(InvalidInputError):
        question(*argv)


def test_a_failure_under_json_is_one_object_on_stdout(cli):
    ran = cli("recall", "--json", "--limit", "0", "x")
    assert (ran.code, ran.err) == (2, "")
    assert ran.json == {
        "version": 1,
        "error": {
            "code": "invalid_input",
            "message": "--limit: not a number from 1 to 100: '0'",
            "hint": "",
        },
    }


def test_a_budget_is_kept_in_both_forms(cli):
    from clawa_search.output.tokens import count

    for form in ([], ["--json"]):
        ran = cli("recall", "fan", "--max-tokens", "150", *form)
        assert ran.code == 0
        assert count(ran.out) <= 150


def test_explain_shows_parts_that_add_up(cli):
    last = cli.ok("recall", "fan", "relay", "--explain", "-n1").splitlines()[-1]
    total, _, parts = last.partition(" = ")
    assert total.startswith("   score ")
    found = sum(float(part.split()[-1]) for part in parts.partition(";")[0].split(" + "))
    assert found == pytest.approx(float(total.split()[-1]), abs=0.01)


def test_notes_go_to_stderr_and_into_json(cli, home):
    path = home.write("torn.jsonl", user("sentinel"), b"{nonsense", user("after"))
    ran = cli("recall", "sentinel")
    assert ran.code == 0
    assert ran.err == f"clawa-search: {path}: 1 unreadable line skipped, the first at line 3\n"
    told = cli.json("recall", "sentinel")
    assert told["complete"] is False
    assert told["notes"] == [f"{path}: 1 unreadable line skipped, the first at line 3"]
