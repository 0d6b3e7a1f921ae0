"""Where things are: flags beat environment beats default."""

from __future__ import annotations

import json
import os
import sys

import platformdirs
import pytest

from clawa_search.places import Places, cache_folder, folder_name, user_folder
from tests.builders import Home, user


def places(home, *args, **env):
    return Places(*args, cwd=str(home.project), env={**home.env, **env})


def names(listing):
    return sorted(os.path.basename(found.path) for found in listing.files)


@pytest.fixture
def empty(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


def test_the_home_is_the_nearest_folder_that_looks_like_one(empty):
    deep = empty.project / "a/b"
    deep.mkdir(parents=True)
    at = {"cwd": str(deep), "env": empty.env}
    assert Places(**at).home == str(empty.project)
    (empty.project / "a/.pi").mkdir()
    (empty.project / "a/.pi/settings.json").write_text("{}")
    assert Places(**at).home == str(empty.project / "a")
    assert Places(cwd=str(empty.user), env=empty.env).home == str(empty.user)


def test_the_home_by_flag_beats_the_one_by_environment(empty):
    env = {"CLAWA_HOME": "/by/claw", "PI_CLAW_PROJECT_ROOT": "/by/pi"}
    assert places(empty, "/by/flag", **env).home == "/by/flag"
    assert places(empty, **env).home == "/by/claw"
    del env["CLAWA_HOME"]
    assert places(empty, **env).home == "/by/pi"
    assert places(empty, "/x").database == "/x/.pi/clawa-memory.sqlite"


def test_paths_are_made_absolute_and_a_tilde_is_the_users_home(empty):
    made = places(empty, "~/claw", "cache", ["s", "/t"])
    assert made.home == f"{empty.user}/claw"
    assert made.index_dir == f"{empty.project}/cache"
    assert made.explicit == [f"{empty.project}/s", "/t"]


def test_a_url_of_a_folder_is_its_path(empty):
    made = places(empty, PI_CODING_AGENT_DIR="file:///srv/my%20agent")
    assert made.agent_dir == "/srv/my agent"


def test_the_cache_is_where_the_platform_wants_it(monkeypatch, tmp_path):
    for settings in ({}, {"XDG_CACHE_HOME": str(tmp_path)}, {"XDG_CACHE_HOME": ""}):
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        expected = platformdirs.user_cache_dir("clawa-search", appauthor=False)
        assert cache_folder(os.environ["HOME"], os.environ) == expected


@pytest.mark.skipif(sys.platform == "darwin", reason="the other platforms are looked at")
def test_the_cache_of_a_mac_is_in_its_library(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder("/Users/mira", {}) == "/Users/mira/Library/Caches/clawa-search"


def test_without_any_users_home_nothing_is_put_into_the_cwd(monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert user_folder({}) == "/"
    assert user_folder({"HOME": "relative"}) == "/"
    assert user_folder({"HOME": "/h"}) == "/h"


def test_pi_names_the_folder_of_a_project_so():
    assert folder_name("/srv/my-app") == "--srv-my-app--"
    assert folder_name("/Volumes/User's SSD/a:b") == "--Volumes-User's SSD-a-b--"


def test_the_session_folder_follows_the_precedence_of_pi(empty):
    for name in ("flag", "env", "project", "global"):
        empty.write(f"{name}.jsonl", user(name)).rename(empty.user / f"{name}.jsonl")
        (empty.user / name).mkdir()
        (empty.user / f"{name}.jsonl").rename(empty.user / name / f"{name}.jsonl")
    empty.write("default.jsonl", user("default"))
    assert names(places(empty).current_sessions()) == ["default.jsonl"]
    (empty.agent / "settings.json").write_text(json.dumps({"sessionDir": "~/global"}))
    assert names(places(empty).current_sessions()) == ["global.jsonl"]
    (empty.project / ".pi").mkdir()
    (empty.project / ".pi/settings.json").write_text(json.dumps({"sessionDir": "../user/project"}))
    assert names(places(empty).current_sessions()) == ["project.jsonl"]
    env = {"PI_CODING_AGENT_SESSION_DIR": "~/env"}
    assert names(places(empty, **env).current_sessions()) == ["env.jsonl"]
    flag = [str(empty.user / "flag")]
    assert names(places(empty, None, None, flag, **env).current_sessions()) == ["flag.jsonl"]
    assert names(places(empty, None, None, flag).all_sessions()) == ["flag.jsonl"]


def test_the_session_that_calls_belongs_to_the_current_ones(empty):
    other = empty.write("x.jsonl", user("x")).rename(empty.user / "live.jsonl")
    assert names(places(empty, PI_SESSION_FILE=str(other)).current_sessions()) == ["live.jsonl"]
    assert names(places(empty, PI_SESSION_FILE="/nowhere.jsonl").current_sessions()) == []


@pytest.mark.parametrize("text", ["", "[]", "{", '{"sessionDir": 5}', "[" * 99_999, "\ufeff{}"])
def test_settings_that_are_none_are_passed_over(empty, text):
    (empty.project / ".pi").mkdir()
    path = empty.project / ".pi/settings.json"
    path.write_text(text + ' "sessionDir"' * (len(text) > 5), encoding="utf-8")
    empty.write("default.jsonl", user("default"))
    assert names(places(empty).current_sessions()) == ["default.jsonl"]


def test_every_session_is_that_of_all_projects_workers_and_old_places(empty):
    empty.write("own.jsonl", user("own"))
    for folder, name in (
        (empty.agent / "sessions/--srv-other--", "other"),
        (empty.agent, "stray"),
        (empty.project / "workers/one/.pi/sessions", "worker"),
        (empty.project / ".pi/clawas/sessions", "clawa"),
        (empty.project / "node_modules/x/.pi/sessions", "module"),
        (empty.user / "known", "known"),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        empty.write("x.jsonl", user("x")).rename(folder / f"{name}.jsonl")
    found = names(places(empty).all_sessions([str(empty.user / "known")]))
    assert found == [
        f"{name}.jsonl" for name in ("clawa", "known", "other", "own", "stray", "worker")
    ]
    here = places(empty)
    quick = names(here.all_sessions([here.looked_through], thorough=False))
    assert quick == ["other.jsonl", "own.jsonl", "stray.jsonl"]


def test_named_paths_are_files_or_folders(empty):
    path = empty.write("own.jsonl", user("own"))
    assert names(places(empty).listing_of([str(path), str(path.parent)])) == ["own.jsonl"]
    assert places(empty).listing_of(["nowhere"]).notes[0][0] == f"{empty.project}/nowhere"
