"""What a text may hold: surrogates, separators, bytes that are no UTF-8, scripts without spaces."""

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import (
    Home,
    assistant,
    call,
    chain,
    entry,
    header,
    line,
    lines,
    message,
    text,
    tool,
    user,
)

LONE = "\ud83d"
CUT = f"cut {LONE} here"
EVERYWHERE = {
    "content": [user(f"cut {LONE} end sentinelcut")],
    "block": [assistant(f"cut {LONE} end sentinelcut")],
    "low half": [user("cut \ude80 end sentinelcut")],
    "halves the wrong way round": [user("cut \ude80\ud83d end sentinelcut")],
    "id": [user("sentinelcut", id=CUT), user("child", parentId=CUT)],
    "id of a tool result": [tool("x", id=CUT), user("sentinelcut", parentId=CUT)],
    "parent": [user("sentinelcut", parentId=CUT)],
    "timestamp": [user("sentinelcut", timestamp=CUT)],
    "type": [entry(CUT, text="x"), user("sentinelcut")],
    "role": [message(CUT, "x"), user("sentinelcut")],
    "custom type": [entry("custom_message", customType=CUT, content="sentinelcut")],
    "hook": [message("hookMessage", "sentinelcut", customType=CUT)],
    "compaction": [entry("compaction", summary=f"{LONE} sentinelcut")],
    "branch summary": [entry("branch_summary", summary=f"sentinelcut {LONE}", fromId=CUT)],
    "name": [entry("session_info", name=f"sentinelcut{LONE}"), user("x")],
    "label": [entry("label", label=f"sentinelcut {LONE}", targetId=CUT)],
    "edit": [user("sentinelcut"), entry("context_edit", targetId=CUT, replacement=CUT)],
    "tool": [assistant("sentinelcut", call(CUT, **{CUT: CUT})), tool(CUT, name=CUT)],
    "signature": [assistant(text("sentinelcut", textSignature=CUT))],
    "block type": [user([{"type": CUT, "text": CUT}, text("sentinelcut")])],
    "key": [user("sentinelcut", **{CUT: CUT})],
    "tail": [entry("compaction", summary="s", retainedTail=[user("sentinelcut", id=CUT)])],
}
HEADERS = {
    "cwd": header(f"/srv/{LONE}demo"),
    "session id": header(id=CUT),
    "parent session": header(parentSession=f"/srv/{LONE}.jsonl"),
    "header time": header() | {"timestamp": CUT},
}


@pytest.mark.parametrize("place", EVERYWHERE)
def test_half_an_emoji_hides_nothing_wherever_it_stands(either, place):
    either.write("a.jsonl", user("before"), *EVERYWHERE[place], user("sentinelafter"))
    either.ready()
    for word in ("sentinelcut", "sentinelafter"):
        (hit,) = either.found(word)
        hit.excerpt.encode()
        assert either.recall.show(hit.ref).status == "ok"


@pytest.mark.parametrize("place", HEADERS)
def test_half_an_emoji_in_the_header_hides_nothing(either, place):
    either.write("a.jsonl", user("sentinelafter"), head=HEADERS[place])
    either.ready()
    assert [hit.line for hit in either.found("sentinelafter")] == [2]


def test_half_emojis_come_out_as_valid_json_and_whole_ones_as_themselves(either):
    said = [one for many in EVERYWHERE.values() for one in many]
    either.write("a.jsonl", *said, user("good pair \ud83d\ude80 sentinelpair"))
    either.ready()
    ran = either.run("recall", "sentinelcut", "sentinelpair", "-n", "50", "--json", "-C", "1")
    assert (ran.code, ran.err) == (0, "")
    orjson.loads(ran.out)  # refuses lone surrogates
    assert any("\N{ROCKET}" in hit["excerpt"] for hit in ran.json["hits"])
    for hit in ran.json["hits"]:
        shown = either.run("show", hit["ref"], "--json")
        assert orjson.loads(shown.out)["status"] == "ok"
    assert either.run("recall", "sentinelcut", "-n", "50").code == 0


def test_a_query_and_a_memory_may_hold_broken_utf8(home):
    home.write("a.jsonl", user("cut end sentinelcut"))
    assert home.run("recall", b"sentinelcut \xed\xa0\xbd \xff").code == 0
    assert home.run("remember", b"memo \xed\xa0\xbd half", "--tag", b"t\xff").code == 0
    assert home.run("recall", "memo", "--json").json["hits"][0]["kind"] == "memory"


SEPARATORS = "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e\x00\u2001\ufeff\u200b\r"


@pytest.mark.parametrize("separator", SEPARATORS, ids=lambda one: f"{ord(one):04x}")
def test_a_separator_inside_a_string_ends_no_line(either, separator):
    either.write(
        "a.jsonl",
        user(f"before{separator}after sentinelsep{separator}"),
        assistant("plain", id=f"i{separator}d"),
        user("sentinelnext"),
    )
    either.ready()
    (hit,) = either.found("sentinelsep")
    assert (hit.line, hit.truncated) == (2, False)
    assert "before" in hit.excerpt
    (after,) = either.found("sentinelnext")
    assert after.line == 4
    answer = either.ask("sentinelsep")
    assert (answer.complete, answer.notes) == (True, [])


def test_every_separator_at_once_through_the_command_line(either):
    either.write("a.jsonl", user(f"ls-before {SEPARATORS} sentinel-sep"), assistant("sentinelnext"))
    either.ready()
    ran = either.run("recall", "sentinel-sep", "--json")
    assert ran.json["hits"][0]["line"] == 2
    assert ran.json["complete"] is True
    plain = either.run("recall", "sentinel-sep")
    assert plain.err == ""
    assert not set(plain.out) & set("\x0b\x0c\x1c\x1d\x1e\x00\r")


ENCODINGS = {
    "bom": b"\xef\xbb\xbf" + lines(header(), *chain(user("caf\xe9 sentinelbytes"))),
    "crlf": lines(header(), *chain(user("caf\xe9 sentinelbytes"))).replace(b"\n", b"\r\n"),
    "bom and crlf": b"\xef\xbb\xbf"
    + lines(header(), *chain(user("caf\xe9 sentinelbytes"))).replace(b"\n", b"\r\n"),
    "latin-1": lines(header(), *chain(user("sentinelbytes CAFE \ue000"))).replace(
        b"\xee\x80\x80", b"caf\xe9 \xff\xfe"
    ),
}
LOCALES = {
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "POSIX": {"LC_ALL": "POSIX"},
}


@pytest.mark.parametrize("kind", ENCODINGS)
def test_foreign_bytes_are_read(either, kind):
    path = either.write("a.jsonl")
    path.write_bytes(ENCODINGS[kind])
    either.ready()
    (hit,) = either.found("sentinelbytes")
    assert (hit.line, hit.session_id, hit.project) == (2, "s1", "/srv/demo")
    assert ("\ufffd" in hit.excerpt) == (kind == "latin-1")


BYTES = b"\xff\x80"
PLACES = ["id", "parentId", "timestamp", "role", "content", "customType"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("said", ["user", "tool"])
def test_bytes_that_are_no_utf8_hide_nothing_wherever_they_stand(either, place, said):
    odd = {"role": "user", "content": "word", "customType": "t"} if said == "user" else {}
    lineful = user("x") if said == "user" else tool("x")
    made = {"id": "b1", "parentId": None, "timestamp": "2026-01-02T03:04:06.000Z", **lineful}
    made = {key: made[key] for key in ("type", "id", "parentId", "timestamp", "message")}
    if place in made:
        made[place] = "\ue000"
    else:
        made["message"] = {**made["message"], **odd, place: "\ue000"}
    raw = line(made).replace(b"\xee\x80\x80", BYTES)
    path = either.write("a.jsonl", user("sentinelbefore"))
    path.write_bytes(
        path.read_bytes() + raw + b"\n" + lines(user("sentinelafter", id="c", parentId="b1"))
    )
    either.ready()
    assert [hit.line for hit in either.found("sentinelbefore")] == [2]
    assert [hit.line for hit in either.found("sentinelafter")] == [4]


@pytest.mark.parametrize("locale", LOCALES)
def test_the_locale_changes_nothing(either, locale):
    env = LOCALES[locale]
    for kind, raw in ENCODINGS.items():
        either.write(f"Gr\xf6\xdfe {kind}.jsonl").write_bytes(raw)
    either.write(
        "cjk \u4f1a\u8bae.jsonl",
        user("\u4f1a\u8bae sentinelcjk"),
        head=header("/srv/Gr\xf6\xdfe \u03b1"),
    )
    if either.indexed:
        assert either.run("reindex", env=env).code == 0
    found = either.run("recall", "--sessions", "all", "sentinelbytes", "--json", env=env)
    assert (found.code, found.err) == (0, "")
    copies = [ref for hit in found.json["hits"] for ref in (hit["ref"], *hit["also"])]
    assert len(copies) == 4
    assert all(": 2" not in ref and "Gr\xf6\xdfe" in ref for ref in copies)
    ran = found
    for project in (["--project", "/srv/Gr\xf6\xdfe \u03b1"], []):
        ran = either.run("recall", "\u4f1a\u8bae", "--json", *project, env=env)
        assert [hit["project"] for hit in ran.json["hits"]] == ["/srv/Gr\xf6\xdfe \u03b1"]
    shown = either.run("show", ran.json["hits"][0]["ref"], env=env)
    assert "\u4f1a\u8bae sentinelcjk" in shown.out
    assert either.run("remember", "Sch\xf6n \u4f1a\u8bae", env=env).code == 0
    assert "Sch\xf6n \u4f1a\u8bae" in either.run("recall", "sch\xf6n", env=env).out


def test_a_file_name_that_is_no_utf8_is_told_and_hides_nothing(either):
    path = either.write("a.jsonl", user("sentinelname"))
    path.rename(path.parent / "b\udcff\udce9.jsonl")
    either.write("c.jsonl", user("sentinelgood"))
    if either.indexed:
        assert "not valid UTF-8" in str(either.run("reindex", "--json").json["notes"])
    ran = either.run("recall", "sentinelgood", "--json")
    assert (ran.code, len(ran.json["hits"]), ran.json["complete"]) == (0, 1, False)
    assert "not valid UTF-8" in either.run("recall", "sentinelgood").err


CJK = {
    "\u660e\u5929\u4e0b\u5348\u4e09\u70b9\u5f00\u9879\u76ee\u8bc4\u5ba1\u4f1a\u8bae\u8ba8\u8bba\u6392\u671f": [
        "\u4f1a\u8bae", "\u8bc4\u5ba1\u4f1a\u8bae", "\u8bc4\u5ba1", "\u8bae"
    ],
    "\uc124\uc815\uc744 \ubc14\uafb8\uc790": ["\uc124\uc815", "\uc124\uc815\uc744"],
    "\u3053\u308c\u306f\u65e5\u672c\u8a9e\u30c6\u30b9\u30c8\u3067\u3059": [
        "\u65e5\u672c\u8a9e\u30c6\u30b9\u30c8", "\u30c6\u30b9\u30c8", "\u65e5\u672c"
    ],
    "\u691c\u7d22\u30a8\u30f3\u30b8\u30f3\u306e\u30d0\u30b0": ["\u691c\u7d22", "\u30d0\u30b0"],
    "\u6570\u636e\u5e93\u9501\u6b7b DB\u9501": ["\u9501", "DB\u9501", "\u6570\u636e\u5e93"],
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a": ["\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35"],
}  # fmt: skip


@pytest.mark.parametrize(("said", "query"), [(s, q) for s, many in CJK.items() for q in many])
def test_words_of_scripts_without_spaces_are_found_inside_sentences(either, said, query):
    either.write("a.jsonl", user("hello"), user(said), user("\u5929\u6c14\u5f88\u597d"))
    either.ready()
    assert [hit.line for hit in either.found(query)] == [3]
    either.recall.remember(said)
    assert [hit.kind for hit in either.found(query, source="memory")] == ["memory"]


def test_another_word_of_the_same_characters_is_not_found(either):
    either.write(
        "a.jsonl",
        user("\u660e\u5929\u4e0b\u5348\u4e09\u70b9\u5f00\u9879\u76ee\u8bc4\u5ba1\u4f1a\u8bae"),
    )
    either.ready()
    assert either.hits("\u9805\u76ee") == []


ANYTHING = st.text(st.characters(codec=None), max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ANYTHING, min_size=1, max_size=6), st.booleans())
def test_any_text_stands_on_its_own_line_and_opens(tmp_path_factory, texts, indexed):
    home = Home(tmp_path_factory.mktemp("any"), indexed=indexed)
    home.write("a.jsonl", *(user(f"{said} sentinel{number}q") for number, said in enumerate(texts)))
    home.ready()
    for number in range(len(texts)):
        (hit,) = home.found(f"sentinel{number}q")
        assert hit.line == number + 2
        shown = home.recall.show(hit.ref)
        assert shown.entry is not None
        assert shown.entry.text.endswith(f"sentinel{number}q")
    home.close()


@settings(max_examples=60, deadline=None)
@given(ANYTHING)
def test_any_query_gets_an_answer(tmp_path_factory, query):
    home = Home(tmp_path_factory.mktemp("query"))
    home.write("a.jsonl", user("some words"), user(query))
    home.recall.remember("some words")
    for hit in home.hits(query):
        hit.excerpt.encode()
    home.close()
