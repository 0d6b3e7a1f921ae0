"""Laws of the bridge: every line is answered, in order, and nothing but the end of the input ends it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search import bridge
from clawa_search.continuity.memory_pass import PROMPT
from clawa_search.pi import assets
from tests.pi.fake import FakeRecall
from tests.pi.request import Reply, Resting, call

REPOSITORY = Path(__file__).parents[2]


class Talk:
    """A bridge in this process, on a fake facade."""

    def __init__(self) -> None:
        self.opened: list[FakeRecall] = []
        self.catch_up = Resting()

    def open(self, places):
        self.opened.append(FakeRecall(places))
        return self.opened[-1]

    def raw(self, data: bytes) -> list[Reply]:
        out = io.BytesIO()
        bridge.serve(io.BytesIO(data), out, open_recall=self.open, catch_up=self.catch_up)
        return [json.loads(line) for line in out.getvalue().splitlines()]

    def ask(self, *requests: Reply) -> list[Reply]:
        lines = [json.dumps({"id": number, **one}).encode() for number, one in enumerate(requests)]
        return self.raw(b"\n".join(lines) + b"\n")

    def result(self, method: str, **params: object):
        (reply,) = self.ask({"method": method, "params": params})
        assert reply["ok"], reply
        return reply["result"]


@pytest.fixture
def talk():
    return Talk()


def test_hello_names_version_tools_types_and_thresholds(talk):
    found = talk.result("hello", protocol=1, stamp=assets.stamp())
    assert found["protocol"] == 1
    assert found["pid"] == os.getpid()
    assert [tool["name"] for tool in found["tools"]] == ["remember", "recall"]
    assert found["customTypes"] == {
        "hydration": "clawa-hydration",
        "memoryPass": "clawa-memory-pass",
    }
    assert found["thresholds"] == {"sharePercent": 90, "defaultReserve": 16_384}
    assert found["warning"] == ""


def test_an_extension_of_another_version_is_warned_and_of_another_protocol_refused(talk):
    assert "setup pi" in talk.result("hello", protocol=1, stamp="0123")["warning"]
    (reply,) = talk.ask({"method": "hello", "params": {"protocol": 2}})
    assert reply["error"]["code"] == "protocol"
    assert "setup pi" in reply["error"]["hint"]


def test_hydrate_gives_the_text_of_the_home_above_the_cwd(talk, tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAW.md").write_text("I am \u2028 a claw.")
    (tmp_path / "deep").mkdir()
    found = talk.result("hydrate", cwd=str(tmp_path / "deep"))
    assert "I am \u2028 a claw." in found["text"]
    assert found["image"] is None
    assert found == talk.result("hydrate", cwd=str(tmp_path))


def test_an_empty_home_hydrates_to_nothing(talk, tmp_path):
    assert talk.result("hydrate", cwd=str(tmp_path))["text"] == ""


def test_the_model_is_told_of_tags_that_cannot_be_kept(talk, tmp_path):
    (reply,) = talk.ask(call(tmp_path, "remember", {"text": "rock", "tags": ["日本", "rock"]}))
    assert "'日本'" in reply["result"]["text"]


def test_the_tools_remember_recall_update_and_delete(talk, tmp_path):
    replies = talk.ask(
        call(tmp_path, "remember", {"text": "blue rock", "tags": ["rock"]}),
        call(tmp_path, "recall", {"query": "rock"}),
        call(tmp_path, "remember", {"text": "red rock", "id": 1}),
        call(tmp_path, "remember", {"text": "", "id": 1}),
        call(tmp_path, "recall", {"query": "rock"}),
    )
    texts = [reply["result"]["text"] for reply in replies]
    assert texts[0] == "Remembered #1."
    assert "[mem #1]" in texts[1]
    assert "blue rock" in texts[1]
    assert texts[2:4] == ["Updated memory #1.", "Deleted memory #1."]
    assert replies[1]["result"]["details"] == {"count": 1, "refs": ["mem:1"], "complete": True}
    assert replies[4]["result"]["details"]["count"] == 0
    assert len(talk.opened) == 1
    assert talk.opened[0].closed


def test_recall_is_scoped_to_the_folder_that_pi_uses(talk, tmp_path):
    folder = tmp_path / "sessions"
    where = {"sessionDir": str(folder), "sessionFile": str(folder / "a.jsonl"), "leafId": "x"}
    talk.ask(call(tmp_path, "recall", {}, **where))
    places = talk.opened[0].places
    assert (places.env_dir, places.current_file) == (str(folder), str(folder / "a.jsonl"))
    assert talk.opened[0].asked[0].sessions == 5


def test_an_ephemeral_session_has_neither_file_nor_folder(talk, tmp_path, monkeypatch):
    monkeypatch.setenv("PI_SESSION_FILE", "/somebody/elses.jsonl")
    talk.ask(call(tmp_path, "recall", {}, sessionDir="", sessionFile=None, leafId=None))
    assert talk.opened[0].places.current_file == ""
    assert talk.opened[0].asked[0].visible == {}


def test_what_the_context_still_shows_is_left_out_unless_it_is_asked_for(talk, tmp_path):
    parent, active = tmp_path / "parent.jsonl", tmp_path / "active.jsonl"
    parent.write_text("")
    lines = [
        {"type": "session", "id": "s", "parentSession": str(parent)},
        {"type": "message", "id": "a", "parentId": None, "message": {}},
        {"type": "message", "id": "b", "parentId": "a", "message": {}},
    ]
    active.write_text("".join(json.dumps(line) + "\n" for line in lines))
    where = {"sessionDir": str(tmp_path), "sessionFile": str(active)}
    talk.ask(
        call(tmp_path, "recall", {}, **where, leafId="b"),
        call(tmp_path, "recall", {}, **where, leafId="a"),
        call(tmp_path, "recall", {"include_visible": True}, **where, leafId="b"),
        call(tmp_path, "recall", {}, **where, leafId=None),
    )
    both, first = frozenset({"a", "b"}), frozenset({"a"})
    assert [question.visible for question in talk.opened[0].asked] == [
        {str(active): both, str(parent): both},
        {str(active): first, str(parent): first},
        {},
        {},
    ]


@pytest.mark.parametrize(
    ("tool", "args", "word"),
    [
        ("recall", {"limit": 0}, "limit"),
        ("recall", {"limit": 26}, "limit"),
        ("recall", {"limit": True}, "limit"),
        ("recall", {"query": 5}, "query"),
        ("recall", {"source": "web"}, "source"),
        ("recall", {"tags": "one"}, "tags"),
        ("recall", {"tags": ["t"] * 13}, "tags"),
        ("recall", {"everything": True}, "everything"),
        ("recall", {"include_visible": "yes"}, "include_visible"),
        ("remember", {}, "text"),
        ("remember", {"text": ""}, "text"),
        ("remember", {"text": "x", "id": 0}, "id"),
        ("remember", {"text": "x", "id": 1.5}, "id"),
    ],
)
def test_a_wrong_argument_is_named_in_the_error(talk, tmp_path, tool, args, word):
    (reply,) = talk.ask(call(tmp_path, tool, args))
    assert reply["error"]["code"] == "invalid_input"
    assert reply["error"]["message"].startswith(word)


def test_dates_bound_what_is_recalled(talk, tmp_path):
    talk.ask(
        call(tmp_path, "recall", {"since": "2026-01-02T00:00:00Z", "until": "2026-01-03T00:00:00Z"})
    )
    question = talk.opened[0].asked[0]
    assert (question.since_ms, question.until_ms) == (
        1_767_312_000_000,
        1_767_398_400_999,
    )  # that second to its end
    (reply,) = talk.ask(call(tmp_path, "recall", {"since": "the day it rained"}))
    assert reply["error"]["code"] == "invalid_input"


class Partial(FakeRecall):
    """Cannot read everything."""

    def search(self, question):
        answer = super().search(question)
        answer.complete, answer.notes = False, ["/s/a.jsonl: not read: permission denied"]
        return answer


def test_what_could_not_be_searched_is_told(talk, tmp_path):
    talk.open = Partial
    (reply,) = talk.ask(call(tmp_path, "recall", {"query": "x"}))
    assert reply["result"]["details"]["complete"] is False
    assert "note: /s/a.jsonl: not read: permission denied" in reply["result"]["text"]


def test_an_unknown_memory_is_an_error_with_a_hint(talk, tmp_path):
    (reply,) = talk.ask(call(tmp_path, "remember", {"text": "x", "id": 9}))
    assert (reply["error"]["code"], reply["error"]["hint"]) == ("not_found", "recall names the ids")


def test_the_memory_pass_is_decided_here(talk):
    near = {
        "tokens": 950_000,
        "window": 1_000_000,
        "reserve": None,
        "cycle": 1,
        "done": [0],
        "hasUI": True,
    }
    assert talk.result("memory_pass", **near) == {
        "due": True,
        "threshold": 900_000,
        "cycle": 1,
        "prompt": PROMPT,
    }
    for change in (
        {"done": [0, 1]},
        {"tokens": None},
        {"hasUI": False},
        {"stopReason": "aborted"},
        {"tokens": 5},
    ):
        assert talk.result("memory_pass", **(near | change))["due"] is False


def test_a_settled_turn_is_indexed_behind_the_answer(talk, tmp_path):
    assert talk.result("settled", cwd="/p", sessionDir=str(tmp_path)) == {"queued": True}
    assert talk.catch_up.folders == [str(tmp_path)]


BROKEN = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"id":true,"method":"hello"}',
    b'{"method":"hello"}',
    b'{"id":1}',
    b'{"id":1,"method":"nope"}',
    b'{"id":1,"method":"hello","params":[]}',
    b'{"id":1,"method":"call","params":{"cwd":"/p","tool":"rm"}}',
    b'{"id":1,"method":"call","params":{"cwd":"/p","tool":"recall","args":[]}}',
    b'{"id":1,"method":"hydrate","params":{}}',
    b'{"id":1,"method":"hydrate","params":{"cwd":"relative"}}',
    b'{"id":1,"method":"hydrate","params":{"cwd":"/p\\u0000q"}}',
    b'{"id":1,"method":"memory_pass","params":{"tokens":"many"}}',
    b'{"id":1,"method":"memory_pass","params":{"tokens":NaN}}',
    b'{"id":1,"method":"memory_pass","params":{"done":1}}',
    b'{"id":1,"method":"settled","params":{"cwd":5}}',
]


@given(
    st.lists(
        st.sampled_from(BROKEN) | st.binary(max_size=40).filter(lambda b: b"\n" not in b),
        max_size=8,
    )
)
def test_a_broken_request_never_ends_it(lines):
    talk = Talk()
    replies = talk.raw(b"\n".join([*lines, b'{"id":"last","method":"hello"}']) + b"\n")
    assert len(replies) == 1 + sum(bool(line.strip()) for line in lines)
    assert replies[-1]["ok"]
    assert replies[-1]["id"] == "last"
    for reply in replies[:-1]:
        assert not reply["ok"]
        assert reply["error"]["code"] in ("protocol", "invalid_input")


def test_an_unforeseen_error_is_an_answer_too(talk, tmp_path, capsys):
    talk.open = lambda places: 1 / 0
    first, second = talk.ask(call(tmp_path, "recall", {}), {"method": "hello"})
    assert first["error"]["code"] == "internal"
    assert "ZeroDivisionError" in first["error"]["message"]
    assert second["ok"]
    assert "Traceback" in capsys.readouterr().err


def test_a_request_beyond_the_limit_is_refused_and_the_next_one_served(talk, monkeypatch):
    monkeypatch.setattr(bridge, "MAX_REQUEST_BYTES", 100)
    replies = talk.raw(b'{"id":1,"x":"' + b"y" * 5_000_000 + b'"}\n{"id":2,"method":"hello"}\n')
    assert [reply["ok"] for reply in replies] == [False, True]


def test_answers_are_ascii_on_one_line(tmp_path):
    (tmp_path / "CLAW.md").write_text("\u2028 \x85 é \U0001f600")
    out = io.BytesIO()
    request = json.dumps({"id": 1, "method": "hydrate", "params": {"cwd": str(tmp_path)}}).encode()
    bridge.serve(io.BytesIO(request + b"\n"), out, catch_up=Resting())
    assert out.getvalue().isascii()
    assert out.getvalue().count(b"\n") == 1


def test_a_reader_that_went_away_ends_it_quietly(talk):
    class Closed(io.BytesIO):
        def flush(self):
            raise BrokenPipeError

    bridge.serve(
        io.BytesIO(b'{"id":1,"method":"hello"}\n' * 3),
        Closed(),
        open_recall=talk.open,
        catch_up=Resting(),
    )


def test_more_homes_than_fit_close_the_oldest(talk, tmp_path):
    folders = [tmp_path / str(number) for number in range(6)]
    talk.ask(*[call(folder, "recall", {}) for folder in folders])
    assert len(talk.opened) == 6
    assert all(one.closed for one in talk.opened)


class Process:
    """The fake bridge as a real child process."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.pi.fake"],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, **request: object) -> None:
        assert self.child.stdin
        self.child.stdin.write(json.dumps(request).encode() + b"\n")
        self.child.stdin.flush()

    def reply(self) -> Reply:
        assert self.child.stdout
        reply: Reply = json.loads(self.child.stdout.readline())
        return reply

    def hang_up(self) -> None:
        assert self.child.stdin
        self.child.stdin.close()

    def ended(self) -> int:
        code = self.child.wait(20)
        for stream in (self.child.stdin, self.child.stdout):
            if stream:
                stream.close()
        return code


def test_a_stray_print_and_ctrl_c_do_not_reach_the_protocol():
    import signal

    process = Process()
    process.send(id=1, method="hello")
    assert process.reply()["id"] == 1
    process.child.send_signal(signal.SIGINT)
    process.send(id=2, method="hello")
    assert process.reply()["id"] == 2
    process.hang_up()
    assert process.ended() == 0


def test_a_busy_process_ends_when_the_other_end_hangs_up():
    process = Process()
    process.send(id=1, method="hello")
    process.reply()
    process.send(id=2, **call("/p", "recall", {"query": "hang"}))
    process.hang_up()
    assert process.ended() == 0


@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_what_follows_a_very_long_line_is_answered(talk, monkeypatch, more):
    monkeypatch.setattr(bridge, "MAX_REQUEST_BYTES", 1000)
    head = b'{"id": 1, "method": "hello", "params": {"x": "'
    long = head + b"y" * (1000 + more - len(head) - 3) + b'"}}'
    replies = talk.raw(long + b"\n" + b'{"id": 2, "method": "hello"}\n')
    assert [reply["ok"] for reply in replies] == [more < 0, True]
    assert replies[1]["id"] == 2
