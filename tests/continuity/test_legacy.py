"""Laws of taking over exported memories: nothing is lost, nothing comes twice, nothing comes back."""

import json
import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.continuity.legacy import FOLDER, RECORD, import_legacy
from clawa_search.memory.store import MemoryStore


def export(home, *memories: dict[str, object]) -> None:
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for memory in memories:
        (folder / f"{memory['id']}.md").write_text(json.dumps(memory))


def memory(
    number: int, text: str = "", ts: int = 0, tags: tuple[str, ...] = ()
) -> dict[str, object]:
    return {
        "id": number,
        "ts": ts or 1_700_000_000_000 + number,
        "text": text or f"fact {number}",
        "tags": list(tags),
    }


@pytest.fixture
def store(tmp_path):
    with MemoryStore(str(tmp_path / ".pi" / "clawa-memory.sqlite")) as opened:
        yield opened


def contents(store) -> dict[int, tuple[int, str, tuple[str, ...]]]:
    return {one.id: (one.ts_ms, one.text, one.tags) for one in store.newest(1 << 40)}


def test_ids_times_and_tags_are_kept_in_an_empty_store(tmp_path, store):
    export(tmp_path, memory(3, "blue \u2028 rock", 5, ("Rock", "a b")), memory(12), memory(100))
    made = import_legacy(str(tmp_path), store)
    assert (made.files, made.imported, made.present, made.renumbered, made.warnings) == (
        3,
        3,
        0,
        {},
        [],
    )
    assert contents(store)[3] == (5, "blue \u2028 rock", ("rock", "a-b"))
    assert sorted(contents(store)) == [3, 12, 100]
    assert store.remember("later") == ("created", 101)


def test_taken_over_memories_are_found_like_any_other(tmp_path, store):
    from indexer.analysis import query_words

    export(tmp_path, memory(7, "the zebrafish experiment"))
    import_legacy(str(tmp_path), store)
    assert [row.id for row in store.candidates(query_words("zebrafish")).rows] == [7]
    assert store.integrity() == []


def test_a_second_run_changes_nothing(tmp_path, store):
    export(tmp_path, memory(1), memory(2))
    import_legacy(str(tmp_path), store)
    before = contents(store)
    made = import_legacy(str(tmp_path), store)
    assert (made.files, made.imported, made.present) == (2, 0, 2)
    assert contents(store) == before


def test_what_was_edited_or_deleted_since_does_not_come_back(tmp_path, store):
    export(tmp_path, memory(1), memory(2), memory(3))
    import_legacy(str(tmp_path), store)
    store.remember("fact 1, corrected", memory_id=1)
    store.forget(2)
    assert import_legacy(str(tmp_path), store).imported == 0
    assert [text for _, text, _ in contents(store).values()] == ["fact 1, corrected", "fact 3"]


def test_an_id_that_is_or_was_in_use_is_not_given_again(tmp_path, store):
    for text in ("mine", "gone", "mine too"):
        store.remember(text)
    store.forget(2)
    export(tmp_path, memory(1), memory(2), memory(9))
    made = import_legacy(str(tmp_path), store)
    assert made.renumbered == {1: 4, 2: 5}
    assert {number: text for number, (_, text, _) in contents(store).items()} == {
        1: "mine",
        3: "mine too",
        4: "fact 1",
        5: "fact 2",
        9: "fact 9",
    }


def test_the_database_that_was_exported_is_recognised_without_a_record(tmp_path, store):
    export(tmp_path, memory(1), memory(2))
    import_legacy(str(tmp_path), store)
    (tmp_path / ".pi" / RECORD).unlink()
    made = import_legacy(str(tmp_path), store)
    assert (made.imported, made.present) == (0, 2)


def test_the_record_is_for_the_owner_only_and_a_damaged_one_is_no_error(tmp_path, store):
    export(tmp_path, memory(1))
    import_legacy(str(tmp_path), store)
    record = tmp_path / ".pi" / RECORD
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    for damaged in ("{", "[]", '{"imported":[]}', '{"imported":{"x":"y"}}'):
        record.write_text(damaged)
        assert import_legacy(str(tmp_path), store).imported == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# a note",
        "[]",
        "\ud800".encode("utf-8", "surrogatepass"),
        '{"id":1}',
        '{"id":0,"ts":1,"text":"x","tags":[]}',
        '{"id":true,"ts":1,"text":"x","tags":[]}',
        '{"id":1,"ts":"now","text":"x","tags":[]}',
        '{"id":1,"ts":1,"text":" ","tags":[]}',
        '{"id":1,"ts":1,"text":"x","tags":"rock"}',
        '{"id":1,"ts":1,"text":"x","tags":[]} and more',
        '{"id":1,"ts":1e999,"text":"x","tags":[]}',
        json.dumps(memory(1, "x" * 100_001)),
        "[" * 100_000,
    ],
    ids=range(14),
)
def test_a_file_that_is_no_memory_is_named_and_the_others_are_taken_over(tmp_path, store, content):
    export(tmp_path, memory(5))
    bad = tmp_path / FOLDER / "bad.md"
    bad.write_bytes(content if isinstance(content, bytes) else content.encode())
    made = import_legacy(str(tmp_path), store)
    assert made.imported == 1
    assert len(made.warnings) == 1
    assert made.warnings[0].startswith(f"{bad}: not imported: ")


def test_only_regular_markdown_files_are_opened(tmp_path, store):
    export(tmp_path, memory(5))
    os.mkfifo(tmp_path / FOLDER / "pipe.md")
    (tmp_path / FOLDER / "folder.md").mkdir()
    (tmp_path / FOLDER / "notes.txt").write_text("x")
    made = import_legacy(str(tmp_path), store)
    assert (made.files, made.imported, len(made.warnings)) == (3, 1, 2)


def test_without_the_folder_no_database_is_made(tmp_path, store):
    assert import_legacy(str(tmp_path), store).files == 0
    assert not store.exists()


numbers = st.integers(1, 12)


@settings(max_examples=30)
@given(own=st.integers(0, 6), exported=st.sets(numbers), forgotten=st.sets(numbers))
def test_every_exported_text_is_there_once_and_no_memory_changed(
    tmp_path_factory, own, exported, forgotten
):
    home = tmp_path_factory.mktemp("home")
    with MemoryStore(str(home / ".pi" / "clawa-memory.sqlite")) as store:
        for number in range(own):
            store.remember(f"own {number}")
        for number in forgotten & set(contents(store)):
            store.forget(number)
        before = contents(store)
        export(home, *[memory(number) for number in exported])
        made = import_legacy(str(home), store)
        after = contents(store)
    assert before.items() <= after.items()
    new = {number: text for number, (_, text, _) in after.items() if number not in before}
    assert sorted(new.values()) == sorted(f"fact {number}" for number in exported)
    for old in exported:
        assert new[made.renumbered.get(old, old)] == f"fact {old}"
    assert not set(new) & (set(range(1, own + 1)))
