"""What a recall of Pi looks at: not what its context still shows, and where Pi keeps its sessions."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from clawa_search import bridge
from clawa_search.places import folder_name
from tests.builders import chain, header, lines, user
from tests.pi.request import Reply, Resting, call


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("link/a.jsonl", "s"),
        ("s/a.jsonl", "link"),
        ("link/a.jsonl", "link"),
        ("s/../s/a.jsonl", "s"),
        ("s//a.jsonl", "s/"),
        ("s/a.jsonl", ""),
    ],
)
def test_what_is_visible_is_left_out_however_its_path_is_written(tmp_path, file, folder):
    (tmp_path / "s").mkdir()
    (tmp_path / "link").symlink_to("s")
    said = chain(user("tea here"), user("tea there"))
    (tmp_path / "s/a.jsonl").write_bytes(lines(header(), *said))
    where = {
        "sessionFile": f"{tmp_path}/{file}",
        "sessionDir": f"{tmp_path}/{folder}" if folder else "",
        "leafId": "a0000002",
    }
    assert refs(tmp_path, {"query": "tea"}, where) == []
    assert refs(tmp_path, {"query": "tea", "all_sessions": True}, where) == []


def test_a_fork_of_what_is_visible_is_left_out_when_the_original_is_out_of_scope(tmp_path):
    said = chain(user("tea here"), user("tea there"))
    path = tmp_path / "s/a.jsonl"
    path.parent.mkdir()
    path.write_bytes(lines(header(), *said))
    for number in range(6):
        fork = lines(
            header(parentSession=str(path)), *said, *chain(user(f"other {number}"), first=9)
        )
        (tmp_path / f"s/f{number}.jsonl").write_bytes(fork)
        os.utime(tmp_path / f"s/f{number}.jsonl", (2_000_000_000 + number,) * 2)
    where = {"sessionFile": str(path), "sessionDir": str(path.parent), "leafId": "a0000002"}
    assert refs(tmp_path, {"query": "tea"}, where) == []
    assert len(refs(tmp_path, {"query": "tea", "include_visible": True}, where)) == 2


@pytest.mark.parametrize("count", [5, 60, 200])
def test_the_newest_are_given_however_much_is_visible(tmp_path, count):
    said = chain(*(user(f"turn {number}") for number in range(count)))
    path = tmp_path / "s/a.jsonl"
    path.parent.mkdir()
    path.write_bytes(lines(header(), *said))
    (tmp_path / "s/old.jsonl").write_bytes(lines(header(), *chain(user("tea of old"), prefix="b")))
    os.utime(tmp_path / "s/old.jsonl", (1, 1))
    where = {
        "sessionFile": str(path),
        "sessionDir": str(path.parent),
        "leafId": f"a{count:07x}",
    }
    assert refs(tmp_path, {}, where) == [f"{tmp_path}/s/old.jsonl:2"]


def refs(cwd: Path, args: Reply, where: Reply) -> list[str]:
    """Ask a bridge of the real thing."""
    (cwd / ".git").mkdir(exist_ok=True)
    server = bridge.Server(bridge.open_facade, Resting())
    request = {"id": 1, **call(cwd, "recall", args, **where)}
    reply = server.answer(json.dumps(request).encode())
    server.close()
    assert reply["ok"], reply
    result: Any = reply["result"]
    return list(result["details"]["refs"])


@pytest.mark.parametrize("spot", ["", "project", "elsewhere"])
def test_a_session_opened_by_name_leaves_the_usual_ones_in_scope(tmp_path, monkeypatch, spot):
    project = tmp_path / "project"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "agent"))
    usual = tmp_path / "agent/sessions" / folder_name(str(project)) / "a.jsonl"
    deep = tmp_path / spot / "some/deep/b.jsonl"
    opened = tmp_path / spot / "x.jsonl"
    for path in (usual, deep, opened):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines(header(), *chain(user(f"tea of {path.name}"), prefix=path.name[0])))
    project.mkdir(exist_ok=True)
    where = {"sessionFile": str(opened), "sessionDir": str(opened.parent), "leafId": None}
    found = refs(project, {"query": "tea"}, where)
    assert f"{opened}:2" in found
    assert f"{deep}:2" not in found
    assert (f"{usual}:2" in found) == (spot != "elsewhere")


def test_a_session_named_from_the_project_is_found_there(tmp_path):
    said = chain(user("tea here"), user("tea there"))
    (tmp_path / "s").mkdir()
    (tmp_path / "s/a.jsonl").write_bytes(lines(header(), *said))
    where = {"sessionFile": "s/a.jsonl", "sessionDir": "s", "leafId": "a0000002"}
    assert refs(tmp_path, {"query": "tea"}, where) == []
    assert len(refs(tmp_path, {"query": "tea", "include_visible": True}, where)) == 2
    assert (
        refs(tmp_path, {"query": "tea", "include_visible": None, "all_sessions": None}, where) == []
    )


@pytest.mark.parametrize("name", ["cwd", "sessionFile", "sessionDir", "leafId"])
def test_a_place_that_is_no_text_is_told(tmp_path, name):
    server = bridge.Server(bridge.open_facade, Resting())
    params = {"cwd": str(tmp_path), name: f"{tmp_path}/\ud800"}
    for method in ("hydrate", "settled"):
        asked = json.dumps({"id": 1, "method": method, "params": params}).encode()
        reply: Any = server.answer(asked)
        assert (reply["ok"], reply["error"]["code"]) == (False, "invalid_input")
        assert reply["error"]["message"] == f"{name}: must be text"
    server.close()
