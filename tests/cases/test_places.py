"""Where session files are looked for: flags, environment, settings, and everything that is known."""

import json

import pytest

from tests.builders import user, write_session


def put(folder, word):
    return write_session(
        folder / f"2026-01-02T03-04-05-000Z_{word}.jsonl", user(f"sentinel {word}")
    )


def named_places(home):
    """Put a session everywhere where one may lie; the settings come later."""
    put(home.agent, "stray")
    put(home.sessions, "default")
    put(home.user / "elsewhere", "global")
    put(home.project / ".pi/sessions", "local")
    put(home.user / "byenv", "byenv")
    put(home.user / "byflag", "byflag")
    put(home.project / "relative", "relative")


def settings(path, value):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps({"theme": "dark", "sessionDir": value}))


def words(ran):
    return {hit["excerpt"].removeprefix("sentinel ") for hit in ran.json["hits"]}


def test_the_place_of_sessions_is_the_strongest_that_is_named(either):
    named_places(either)

    def found(*flags, **env):
        if either.indexed:
            assert either.run("reindex", *flags, env=env).code == 0
        return words(either.run("recall", "sentinel", "--json", *flags, env=env))

    assert found() == {"default"}
    settings(either.agent / "settings.json", "~/elsewhere")
    assert found() == {"global"}
    settings(either.project / ".pi/settings.json", ".pi/sessions")
    assert found() == {"local"}
    settings(either.project / ".pi/settings.json", str(either.project / "relative"))
    assert found() == {"relative"}
    env = {"PI_CODING_AGENT_SESSION_DIR": "~/byenv"}
    assert found(**env) == {"byenv"}
    assert found("--sessions-dir", str(either.user / "byflag"), **env) == {"byflag"}
    env |= {"PI_SESSION_FILE": str(either.user / "elsewhere/2026-01-02T03-04-05-000Z_global.jsonl")}
    assert found(**env) == {"byenv", "global"}


def test_every_place_is_found_with_all(either):
    named_places(either)
    settings(either.agent / "settings.json", "~/elsewhere")
    settings(either.project / ".pi/settings.json", "relative")
    env = {"PI_CODING_AGENT_SESSION_DIR": str(either.user / "byenv")}
    if either.indexed:
        assert either.run("reindex", env=env).code == 0
    told = words(either.run("recall", "sentinel", "--all", "--json", env=env))
    assert told >= {"stray", "default", "global", "byenv", "relative", "local"}


def test_another_agent_folder_is_another_world(either):
    put(either.user / ".pi/agent/sessions/--x--", "usual")
    put(either.sessions, "other")
    either.ready()
    assert words(either.run("recall", "sentinel", "--all", "--json")) == {"other"}
    usual = {"PI_CODING_AGENT_DIR": "", "CLAWA_INDEX_DIR": str(either.user / "i2")}
    assert words(either.run("recall", "sentinel", "--all", "--json", env=usual)) == {"usual"}
    tilde = usual | {"PI_CODING_AGENT_DIR": "~/.pi/agent"}
    assert words(either.run("recall", "sentinel", "--all", "--json", env=tilde)) == {"usual"}


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b'{"sessionDir":5}', b'{"sessionDir":""}', b"\xff"]
)
def test_broken_settings_mean_the_default_place(home, raw):
    put(home.sessions, "default")
    (home.agent / "settings.json").write_bytes(raw)
    assert words(home.run("recall", "sentinel", "--json")) == {"default"}


def test_a_place_that_does_not_exist_is_told(home):
    for flags in (["--sessions-dir", "nowhere"], ["--session-file", "nowhere.jsonl"]):
        ran = home.run("recall", "sentinel", *flags)
        assert ran.code == 1
        assert "nowhere" in ran.err
