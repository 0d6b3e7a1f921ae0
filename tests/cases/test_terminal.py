"""What transcripts hold must not reach the terminal as commands, from whatever field it comes."""

import pytest

from tests.builders import assistant, call, entry, header, tool, user

SEQUENCES = (
    "probe \x1b[2J\x1b[31mRED\x1b[0m \x1b]0;TITLE\x07 \x1b]52;c;YXR0\x07 \x1b]8;;http://x\x1b\\link "
    "real\rSPOOF bs\b\b\b C1\x9b31m \x90q\x9c rlo \u202egnp.exe\u202c end \x7f \x00 \u2066iso\u2069 \u200e\u200f\u061c"
)
CONTROLS = [chr(n) for n in (*range(32), *range(127, 160)) if chr(n) not in "\n\t"]
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
FORBIDDEN = {*CONTROLS, *BIDI}


def everything(home):
    """Put control characters into every field that may be shown; return the session file."""
    path = home.write(
        "a \x1b[31m\u202e\x9b\x07.jsonl",
        user(f"sentinelprobe {SEQUENCES}", id=f"i{SEQUENCES}"),
        assistant(f"sentinelprobe {SEQUENCES}", call(f"tool{SEQUENCES}")),
        tool("x", name=f"tool{SEQUENCES}"),
        entry("session_info", name=f"sentinelprobe name {SEQUENCES}"),
        entry("custom_message", customType=f"t{SEQUENCES}", content=f"sentinelprobe {SEQUENCES}"),
        entry("compaction", summary=f"sentinelprobe {SEQUENCES}"),
        b'{"half',
        head=header(f"/srv/{SEQUENCES}demo", f"s{SEQUENCES}", parentSession=SEQUENCES),
    )
    home.recall.remember(f"sentinelprobe memory {SEQUENCES}", tags=["human"])
    return path


@pytest.mark.parametrize("extra", [[], ["--explain", "-C", "3"], ["--max-tokens", "900"]])
def test_nothing_commands_the_terminal(either, extra):
    everything(either)
    (either.sessions / "broken \x1b[2J.jsonl").symlink_to("nowhere \x1b[2J")
    either.ready()
    ran = either.run("recall", "sentinelprobe", "-n", "50", *extra)
    assert ran.code == 0
    assert "RED" in ran.out
    assert not FORBIDDEN & {*ran.out, *ran.err}
    assert ran.err.count("\n") == ran.err.count("clawa-search: ")


def test_json_keeps_them_escaped(either):
    path = everything(either)
    either.ready()
    ran = either.run("recall", "sentinelprobe", "-n", "50", "-C", "1", "--json")
    assert not FORBIDDEN & {*ran.out}
    kept = [hit["excerpt"] for hit in ran.json["hits"]]
    assert all("\x1b[2J" in text and "\u202egnp" in text for text in kept)
    assert {hit["path"] for hit in ran.json["hits"] if hit["kind"] == "session"} == {str(path)}
    assert "\x1b]0;TITLE" in ran.json["hits"][-1].get("project", "\x1b]0;TITLE")


VERBS = [
    ["show", "{ref}", "-C", "3"],
    ["show", "mem:1"],
    ["show", "{path}:99"],
    ["show", "nothing \x1b[2J here"],
    ["status"],
    ["doctor"],
    ["reindex"],
    ["reindex", "nowhere \x1b[2J\u202e"],
    ["recall", "x", "--session-file", "nowhere \x1b[2J\x07.jsonl"],
    ["recall", "x", "--sessions-dir", "nowhere \x1b[2J\x07"],
    ["recall", "x", "--since", "\x1b[2J"],
    ["recall", "x", "--role", "\x1b[2J"],
    ["recall", "--\x1b[2J"],
    ["recall", "x", "-n", "\x1b[2J"],
    ["forget", "\x1b[2J"],
    ["remember", "x", "--id", "\x1b[2J"],
    ["\x1b[2J"],
    ["status", "--home", "nowhere \x1b[2J\u202e"],
    ["status", "--index-dir", "nowhere \x1b[2J\u202e"],
    ["hydrate"],
]


@pytest.mark.parametrize("argv", VERBS, ids=lambda argv: ascii(" ".join(argv)))
def test_no_verb_lets_them_through(home, argv):
    path = everything(home)
    (home.project / "CLAW.md").write_text(f"# {SEQUENCES}\n")
    ran = home.run(*(word.format(ref=f"{path}:2", path=path) for word in argv))
    assert not FORBIDDEN & {*ran.out, *ran.err}
    told = home.run(*(word.format(ref=f"{path}:2", path=path) for word in argv), "--json")
    assert not FORBIDDEN & {*told.out, *told.err}


@pytest.mark.parametrize("first", range(0, len(CONTROLS), 16))
def test_each_control_character_is_kept_out(home, first):
    some = "".join(f"a{one}b" for one in [*CONTROLS[first : first + 16], *BIDI])
    home.write("a.jsonl", user(f"sentinelone {some}"))
    home.recall.remember(f"sentinelone {some}")
    for source in ("memory", "session"):
        ran = home.run("recall", "sentinelone", "--source", source)
        assert not FORBIDDEN & {*ran.out}
        assert ran.out.count("b") >= 16
