"""Laws of what the model still sees of its own session."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.continuity.visible import SessionTree, ancestors

HEADER = {
    "type": "session",
    "version": 3,
    "id": "s",
    "timestamp": "2026-01-01T00:00:00.000Z",
    "cwd": "/p",
}


def entry(one: str, parent: str | None, kind: str = "message", **more: object) -> dict[str, object]:
    body: dict[str, object] = (
        {"message": {"role": "user", "content": f"text of {one}"}} if kind == "message" else {}
    )
    return {
        "type": kind,
        "id": one,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:01.000Z",
        **body,
        **more,
    }


def write(path: Path, *entries: dict[str, object], header: dict[str, object] = HEADER) -> None:
    lines = [json.dumps(one, separators=(",", ":")) for one in (header, *entries)]
    path.write_text("\n".join(lines) + "\n")


def chain(*names: str) -> list[dict[str, object]]:
    return [entry(one, parent) for one, parent in zip(names, (None, *names), strict=False)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.jsonl"


def visible(path: Path, leaf: str | None) -> set[str]:
    return set(SessionTree(str(path)).visible(leaf))


def test_the_path_to_the_leaf_is_seen_and_other_branches_are_not(path):
    write(path, *chain("a", "b", "c"), entry("d", "a"))
    assert visible(path, "d") == {"a", "d"}
    assert visible(path, "c") == {"a", "b", "c"}
    assert visible(path, "b") == {"a", "b"}


def test_an_empty_conversation_sees_nothing_and_an_unwritten_leaf_stands_for_the_last_line(path):
    write(path, *chain("a", "b"))
    assert visible(path, None) == set()
    assert visible(path, "not-written-yet") == {"a", "b"}


def test_after_a_compaction_the_summary_and_what_it_kept_are_seen(path):
    write(
        path,
        *chain("a", "b", "c"),
        entry("k", "c", "compaction", firstKeptEntryId="b"),
        entry("d", "k"),
    )
    assert visible(path, "d") == {"k", "b", "c", "d"}


def test_of_several_compactions_only_the_latest_counts(path):
    write(
        path,
        *chain("a", "b"),
        entry("k", "b", "compaction", firstKeptEntryId="b"),
        entry("c", "k"),
        entry("l", "c", "compaction", firstKeptEntryId="b"),
        entry("d", "l"),
    )
    assert visible(path, "d") == {"l", "b", "c", "d"}
    assert visible(path, "c") == {"k", "b", "c"}


@pytest.mark.parametrize("kept", ["k", "elsewhere", None])
def test_a_compaction_may_keep_nothing(path, kept):
    write(
        path,
        *chain("a", "b"),
        entry("k", "b", "compaction", firstKeptEntryId=kept),
        entry("d", "k"),
    )
    assert visible(path, "d") == {"k", "d"}


@pytest.mark.parametrize("replacement", [None, {"content": "shorter"}])
def test_an_edited_entry_is_not_seen_as_it_stands_in_the_file(path, replacement):
    write(
        path,
        *chain("a", "b"),
        entry("e", "b", "context_edit", targetId="a", replacement=replacement),
        entry("x", "a"),
    )
    assert visible(path, "e") == {"b", "e"}
    assert visible(path, "x") == {"a", "x"}


def test_the_key_order_of_the_writer_does_not_matter(path):
    write(path, *[dict(reversed(one.items())) for one in chain("a", "b")])
    assert visible(path, "b") == {"a", "b"}


def test_an_id_that_is_not_utf_8_is_one_of_many(path):
    write(path, *chain("a", "b"))
    with path.open("ab") as file:
        file.write(b'{"type":"message","id":"\xff","parentId":"b","message":{}}\n')
        file.write(b'{"type":"message","id":"c","parentId":"\xff","message":{}}\n')
    assert visible(path, "c") == {"a", "b", "\ufffd", "c"}


def test_cycles_orphans_and_damaged_lines_end_the_path_and_nothing_else(path):
    write(path, entry("a", "b"), entry("b", "a"), entry("o", "gone"), entry("self", "self"))
    with path.open("ab") as file:
        file.write(
            b'{"type":"message","id":"torn\nnull\n[]\n5\n\xff\xfe\n{"type":"message","id":7}\n'
        )
    assert visible(path, "a") == {"a", "b"}
    assert visible(path, "o") == {"o"}
    assert visible(path, "self") == {"self"}


@pytest.mark.parametrize(
    "make",
    [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_bytes(b"")],
    ids=["missing", "folder", "empty"],
)
def test_without_a_file_nothing_is_known(path, make):
    make(path)
    assert visible(path, "a") == set()


names = st.sampled_from("abcdefgh")
entries = st.lists(
    st.one_of(
        st.builds(entry, names, st.none() | names),
        st.builds(
            lambda one, up, kept: entry(one, up, "compaction", firstKeptEntryId=kept),
            names,
            names,
            names,
        ),
        st.builds(
            lambda one, up, at: entry(one, up, "context_edit", targetId=at, replacement=None),
            names,
            names,
            names,
        ),
    ),
    min_size=1,
    max_size=12,
)


@given(entries, names, st.integers(0, 3_000), st.booleans())
def test_reading_on_gives_what_reading_afresh_gives(path, made, leaf, cut, rewrite):
    write(path, *made)
    whole = path.read_bytes()
    first = whole[: cut % len(whole)]
    # An agent that rewrites a session begins with its header: another version, another id.
    path.write_bytes(first.replace(b'"version":3', b'"version":2') if rewrite else first)
    tree = SessionTree(str(path))
    tree.visible(leaf)
    with path.open("wb" if rewrite else "ab") as file:
        file.write(whole if rewrite else whole[len(first) :])
    assert tree.visible(leaf) == SessionTree(str(path)).visible(leaf)


def test_a_file_replaced_by_another_is_read_afresh(path):
    write(path, *chain("a", "b"))
    tree = SessionTree(str(path))
    assert tree.visible("b") == {"a", "b"}
    path.unlink()
    write(path, *chain("x", "b", "c"))
    assert tree.visible("c") == {"x", "b", "c"}
    path.unlink()
    assert tree.visible("c") == set()


def test_the_sessions_that_a_fork_came_from_are_named_nearest_first(tmp_path):
    first, second, third = (tmp_path / f"{n}.jsonl" for n in (1, 2, 3))
    write(first)
    write(second, header=HEADER | {"parentSession": str(first)})
    write(third, header=HEADER | {"parentSession": str(second)})
    assert ancestors(str(third)) == [str(second), str(first)]
    assert ancestors(str(first)) == ancestors(str(tmp_path / "none")) == []
    write(first, header=HEADER | {"parentSession": str(third)})
    assert len(ancestors(str(third))) == 3
