"""A damaged page: what can be read is found, what cannot is told, and `repair` mends the mirror."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

from clawa_search.errors import StoreError
from clawa_search.memory.store import MemoryStore
from indexer.analysis import query_words

COUNT = 60
PAGE_BYTES = 4096


BARE = "SELECT id, ts, text, tags FROM memories NOT INDEXED"
BY_TIME = "SELECT id, ts, text, tags FROM memories INDEXED BY memories_ts_idx ORDER BY ts"
SEQUENCE = "SELECT * FROM sqlite_sequence"


def plain(path: str, sql: str = BARE) -> list[tuple[object, ...]] | None:
    """Return what plain SQL reads; None when it cannot."""
    con = sqlite3.connect(path)
    try:
        rows: list[tuple[object, ...]] = con.execute(sql).fetchall()
    except sqlite3.DatabaseError:
        return None
    finally:
        con.close()
    return rows


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("sound") / "m.sqlite")
    with MemoryStore(path) as store:
        for number in range(COUNT):
            words = " ".join(f"w{number}x{word}" for word in range(30))
            store.remember(f"alpha fact {number} {words}", tags=["t"])
    con = sqlite3.connect(path)
    con.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    pages = con.execute("PRAGMA page_count").fetchone()[0]
    con.close()
    return path, pages


def damaged(sound: tuple[str, int], folder, page: int) -> str:
    path = str(folder / f"page{page}.sqlite")
    shutil.copy(sound[0], path)
    with open(path, "r+b") as file:
        file.seek((page - 1) * PAGE_BYTES)
        file.write(bytes(PAGE_BYTES))
    return path


def test_wherever_a_page_is_lost_memories_that_can_be_read_are_found_and_mended(sound, tmp_path):
    readable = 0
    for page in range(2, sound[1] + 1):
        path = damaged(sound, tmp_path, page)
        before = plain(path)
        if before is None or len(before) < COUNT or not plain(path, SEQUENCE):
            continue
        readable += 1
        if plain(path, BY_TIME) == before:
            with MemoryStore(path) as store:
                found = store.candidates(query_words("alpha"), limit=COUNT)
                assert len(found.rows) == COUNT, page
                assert len(store.newest(COUNT, tags=["t"])) == COUNT, page
                assert store.document_frequencies(["alpha"]) == {"alpha": COUNT}, page
                store.terms("alp", 9)
        with MemoryStore(path) as store:
            store.repair()
            assert plain(path) == before, page
            assert store.integrity() == [], page
            assert store.remember("one more")[1] == COUNT + 1, page
    assert readable > sound[1] // 2


def test_what_cannot_be_read_is_a_store_error(sound, tmp_path):
    for page in range(1, sound[1] + 1):
        path = damaged(sound, tmp_path, page)
        with MemoryStore(path) as store:
            for ask in (
                lambda: store.candidates(query_words("alpha fact")),
                lambda: store.newest(5),
                lambda: store.get(3),
                lambda: store.remember("tea"),
                lambda: store.forget(1),
                store.repair,
            ):
                try:
                    ask()
                except StoreError as error:
                    assert path in str(error)  # noqa: PT017


@pytest.mark.parametrize("sql", ["DELETE FROM memories_fts_data", "DROP TABLE memories_fts_data"])
def test_without_its_full_text_index_memories_are_found_changed_and_mended(tmp_path, sql):
    path = str(tmp_path / "m.sqlite")
    with MemoryStore(path) as store:
        store.remember("alpha fact")
    con = sqlite3.connect(path)
    con.execute(sql)
    con.commit()
    con.close()
    with MemoryStore(path) as store:
        assert store.remember("alpha again") == ("created", 2)
        found = store.candidates(query_words("alpha"))
        assert [row.id for row in found.rows] == [2, 1]
        assert "damaged" in found.notes[0]
        assert store.forget(2) == ("deleted", 2)
        store.repair()
        assert store.integrity() == []
        assert not store.candidates(query_words("alpha")).notes
