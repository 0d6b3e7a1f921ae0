"""doctor: each kind of damage is found, told, and mended."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from clawa_search import main
from clawa_search.doctor import doctor
from clawa_search.memory import care
from indexer import checkup, layout, store
from tests.builders import swap, user


def wrong(home, *, repair=False):
    """Return what is wrong by name."""
    checks = doctor(home.recall, repair=repair)
    assert [check.name for check in checks] == [
        "permissions", "memories", "index", "entries", "leftovers", "freshness",
    ]  # fmt: skip
    assert all(check.repair for check in checks if not check.ok)
    return {check.name: check.detail for check in checks if not check.ok}


@pytest.fixture
def sound(home):
    home.recall.remember("tea at five", tags=["human"])
    home.recall.remember("milk first")
    home.reindex()
    home.close()
    assert wrong(home) == {}
    return home


def files_of(home, *endings):
    generation = home.generation
    return [
        f"{generation.messages}/{name}"
        for name in checkup.segment_files(generation.messages)
        if name.endswith(endings)
    ]


def test_nothing_at_all_is_well(tmp_path, home):
    shutil.rmtree(home.sessions)
    assert wrong(home) == {}


@pytest.mark.parametrize("ending", [".term", ".idx", ".pos", ".store", ".fast", ".fieldnorm"])
def test_a_flipped_bit_is_found_and_a_new_index_made(sound, ending):
    (path,) = files_of(sound, ending)
    raw = bytearray(Path(path).read_bytes())
    raw[len(raw) // 8] ^= 4
    sound.close()
    swap(Path(path), raw)
    assert "is damaged" in wrong(sound)["index"] or "cannot" in wrong(sound)["index"]
    assert wrong(sound, repair=True) == {}
    assert sound.hits("fan relay")


def test_a_lost_segment_is_found_and_a_new_index_made(sound):
    for path in files_of(sound, ""):
        os.unlink(path)
    sound.close()
    assert "index" in wrong(sound)
    assert wrong(sound, repair=True) == {}


def test_entries_that_the_catalog_does_not_count_are_found(sound):
    generation = layout.current(str(sound.index))
    assert generation is not None
    with sqlite3.connect(generation.catalog) as catalog:
        catalog.execute("DELETE FROM files WHERE path LIKE '%fan%'")
    catalog.close()
    sound.close()
    assert "entries in the index" in wrong(sound)["index"]
    assert wrong(sound, repair=True) == {}


def test_a_catalog_that_is_none_is_found(sound):
    generation = layout.current(str(sound.index))
    assert generation is not None
    sound.close()
    with open(generation.catalog, "r+b") as file:
        file.write(b"junk" * 100)
    assert "index" in wrong(sound)
    assert wrong(sound, repair=True) == {}


def test_an_index_of_another_version_is_told(sound):
    sound.close()
    current = sound.index / "CURRENT"
    current.write_text(current.read_text().split()[0] + " s0a0\n")
    assert "of version s0a0" in wrong(sound)["index"]
    assert wrong(sound, repair=True) == {}


def test_a_mirror_that_is_out_of_step_is_found_and_made_anew_after_a_copy(sound):
    with sqlite3.connect(sound.project / ".pi/clawa-memory.sqlite") as database:
        database.execute("DELETE FROM memories_index WHERE id = 1")
    database.close()
    sound.close()
    assert "memories" in wrong(sound)
    assert wrong(sound, repair=True) == {}
    assert [hit.ref for hit in sound.hits("tea", source="memory")] == ["mem:1"]
    (copy,) = (sound.project / ".pi").glob("clawa-memory.sqlite.backup-*Z")
    with sqlite3.connect(copy) as database:
        assert database.execute("SELECT count(*) FROM memories").fetchone() == (2,)
    database.close()


def test_memories_that_are_no_database_are_told_and_left_alone(sound):
    path = sound.project / ".pi/clawa-memory.sqlite"
    sound.close()
    path.write_bytes(b"this is not a database" * 100)
    (memories,) = [check for check in doctor(sound.recall, repair=True) if not check.ok]
    assert "not an SQLite database" in memories.detail
    assert memories.repair.startswith("move the file away")
    assert path.read_bytes() == b"this is not a database" * 100


def test_files_that_others_can_read_are_found_and_closed(sound):
    database = sound.project / ".pi/clawa-memory.sqlite"
    sound.close()
    database.chmod(0o644)
    sound.index.chmod(0o755)
    told = wrong(sound)
    assert str(database) in told["permissions"]
    assert str(sound.index) in told["permissions"]
    assert wrong(sound, repair=True) == {}
    assert [path.stat().st_mode & 0o777 for path in (database, sound.index)] == [0o600, 0o700]


def test_a_folder_of_sessions_that_is_away_is_told(sound):
    sound.sessions.parent.parent.rename(sound.user / "away")
    told = wrong(sound)
    assert "missing; what was indexed from there is not searched" in told["freshness"]
    assert str(sound.sessions.parent) in told["freshness"]
    assert wrong(sound, repair=True).keys() == {"freshness"}


def test_a_file_that_cannot_be_read_is_named(sound, monkeypatch):
    path = sound.write("locked.jsonl", user("locked"))
    can_read = os.access
    monkeypatch.setattr(
        os, "access", lambda name, mode: str(name) != str(path) and can_read(name, mode)
    )
    assert wrong(sound)["freshness"] == f"cannot be read: {path}"


def test_more_damage_than_repair_mends_is_told_with_what_helps(sound, monkeypatch):
    def damaged(_database):
        raise sqlite_error

    sqlite_error = sqlite3.DatabaseError("malformed")
    sqlite_error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(care, "problems", lambda _: ["row 5 missing"])
    monkeypatch.setattr(care, "_build_anew", damaged)
    (check,) = [one for one in doctor(sound.recall, repair=True) if not one.ok]
    assert "more than its mirror is damaged" in check.detail
    assert "move it away" in check.repair


def test_a_stale_index_is_found_with_its_lag_and_caught_up(sound):
    sound.write("late.jsonl", user("late news", timestamp="2026-06-03T09:00:00.000Z"))
    assert wrong(sound)["freshness"].startswith("1 files wait (")
    assert "s behind" in wrong(sound)["freshness"]
    assert wrong(sound, repair=True) == {}


def test_what_a_killed_writer_left_is_found_and_removed(sound):
    generation = layout.current(str(sound.index))
    assert generation is not None
    (sound.index / "gen-77").mkdir()
    (sound.index / "CURRENT.4242").write_text("")
    Path(generation.messages, ".tmpXyZ").touch()
    assert "gen-77" in wrong(sound)["leftovers"]
    assert wrong(sound, repair=True) == {}
    assert not (sound.index / "gen-77").exists()


def test_while_another_process_writes_nothing_is_called_a_leftover(sound):
    (sound.index / "gen-77").mkdir()
    with store.WriterLock(str(sound.index)):
        assert "leftovers" not in wrong(sound)


def test_a_word_that_the_index_lacks_is_found(sound, monkeypatch):
    from indexer import analysis

    monkeypatch.setattr(analysis, "text_tokens", lambda text: ["unheard"])
    assert "'unheard' is not in the index" in wrong(sound)["entries"]


def test_a_busy_index_is_told_when_it_cannot_be_repaired(sound):
    (path,) = files_of(sound, ".pos")
    os.unlink(path)
    with store.WriterLock(str(sound.index)):
        assert "another process is indexing" in wrong(sound, repair=True)["index"]


def test_the_exit_code_is_0_only_if_all_is_well(sound, monkeypatch, capfdbinary):
    for name, value in sound.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(sound.project)
    assert main.run(["doctor"]) == 0
    assert capfdbinary.readouterr().out.count(b"ok  ") == 6
    sound.index.chmod(0o755)
    assert main.run(["doctor"]) == 2
    assert b"WRONG  permissions: open to others" in capfdbinary.readouterr().out
    assert main.run(["doctor", "--repair", "--json"]) == 0
