"""Every generation of session files, and trees that no writer should have made."""

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search import NotFoundError
from tests.builders import (
    START,
    START_MS,
    Home,
    assistant,
    call,
    chain,
    entry,
    header,
    lines,
    message,
    text,
    tool,
    user,
)


def put(home, *values):
    path = home.write("a.jsonl")
    path.write_bytes(lines(*values))
    home.ready()
    return path


def roles(home, word="sentinel", **more):
    hits = home.found(word, limit=100, **more)
    return {(hit.line, hit.role) for hit in hits}


V1: list[dict[str, Any]] = [
    {"type": "session", "id": "v1", "timestamp": START, "cwd": "/srv/v1", "provider": "p",
     "modelId": "m", "thinkingLevel": "off", "branchedFrom": "/old/x.jsonl"},
    {"type": "message", "timestamp": START, "message": {"role": "user", "content": "sentinel one", "timestamp": START_MS}},
    {"type": "thinking_level_change", "timestamp": START, "thinkingLevel": "high"},
    {"type": "message", "timestamp": START, "message": {"role": "assistant", "content": [text("sentinel two"), call("bash")], "timestamp": START_MS + 1}},
    {"type": "message", "timestamp": START, "message": {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": [text("sentinel silent")]}},
    {"type": "compaction", "timestamp": START, "summary": "sentinel three", "firstKeptEntryIndex": 2, "tokensBefore": 9},
    {"type": "message", "timestamp": START, "message": {"role": "user", "content": [text("sentinel four")]}},
]  # fmt: skip


def test_version_1_has_no_ids(either):
    path = put(either, *V1)
    assert roles(either) == {(2, "user"), (4, "assistant"), (6, "compaction"), (7, "user")}
    (hit,) = either.found("sentinel two")
    assert (hit.entry_id, hit.ts_ms, hit.project, hit.live) == ("", START_MS + 1, "/srv/v1", True)
    shown = either.recall.show(f"{path}:4", context=2)
    assert shown.entry.tools == ["bash"]
    assert [one.text for one in shown.context] == [
        "sentinel one", "sentinel three", "sentinel four",
    ]  # fmt: skip


def test_version_2_has_hook_messages(either):
    put(
        either,
        header(id="v2") | {"version": 2},
        *chain(
            message("hookMessage", "sentinel hook", customType="note", display=True),
            message("custom", [text("sentinel custom")], customType="note"),
            message("branchSummary", None, summary="x") | {"message": {"role": "branchSummary", "summary": "sentinel branch"}},
            {"type": "message", "message": {"role": "compactionSummary", "summary": "sentinel compaction"}},
            message("hookMessage", "sentinel own", customType="clawa-hydration"),
        ),
    )  # fmt: skip
    assert roles(either) == {(2, "custom"), (3, "custom"), (4, "branch"), (5, "compaction")}
    (hit,) = either.found("sentinel hook")
    assert hit.excerpt == "[note] sentinel hook"


def test_version_3_says_these_things(either):
    put(
        either,
        header(),
        *chain(
            entry("model_change", provider="p", modelId="m"),
            user("sentinel string"),
            user([text("sentinel block one"), {"type": "image", "data": "AA"}, text("and two")]),
            assistant("sentinel answer", call("read", path="x"), "and more"),
            entry("custom_message", customType="c", content="sentinel hidden", display=False),
            entry("custom_message", customType="c", content=[text("sentinel shown")], display=True),
            entry("compaction", summary="sentinel summary", firstKeptEntryId="a0000002"),
            entry("branch_summary", summary="sentinel left behind", fromId="a0000002"),
            entry("session_info", name="sentinel name"),
            entry("label", targetId="a0000002", label="sentinel label"),
            entry("label", targetId="a0000002"),
            user(None),
            assistant(),
            user(""),
            user("   "),
        ),
    )
    assert roles(either) == {
        (3, "user"), (4, "user"), (5, "assistant"), (6, "custom"), (7, "custom"),
        (8, "compaction"), (9, "branch"), (10, "custom"), (11, "custom"),
    }  # fmt: skip
    for role in ("user", "assistant", "custom", "compaction", "branch"):
        assert {r for _, r in roles(either, roles=(role,))} == {role}
    (hit,) = either.found("sentinel block one")
    assert hit.excerpt == "sentinel block one\nand two"


V4 = [
    {"kind": "header", "version": 4, "id": "v4", "createdAt": START_MS, "cwd": "/srv/v4",
     "parentSessionId": "p", "metadata": {"x": 1}},
    {"kind": "entry", "type": "message", "id": "e1", "parentId": None, "seq": 1, "timestamp": START_MS,
     "message": {"role": "user", "content": "sentinel one"}},
    {"kind": "record", "type": "operation_started", "prompt": "sentinel silent"},
    {"kind": "entry", "type": "message", "id": "e2", "parentId": "e1", "seq": 2, "timestamp": START_MS + 7,
     "message": {"role": "assistant", "content": [text("sentinel two")]}},
    {"kind": "lane", "lane": "main", "leafId": "e2"},
    {"kind": "entry", "type": "compaction", "id": "e3", "parentId": "e2", "seq": 3, "timestamp": START_MS,
     "summary": "sentinel three", "retainedTail": [
         {"type": "message", "id": "e2", "message": {"role": "assistant", "content": [text("sentinel two")]}},
         {"role": "user", "content": "sentinel tail"}]},
    {"kind": "entry", "type": "custom", "id": "e4", "parentId": "e3", "seq": 4, "data": "sentinel silent"},
    {"kind": "fact", "name": "sentinel name"},
    {"kind": "unheard", "text": "sentinel silent"},
]  # fmt: skip


def test_version_4_has_kinds(either):
    path = put(either, *V4)
    assert roles(either) == {
        (2, "user"), (4, "assistant"), (6, "compaction"), (6, "user"), (8, "custom"),
    }  # fmt: skip
    (hit,) = either.found("sentinel two")
    assert (hit.ts_ms, hit.session_id, hit.project, hit.copies) == (START_MS + 7, "v4", "/srv/v4", 2)  # fmt: skip
    assert hit.also == [f"{path}:6"]
    shown = either.recall.show(hit.ref, context=1)
    assert [one.line for one in shown.context] == [2, 6]


def test_a_tail_that_a_compaction_retains_is_found_where_it_first_stood(either):
    said = chain(user("sentinel early"), assistant("sentinel answer"))
    tail = [*said]
    path = put(either, header(), *said, *chain(entry("compaction", summary="s", retainedTail=tail), first=9))  # fmt: skip
    for word, number in (("sentinel early", 2), ("sentinel answer", 3)):
        (hit,) = either.found(word)
        assert (hit.line, hit.copies, hit.also) == (number, 2, [f"{path}:4"])
        assert either.recall.show(hit.ref).entry.text == word


def test_a_tail_that_stands_nowhere_else_opens_as_what_was_found(either):
    lost = {
        "type": "message",
        "id": "gone1",
        "message": {"role": "user", "content": "sentinel lost"},
    }
    put(either, header(), *chain(entry("compaction", summary="other words", retainedTail=[lost])))
    (hit,) = either.found("sentinel lost")
    assert (hit.line, hit.role) == (2, "user")
    assert "sentinel lost" in either.recall.show(hit.ref).entry.text


def test_two_headers_are_one_session_of_the_first(either):
    put(either, header("/srv/one", "first"), header("/srv/two", "second"), *chain(user("sentinel")))
    (hit,) = either.found("sentinel")
    assert (hit.session_id, hit.project, hit.line) == ("first", "/srv/one", 3)


@pytest.mark.parametrize(
    "first", ["message", "compaction", "session_info", "model_change", "custom", "label"]
)
def test_a_file_that_lost_its_header_is_a_session(either, first):
    begins = {"message": user("x"), "compaction": entry("compaction", summary="s")}
    put(
        either,
        *chain(
            begins.get(first) or entry(first),
            user("sentinel one"),
            tool("x"),
            assistant("sentinel two"),
        ),
    )
    assert roles(either) == {(2, "user"), (4, "assistant")}


def test_an_entry_edited_out_of_the_context_is_found_and_marked(either):
    said = chain(
        user("sentinel kept"),
        user("sentinel removed"),
        user("sentinel replaced"),
        entry("context_edit", targetId="a0000002", replacement=None),
        entry("context_edit", targetId="a0000003", replacement="sentinel new words"),
    )
    put(either, header(), *said)
    assert {hit.excerpt: hit.edited for hit in either.found("sentinel")} == {
        "sentinel kept": False, "sentinel removed": True, "sentinel replaced": True,
    }  # fmt: skip
    ran = either.run("recall", "sentinel removed", "--json")
    assert ran.json["hits"][0]["edited"] is True
    assert "edited out" in either.run("recall", "sentinel removed").out


def test_an_edit_that_comes_later_marks_what_was_indexed_before(home):
    path = home.write("a.jsonl", user("sentinel removed"), user("sentinel kept"))
    home.reindex()
    edit = chain(entry("context_edit", targetId="a0000001", replacement=None), first=8)
    path.write_bytes(path.read_bytes() + lines(*edit))
    for _ in range(2):
        marks = {hit.line: hit.edited for hit in home.found("sentinel")}
        assert marks == {2: True, 3: False}
        home.reindex()


@pytest.mark.parametrize("odd", ["a b", "x\ny", " lead", "\ud83d", "i" * 3000, "", "q\"'"])
def test_an_edit_finds_its_target_whatever_its_id(either, odd):
    edit = entry("context_edit", targetId=odd, replacement=None)
    put(either, header(), *chain(user("sentinel removed", id=odd), user("sentinel kept"), edit))
    marks = {hit.excerpt: hit.edited for hit in either.found("sentinel")}
    assert marks == {"sentinel removed": odd != "", "sentinel kept": False}


TREES: dict[str, list[dict[str, Any]]] = {
    "a cycle of two": [user("sentinel w1", id="x", parentId="y"), user("sentinel w2", id="y", parentId="x")],
    "its own parent": [user("sentinel w1", id="x", parentId="x")],
    "a long cycle": [user(f"sentinel w{n}", id=f"c{n}", parentId=f"c{(n + 1) % 300}") for n in range(300)],
    "an orphan": [user("sentinel w1", parentId="nowhere")],
    "two roots": [user("sentinel w1", parentId=None), user("sentinel w2", parentId=None, id="z")],
    "one id twice": [user("sentinel w1", id="x", parentId=None), user("sentinel w2", id="x", parentId=None)],
    "one id thrice in a row": [user(f"sentinel w{n}", id="x", parentId="x") for n in range(3)],
    "two branches": [user("sentinel w1", id="r", parentId=None), user("sentinel w2", id="b1", parentId="r"),
                     user("sentinel w3", id="b2", parentId="r"), user("sentinel w4", id="b3", parentId="b2")],
    "a child before its parent": [user("sentinel w1", id="k", parentId="p"), user("sentinel w2", id="p", parentId=None)],
    "ids of all kinds": [user("sentinel w1", id="a b"), user("sentinel w2", id=""), user("sentinel w3", id="x\ny"),
                         user("sentinel w4", id=7), user("sentinel w5", id=None), user("sentinel w6", id='q"\\'),
                         user("sentinel w7", id="i" * 5000), user("sentinel w8", id=["x"], parentId={})],
    "deep": [user(f"sentinel w{n}") for n in range(1200)],
}  # fmt: skip


@pytest.mark.parametrize("kind", TREES)
def test_every_tree_is_read_and_every_entry_opens(either, kind):
    said = TREES[kind]
    path = put(either, header(), *chain(*said))
    for number in sorted({0, 1, len(said) // 2, len(said) - 1}):
        if number >= len(said):
            continue
        word = said[number]["message"]["content"]
        hits = [hit for hit in either.found(word) if hit.excerpt == word]
        assert [hit.line for hit in hits] == [number + 2]
        opened = either.recall.show(f"{path}:{number + 2}", context=5)
        assert (opened.status, opened.entry.text) == ("ok", word)
        assert len(opened.context) <= 10
    assert len(either.found("sentinel", limit=100)) == min(100, len(said)) or kind != "deep"


def test_what_is_off_the_live_branch_is_marked(either):
    put(either, header(), *chain(*TREES["two branches"]))
    assert {hit.line: hit.live for hit in either.found("sentinel")} == {
        2: True, 3: False, 4: True, 5: True,
    }  # fmt: skip
    assert either.run("recall", "sentinel w2").out.count("other branch") == 1


def test_a_label_is_a_leaf_like_any_other(either):
    said = chain(*TREES["two branches"], entry("label", targetId="b1", label="l", parentId="b1"))
    put(either, header(), *said)
    assert {hit.line for hit in either.found("sentinel") if hit.live} == {2, 3}


def test_an_id_that_two_files_share_belongs_to_each(either):
    one = either.write("a.jsonl", user("sentinel apple", id="same"))
    two = either.write("b.jsonl", user("sentinel pear", id="same"), head=header(id="s2"))
    either.ready()
    assert {(hit.path, hit.session_id) for hit in either.found("sentinel")} == {
        (str(one), "s1"), (str(two), "s2"),
    }  # fmt: skip


def test_a_migration_in_place_moves_the_anchors(either):
    path = either.write("a.jsonl")
    path.write_bytes(lines(*V1))
    either.reindex()
    (old,) = either.found("sentinel four")
    upgraded = [
        header(id="v1"),
        *chain(*(one for one in V1[1:] if one["type"] != "thinking_level_change")),
    ]
    path.write_bytes(lines(*upgraded))
    either.ready()
    (new,) = either.found("sentinel four")
    assert (old.line, new.line, new.entry_id) == (7, 6, "a0000005")
    assert len(either.found("sentinel", limit=100)) == 4


KEYS = st.sampled_from(
    "type id parentId timestamp message role content text summary name label kind entry customType "
    "data retainedTail targetId replacement cwd version details display tokensBefore fromId".split()
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
VALUES = st.sampled_from(
    "message session compaction branch_summary custom custom_message label session_info header "
    "context_edit user assistant toolResult hookMessage text entry fact lane record".split()
)
ENTRIES = st.dictionaries(KEYS, VALUES | ANY, max_size=8)


@settings(max_examples=30)
@given(st.lists(ENTRIES | ANY, max_size=8))
def test_no_shape_of_an_entry_is_too_odd(tmp_path_factory, odd):
    home = Home(tmp_path_factory.mktemp("odd"))
    raws = [
        lines(one).strip() if isinstance(one, dict) else lines({"a": one}).strip() for one in odd
    ]
    path = home.write("a.jsonl", user("sentinelbefore"), *raws, user("sentinelafter"))
    assert [hit.line for hit in home.found("sentinelbefore")] == [2]
    assert [hit.line for hit in home.found("sentinelafter")] == [len(odd) + 3]
    for number in range(2, len(odd) + 4):
        with contextlib.suppress(NotFoundError):  # what has no type is no entry
            home.recall.show(f"{path}:{number}", context=2)
    home.close()


def v4(entry_id: str, parent: str | None, said: str) -> dict[str, Any]:
    content = {"role": "user", "content": said}
    return {"kind": "entry", "type": "message", "id": entry_id, "parentId": parent, "seq": 1,
            "timestamp": START_MS, "message": content}  # fmt: skip


def test_what_tells_of_a_run_is_no_entry_of_the_tree(either):
    head = {"kind": "header", "version": 4, "id": "v4", "createdAt": START_MS, "cwd": "/srv/v4"}
    put(
        either,
        head,
        v4("a1", None, "sentinel one"),
        v4("a2", "a1", "sentinel two"),
        v4("a3", "a1", "sentinel three"),
        v4("a4", "a2", "sentinel four"),
        {"kind": "record", "type": "operation_finished", "id": "rec1", "seq": 9},
        {"kind": "lane", "lane": "main", "leafId": "a4", "id": "lane1"},
    )
    live = {hit.line: hit.live for hit in either.found("sentinel")}
    assert live == {2: True, 3: True, 4: False, 5: True}


def test_an_edit_counts_on_its_own_branch(either):
    put(
        either,
        header(),
        user("sentinel one", id="a b", parentId=None),
        {"type": "context_edit", "id": "e1", "parentId": "a b", "targetId": "a b"},
        user("sentinel two", id="c", parentId="e1"),
        user("sentinel three", id="d", parentId="a b"),
        {"type": "context_edit", "id": "e2", "parentId": "d", "targetId": "d"},
    )
    edited = {hit.line: hit.edited for hit in either.found("sentinel")}
    assert edited == {2: False, 4: False, 5: True}


def test_a_name_stays_live_wherever_it_stands(either):
    head = {"kind": "header", "version": 4, "id": "v4", "createdAt": START_MS, "cwd": "/srv/v4"}
    path = put(
        either,
        head,
        v4("a1", None, "one"),
        {"kind": "fact", "name": "sentinel name"},
        v4("a2", "a1", "two"),
        *(v4(f"b{number}", "a2", f"three {number}") for number in range(12)),
    )
    (hit,) = either.found("sentinel name")
    assert hit.live
    assert "other branch" not in either.run("show", f"{path}:3").out
