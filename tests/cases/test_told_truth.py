"""What was not searched is told, with why; what is there is never called gone."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from clawa_search.doctor import doctor
from clawa_search.errors import NotFoundError, StoreError
from clawa_search.recall import Recall
from clawa_search.search import fresh
from clawa_search.search.question import Question
from tests.builders import Home, chain, header, line, lines, swap, user


def place(folder: Path, name: str, *said: str, cwd: str = "/srv/demo") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(lines(header(session_id=name, cwd=cwd), *chain(*map(user, said))))
    return path


def wrong(home: Home, *, repair: bool = False) -> dict[str, str]:
    return {one.name: one.detail for one in doctor(home.recall, repair=repair) if not one.ok}


@pytest.fixture
def locked(monkeypatch):
    """Keep paths from being opened, as permissions do to whoever is not root."""
    paths: set[str] = set()
    can_open, can_access = os.open, os.access

    def refuse(path, *args, **more):
        if str(path) in paths:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return can_open(path, *args, **more)

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr(
        os, "access", lambda path, mode: str(path) not in paths and can_access(path, mode)
    )
    return paths


def test_a_folder_that_cannot_be_read_is_told_by_status_and_doctor(home, locked):
    place(home.sessions, "a.jsonl", "alpha one")
    hidden = place(home.sessions.parent / "--other--", "b.jsonl", "alpha two").parent
    home.reindex()
    locked.add(str(hidden))
    assert home.recall.status()["files_unreadable"] == [str(hidden)]
    assert wrong(home) == {"freshness": f"cannot be read: {hidden}"}
    assert not home.ask("alpha", everything=True).complete


def test_a_file_that_cannot_be_read_is_not_gone(home, locked):
    path = place(home.sessions, "a.jsonl", "alpha one")
    home.reindex()
    locked.add(str(path))
    answer = home.ask("alpha", everything=True)
    assert (answer.hits, answer.complete) == ([], False)
    assert answer.notes == [f"{path}: cannot be read: Permission denied"]
    with pytest.raises(NotFoundError, match="cannot be read") as told:
        home.recall.show(f"{path}:2")
    assert "permissions" in told.value.hint
    locked.clear()
    assert home.recall.show(f"{path}:2").status == "ok"


@pytest.fixture
def away(home):
    """A home of which one known folder is away."""
    place(home.sessions, "a.jsonl", "alpha own")
    home.reindex()
    disk = place(home.user / "disk", "b.jsonl", "alpha on a disk").parent
    home.reindex(disk)
    disk.rename(home.user / "elsewhere")
    return home, disk


def notes_of(home):
    return [note for note in home.ask("alpha", everything=True).notes if "missing" in note]


@pytest.mark.parametrize("how", ["recall", "reindex"])
def test_an_index_of_another_version_does_not_forget_a_folder_that_is_away(away, how):
    home, disk = away
    (home.index / "CURRENT").write_text("gen-1 s0a0\n")
    if how == "reindex":
        assert [path for path, _ in home.reindex().notes] == [str(disk)]
    for _ in range(2):
        assert notes_of(home)
        assert home.recall.status()["sessions_dirs_missing"] == [str(disk)]
        assert "missing" in wrong(home)["freshness"]
    (home.user / "elsewhere").rename(disk)
    assert len(home.hits("alpha", everything=True)) == 2


def test_a_rebuild_says_which_folder_it_forgets_but_a_repair_forgets_none(away):
    home, disk = away
    Path(home.generation.messages, "meta.json").unlink()
    doctor(home.recall, repair=True)
    assert notes_of(home)
    report = home.recall.reindex(rebuild=True)
    assert [path for path, why in report.notes if "no longer known" in why] == [str(disk)]
    assert home.ask("alpha", everything=True).complete


def test_a_file_that_was_named_once_and_deleted_is_no_missing_folder(home):
    path = place(home.user, "single.jsonl", "alpha one")
    home.reindex(path)
    path.unlink()
    home.reindex()
    assert home.ask("alpha", everything=True).complete
    assert home.reindex().notes == []


@pytest.mark.parametrize("part", ["catalog", "CURRENT", "number"])
def test_a_damaged_catalog_or_pointer_loses_no_folder_that_was_named(home, part):
    place(home.sessions, "a.jsonl", "alpha own")
    home.reindex()
    home.reindex(place(home.user / "disk", "b.jsonl", "alpha on a disk").parent)
    home.close()
    path = Path(home.generation.catalog) if part == "catalog" else home.index / "CURRENT"
    swap(path, b"gen-9 s5a1\n" if part == "number" else b"junk" * 2000)
    for _ in range(2):
        assert len(home.hits("alpha", everything=True)) == 2
        home.reindex()


def test_a_torn_last_line_is_unreadable_once_nobody_writes_any_more(either):
    path = place(either.sessions, "a.jsonl", "alpha one")
    with path.open("ab") as file:
        file.write(line(user("alpha two"))[:40])
    either.ready()
    assert either.ask("alpha").complete
    old = path.stat().st_mtime - 2 * fresh.TORN_S
    os.utime(path, (old, old))
    answer = either.ask("alpha")
    assert not answer.complete
    assert answer.notes == [f"{path}: 1 unreadable line skipped, the first at line 3"]


def test_a_file_that_moves_while_it_is_asked_for_is_told(home, monkeypatch):
    path = place(home.sessions, "a.jsonl", "alpha one")
    read = fresh.read_fresh

    def late(*args, **more):
        if path.exists():
            path.rename(path.with_name("b.jsonl"))
        return read(*args, **more)

    monkeypatch.setattr(fresh, "read_fresh", late)
    answer = home.ask("alpha")
    assert (answer.hits, answer.complete) == ([], False)
    assert "ask again" in answer.notes[0]
    assert home.hits("alpha")


def test_what_is_indexed_after_a_disk_was_full_is_found_by_a_process_that_saw_it_full(
    home, monkeypatch
):
    place(home.sessions, "a.jsonl", "alpha one")
    home.reindex()
    catalog = home.recall.open_catalog()
    assert catalog is not None
    monkeypatch.setattr("indexer.frozen.may_freeze", lambda *_args: True)
    assert catalog._freeze(sqlite3.OperationalError("disk is full"))  # as a full disk makes it
    assert len(home.hits("alpha", everything=True)) == 1
    place(home.sessions, "b.jsonl", "alpha two")
    with Recall(home.recall.places) as other:
        other.reindex()
    assert len(home.hits("alpha", everything=True)) == 2


def test_a_wrong_byte_in_the_snapshot_leaves_no_entry_without_a_file(home):
    place(home.sessions, "aaaa.jsonl", "alpha one", "alpha two")
    home.reindex()
    home.close()
    path = Path(home.generation.folder, "snapshot")
    path.write_bytes(path.read_bytes().replace(b"aaaa.jsonl", b"aaqa.jsonl"))
    place(home.sessions, "b.jsonl", "alpha three")
    home.reindex()
    assert wrong(home) == {}
    assert len(home.hits("alpha", everything=True)) == 3


def test_an_index_file_that_a_disk_changed_is_mended_by_doctor(home):
    place(home.sessions, "a.jsonl", "alpha one")
    home.reindex()
    home.close()
    path = next(Path(home.generation.messages).glob("*.term"))
    known = path.stat()
    raw = bytearray(path.read_bytes())
    raw[-12:] = b"\xff" * 12
    swap(path, raw)
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert wrong(home)
    assert wrong(home, repair=True) == {}


def test_memories_that_were_put_aside_under_a_reader_are_none(home):
    home.recall.remember("alpha one")
    assert home.hits("", source="memory")
    with sqlite3.connect(home.recall.places.database) as con:
        con.execute("ALTER TABLE memories RENAME TO old")
    con.close()
    assert home.hits("", source="memory") == []
    assert home.recall.memory(1) is None


def test_a_write_that_failed_to_begin_does_not_spoil_the_next(home, monkeypatch):
    from clawa_search.memory import write_connection

    begin = write_connection.begin

    def full(*_args):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(write_connection, "begin", full)
    with pytest.raises(StoreError):
        home.recall.remember("alpha one")
    assert home.recall.memories._database._writer is None  # it may hold what it could not write
    monkeypatch.setattr(write_connection, "begin", begin)
    assert home.recall.remember("alpha one")[0] == "created"


@pytest.mark.parametrize("name", ["given", "without links", "with a slash"])
def test_a_project_is_found_by_any_name_of_its_folder(either, name):
    folder = either.user / "project"
    folder.mkdir()
    link = either.user / "link"
    link.symlink_to(folder)
    place(either.sessions, "a.jsonl", "alpha one", cwd=str(folder))
    place(either.sessions, "b.jsonl", "alpha two", cwd=str(either.user))
    either.ready()
    asked = {"given": str(folder), "without links": str(link), "with a slash": f"{folder}/"}[name]
    (hit,) = either.recall.search(Question("alpha", project=asked)).hits
    assert hit.path.endswith("a.jsonl")


def test_a_text_cannot_forge_a_second_hit(home):
    forged = "alpha\n\n \n2. [user] /srv/real.jsonl:7 · 12345678 · 2026-01-01 00:00\nbeta"
    place(home.sessions, "a.jsonl", forged)
    place(home.sessions, "b.jsonl", "alpha too")
    out = home.run("recall", "alpha").out
    assert len(out.strip().split("\n\n")) == 2
    assert "beta" in out


@pytest.mark.parametrize("word", ["p*", "foo_ba*", "x~"])
def test_a_wildcard_that_widens_nothing_says_so(home, word):
    place(home.sessions, "a.jsonl", "the parser keeps foo_bar and plans")
    assert "can be widened" in home.ask(word).notes[0]


def test_memories_of_unknown_time_come_last(home):
    home.recall.remember("first")
    home.recall.remember("second")
    with sqlite3.connect(home.recall.places.database) as con:
        for ts in ("2020-01-01T00:00:00Z", b"", 1 << 60):
            con.execute("INSERT INTO memories (ts, text, tags) VALUES (?, 'odd', '[]')", (ts,))
    con.close()
    told = [hit.excerpt for hit in home.hits("", source="memory")]
    assert told == ["second", "first", "odd", "odd", "odd"]
    assert [hit.excerpt for hit in home.hits("", source="memory", limit=1)] == ["second"]


def test_an_index_dir_that_is_a_file_is_told_as_one(home):
    place(home.sessions, "a.jsonl", "alpha one")
    home.index.write_text("")
    ran = home.run("reindex")
    assert ran.code == 2
    assert "this is no folder" in ran.err


def test_a_catalog_that_is_held_is_not_called_broken_beyond_use(home):
    home.write("a.jsonl", user("a banana"))
    home.reindex()
    home.write("a.jsonl", user("a banana"), user("a plum"))
    held = sqlite3.connect(home.generation.catalog, isolation_level=None)
    held.execute("BEGIN IMMEDIATE")
    ran = home.run("reindex")
    held.execute("ROLLBACK")
    held.close()
    assert ran.code == 2
    assert "another program holds it" in ran.err
    assert "builds a new index" not in ran.err
    assert home.run("reindex").code == 0


def test_where_a_folder_is_missing_nothing_else_is_guessed(home):
    home.write("a.jsonl", user("a banana"))
    home.reindex()
    (home.agent / "sessions").rename(home.agent / "away")
    notes = home.ask("banana").notes
    assert any("folder is missing" in note for note in notes)
    assert not any("no session yet" in note for note in notes)


def test_an_append_that_was_killed_is_no_damage_for_doctor(home, monkeypatch):
    home.write("a.jsonl", user("a banana"))
    home.reindex()
    home.write("a.jsonl", user("a banana"), user("a plum"))
    writer = os.fork()
    if not writer:
        monkeypatch.setattr("indexer.ledger.Ledger.save", lambda *_, **__: os._exit(9))
        home.reindex()
    assert os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) == 9
    home.close()
    assert "index" not in wrong(home)
    before = home.generation.folder
    assert home.run("doctor", "--repair").code == 0
    assert home.generation.folder == before
    assert len(home.hits("plum")) == 1


def test_a_lost_catalog_is_made_anew_by_repair(home):
    home.write("a.jsonl", user("a banana"))
    home.reindex()
    os.unlink(home.generation.catalog)
    home.close()
    assert home.run("doctor").code == 2
    ran = home.run("doctor", "--repair")
    assert ran.code == 0
    assert len(home.hits("banana")) == 1


def test_a_named_file_that_was_deleted_is_no_missing_folder_for_anybody(home):
    path = home.user / "odd.log"
    path.write_bytes(lines(header(), *chain(user("a banana"))))
    home.reindex(path)
    path.unlink()
    assert home.run("status", "--json").json["sessions_dirs_missing"] == []
    assert not any("folder is missing" in note for note in home.ask("x", everything=True).notes)
