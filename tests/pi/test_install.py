"""Laws of `setup pi`: ours is kept current, what is not ours is left alone."""

import json
import os
import stat
import sys

import pytest

from clawa_search.errors import InvalidInputError
from clawa_search.pi import assets
from clawa_search.pi.install import COMMAND, FOLDER, command, install, remove, status


@pytest.fixture
def agent(tmp_path):
    return str(tmp_path / "agent")


def listing(folder) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir())}


def test_the_extension_is_copied_with_the_command_of_this_interpreter(agent, tmp_path):
    assert status(agent).state == "absent"
    assert install(agent).state == "current"
    folder = tmp_path / "agent" / FOLDER
    assert sorted(listing(folder)) == sorted((*assets.FILES, COMMAND))
    assert json.loads((folder / COMMAND).read_text()) == [
        sys.executable,
        "-P",
        "-m",
        "clawa_search",
        "bridge",
    ]
    assert os.path.isabs(command()[0])


def test_files_and_folders_are_for_the_owner_only(agent, tmp_path):
    install(agent)
    folder = tmp_path / "agent" / FOLDER
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()} == {0o600}


def test_installing_twice_changes_nothing(agent, tmp_path):
    install(agent)
    folder = tmp_path / "agent" / FOLDER
    before = {one.name: one.stat().st_mtime_ns for one in folder.iterdir()}
    assert install(agent).state == "current"
    assert {one.name: one.stat().st_mtime_ns for one in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "content", "state"),
    [
        ("clawa.ts", b"// an older version", "outdated"),
        (COMMAND, b'["/nowhere/python"]', "broken"),
        (COMMAND, b"{", "broken"),
        (COMMAND, b'["/bin/sh", "-P"]', "outdated"),
        (COMMAND, json.dumps([sys.executable]).encode(), "outdated"),
        (
            COMMAND,
            json.dumps([sys.executable, "-m", "clawa_search", "bridge"]).encode(),
            "outdated",
        ),
        ("tools.json", None, "broken"),
    ],
)
def test_a_copy_that_does_not_match_is_told_and_brought_up_to_date(
    agent, tmp_path, name, content, state
):
    install(agent)
    path = tmp_path / "agent" / FOLDER / name
    path.unlink() if content is None else path.write_bytes(content)
    found = status(agent)
    assert found.state == state
    assert "setup pi" in found.detail
    assert install(agent).state == "current"


def test_removing_leaves_what_others_put_there(agent, tmp_path):
    install(agent)
    folder = tmp_path / "agent" / FOLDER
    assert remove(agent).state == "absent"
    assert not folder.exists()
    install(agent)
    (folder / "notes.txt").write_text("mine")
    for _ in range(2):
        assert remove(agent).state == "absent"
        assert listing(folder) == {"notes.txt": b"mine"}
    assert install(agent).state == "current"
    assert (folder / "notes.txt").read_text() == "mine"


def test_removing_what_is_not_there_is_no_error(agent):
    assert remove(agent).state == "absent"


@pytest.mark.parametrize("content", [b"// somebody's own extension", b'{"name":"other"}', b"{"])
@pytest.mark.parametrize("name", ["index.ts", "package.json", "clawa.ts"])
def test_foreign_files_are_neither_overwritten_nor_removed(agent, tmp_path, name, content):
    folder = tmp_path / "agent" / FOLDER
    folder.mkdir(parents=True)
    (folder / name).write_bytes(content)
    for action in (install, remove):
        with pytest.raises(InvalidInputError) as caught:
            action(agent)
        assert str(folder) in str(caught.value)
    assert listing(folder) == {name: content}


def test_a_link_or_a_file_in_its_place_is_foreign(agent, tmp_path):
    folder = tmp_path / "agent" / FOLDER
    folder.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(InvalidInputError):
        install(agent)
    assert list(elsewhere.iterdir()) == []
    folder.unlink()
    folder.write_text("a file")
    assert status(agent).state == "foreign"


def test_a_write_that_fails_leaves_no_draft_behind(agent, tmp_path, monkeypatch):
    def refuse(*_paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="No space"):
        install(agent)
    assert list((tmp_path / "agent" / FOLDER).iterdir()) == []


def test_the_declared_tools_are_portable_json_schema():
    for tool in assets.tools():
        parameters = tool["parameters"]
        assert isinstance(parameters, dict)
        assert parameters["type"] == "object"
        assert parameters["additionalProperties"] is False
        for about in parameters["properties"].values():
            assert about["description"]
            assert "anyOf" not in about


def test_the_repository_itself_is_a_pi_package():
    from pathlib import Path

    root = Path(__file__).parents[2]
    about = json.loads((root / "package.json").read_text())
    assert about["keywords"] == ["pi-package"]
    assert all((root / path).is_file() for path in about["pi"]["extensions"])
