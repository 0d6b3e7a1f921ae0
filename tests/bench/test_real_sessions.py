"""The check of real sessions agrees with a good recall, and notices a bad one."""

import pytest

from bench.real_sessions import run
from clawa_search import Recall
from tests.builders import (
    assistant,
    call,
    entry,
    header,
    shell,
    thinking,
    tool,
    user,
    write_session,
)


@pytest.fixture
def folder(tmp_path):
    said = [
        user("please look at the banana"),
        assistant(thinking("zqthought"), "the banana is ripe", call("bash", command="zqcommand")),
        tool("zqoutput of banana"),
        shell("ls", "zqshell"),
        entry("compaction", summary="they spoke of fruit"),
        entry("session_info", name="fruit"),
        user("/"),
        user("ok"),
    ]
    write_session(tmp_path / "in/a.jsonl", *said)
    head = header(id="f", parentSession="a")
    write_session(tmp_path / "in/sub/b.jsonl", *said, assistant("only in the fork"), head=head)
    (tmp_path / "in/other.jsonl").write_text('{"a":1}\n')
    return str(tmp_path / "in")


@pytest.mark.usefixtures("folder")
def test_a_relative_folder_is_the_same_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = run("in", 10, lambda _: None)
    assert (made["failed"], made["sessions"]) == (0, 2)


def test_everything_holds_for_recall(folder):
    made = run(folder, 10, lambda _: None)
    assert (made["failed"], made["sessions"], made["entries"], made["wordless"]) == (0, 2, 13, 2)
    checks = made["checks"]
    assert isinstance(checks, dict)
    assert checks["silent words not shown"]["checked"] >= 4
    assert checks["copies counted"]["ok"] == checks["copies counted"]["checked"] > 0


@pytest.mark.parametrize("wrong", ["a hit is missing", "a line is wrong", "copies are forgotten"])
def test_a_bad_answer_is_noticed(folder, monkeypatch, wrong):
    good = Recall.search

    def bad(self, question):
        answer = good(self, question)
        for hit in answer.hits[:1]:
            if wrong == "a line is wrong":
                hit.ref = hit.ref[:-1] + "1"
            hit.copies += wrong == "copies are forgotten"
        if wrong == "a hit is missing":
            answer.hits = answer.hits[1:]
        return answer

    monkeypatch.setattr(Recall, "search", bad)
    failed = run(folder, 10, lambda _: None)["failed"]
    assert isinstance(failed, int)
    assert failed > 0
