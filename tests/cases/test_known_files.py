"""What an index knows stays found, once, whatever leads to it and whatever became of the index."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from indexer.discover import Listing
from indexer.sync import sync
from tests.builders import Home, assistant, chain, header, line, lines, user, write_session

JUNK = b"{no json\n"


def place(folder: Path, name: str, *said: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(lines(header(session_id=name), *chain(*map(user, said))))
    return path


def index_flat(home: Home, folder: Path) -> None:
    """Index a folder as the bridge does: its files are known, the folder is no root."""
    listing = Listing()
    listing.walk(str(folder), flat=True)
    sync(home.recall.places.index_dir, listing)


def documents(home: Home) -> int:
    home.recall.open_catalog()
    index = home.recall.open_index()
    return index.entries if index else 0


def found(home: Home, query: str = "alpha") -> list[str]:
    answer = home.ask(query, everything=True, limit=50)
    assert answer.complete, answer.notes
    return sorted(hit.path.rpartition("/")[2] for hit in answer.hits)


def test_files_below_no_root_are_found_beside_new_ones_and_indexed_again(home):
    flat = home.user / "flat"
    path = place(flat, "x.jsonl", "alpha one")
    home.write("a.jsonl", user("alpha two"))
    index_flat(home, flat)
    home.reindex()
    home.write("new.jsonl", user("alpha three"))
    assert found(home) == ["a.jsonl", "new.jsonl", "x.jsonl"]
    with path.open("ab") as file:
        file.write(lines(*chain(user("omega four"), first=2)))
    told = home.recall.status()
    assert told["files_pending"] == 2
    home.reindex()
    assert home.recall.status()["files_pending"] == 0
    assert found(home, "omega") == ["x.jsonl"]
    assert documents(home) == 4
    assert found(home) == ["a.jsonl", "new.jsonl", "x.jsonl"]


LINKS = {
    "hard": lambda real, folder: os.link(real, folder / "b.jsonl"),
    "file": lambda real, folder: os.symlink(real, folder / "b.jsonl"),
    "folder": lambda real, folder: os.symlink(real.parent, folder / "linked"),
}
STATES = {"as it was": b"", "unreadable line": JUNK, "torn": b'{"type":"mess', "grown": None}


@pytest.mark.parametrize("how", ["reindex", "named", "flat", "recall"])
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("link", LINKS)
def test_a_session_under_two_names_is_indexed_once(home, monkeypatch, link, state, how):
    real = place(home.user / "real", "a.jsonl", "alpha one", "alpha two")
    more = STATES[state]
    if more:
        real.write_bytes(real.read_bytes() + more)
    home.reindex(real.parent)
    if more is None:
        real.write_bytes(real.read_bytes() + lines(*chain(user("alpha three"), first=9)))
    home.sessions.mkdir(parents=True)
    LINKS[link](real, home.sessions)
    if how == "reindex":
        home.reindex()
    elif how == "named":
        home.reindex(home.sessions)
    elif how == "flat":
        index_flat(home, home.sessions / "linked" if link == "folder" else home.sessions)
    else:
        monkeypatch.setattr("clawa_search.recall.AUTO_SYNC_BYTES", 0)
        home.ask("alpha", everything=True)
    home.reindex()
    assert documents(home) == (3 if more is None else 2)
    assert home.recall.status()["sessions"] == 1
    assert home.recall.status()["files_pending"] == 0


def test_a_renamed_session_keeps_its_entries_and_its_old_name_is_free(home):
    old = home.write("a.jsonl", user("alpha one"))
    home.reindex()
    new = old.rename(old.with_name("b.jsonl"))
    home.write("a.jsonl", user("alpha two"))
    home.reindex()
    assert found(home) == ["a.jsonl", "b.jsonl"]
    assert documents(home) == 2
    assert new.exists()


@pytest.fixture
def rooted(home):
    """A home with sessions of its own, below a root, named by itself, and of a flat folder."""
    home.write("a.jsonl", user("alpha own"))
    place(home.user / "extra", "b.jsonl", "alpha below another root")
    named = place(home.user / "usb", "c.jsonl", "alpha named")
    place(home.user / "flat", "d.jsonl", "alpha flat")
    home.reindex()
    home.reindex(home.user / "extra")
    home.reindex(named)
    index_flat(home, home.user / "flat")
    assert found(home) == ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"]
    return home


@pytest.mark.parametrize("first", ["recall", "reindex"])
def test_an_index_of_another_version_tells_where_sessions_are(rooted, first):
    (rooted.index / "CURRENT").write_text("gen-1 s0a0\n")
    rooted.close()
    place(rooted.user / "extra", "new.jsonl", "alpha new")
    every = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "new.jsonl"]
    if first == "recall":
        assert found(rooted) == every
    rooted.reindex()
    assert rooted.recall.status()["files_pending"] == 0
    assert found(rooted) == every
    assert documents(rooted) == 5


@pytest.mark.parametrize(("folder", "name"), [("usb", "c.jsonl"), ("flat", "d.jsonl")])
def test_what_no_root_leads_to_comes_back_with_its_folder(rooted, folder, name):
    (rooted.user / folder).rename(rooted.user / "away")
    report = rooted.reindex()
    assert report.removed == 0
    assert str(rooted.user / folder) in dict(report.notes)
    (rooted.user / "away").rename(rooted.user / folder)
    assert name in found(rooted)
    (rooted.user / folder / name).unlink()  # that it was deleted is seen where its folder is
    assert rooted.reindex().removed == 1


@pytest.mark.parametrize("part", ["catalog.sqlite", "messages"])
def test_parts_of_an_index_of_two_times_are_told_from_a_whole_one(home, part):
    home.write("a.jsonl", user("alpha one"))
    home.reindex()
    home.close()
    generation = Path(home.generation.folder)
    kept = home.user / "kept"
    (shutil.copytree if part == "messages" else shutil.copy)(generation / part, kept)
    home.write("b.jsonl", user("alpha two"))
    home.reindex()
    home.close()
    if part == "messages":
        shutil.rmtree(generation / part)
    for path in generation.glob(f"{part}*"):
        path.unlink()
    kept.rename(generation / part)
    home.reindex()
    assert documents(home) == 2
    assert found(home) == ["a.jsonl", "b.jsonl"]


def test_a_session_of_one_torn_line_stays_found_once_it_was_looked_at(home):
    said = chain(user("alpha torn"))
    home.write("a.jsonl").write_bytes(lines(header(), *said)[:-1])
    home.write("b.jsonl").write_bytes(lines(*said)[:-1])
    for _ in range(2):
        assert len(home.hits("alpha", sessions=5)[0].also) == 1
        home.reindex()


def test_a_name_that_leads_to_another_session_by_now_loses_its_entries(home):
    a = place(home.sessions, "a.jsonl", "alpha one")
    b = place(home.sessions, "b.jsonl", "alpha two", "alpha three")
    home.reindex()
    b.unlink()
    b.hardlink_to(a)
    for _ in range(2):
        home.reindex()
        assert documents(home) == 1
        assert len(found(home)) == 1
    assert home.recall.status()["sessions"] == 1


def test_a_new_session_where_another_one_was_is_what_its_name_opens(home):
    a = place(home.sessions, "a.jsonl", "alpha one")
    home.reindex()
    a.rename(home.sessions / "b.jsonl")
    home.reindex()
    place(home.sessions, "a.jsonl", "beta one")
    (hit,) = home.ask("beta", everything=True).hits
    opened = home.recall.show(hit.ref)
    assert (opened.status, opened.entry.text) == ("ok", "beta one")


def test_a_line_is_shown_though_the_index_is_damaged(home):
    path = place(home.sessions, "a.jsonl", "alpha one")
    home.reindex()
    with path.open("ab") as file:
        file.write(line(user("alpha two")))
    Path(home.generation.messages, "meta.json").unlink()
    for number, text in ((2, "alpha one"), (3, "alpha two")):
        opened = home.recall.show(f"{path}:{number}")
        assert (opened.status, opened.entry.text) == ("ok", text)


def test_a_line_is_shown_though_the_catalog_is_damaged(home):
    path = home.write("a.jsonl", user("alpha one"))
    home.reindex()
    home.close()
    Path(home.generation.catalog).write_bytes(b"no database" * 500)
    opened = home.recall.show(f"{path}:2")
    assert opened.entry is not None
    assert opened.entry.text == "alpha one"


def test_a_table_of_memories_that_was_put_aside_takes_nothing_along(home):
    home.recall.remember("alpha one")
    home.close()
    database = sqlite3.connect(home.project / ".pi/clawa-memory.sqlite")
    with database:
        sql = database.execute("SELECT sql FROM sqlite_master WHERE name = 'memories'").fetchone()
        database.execute("ALTER TABLE memories RENAME TO memories_backup")
        database.execute(sql[0])
        database.execute("INSERT INTO memories(ts, text, tags) VALUES (5, 'beta two', '[]')")
    database.close()
    home.recall.remember("beta three")
    assert {hit.excerpt for hit in home.hits("beta")} == {"beta two", "beta three"}
    assert home.hits("alpha") == []
    assert home.recall.memories.integrity() == []


def test_a_torn_line_is_no_leaf_indexed_or_not(home):
    said = chain(
        user("root"), assistant("needle side"), assistant("needle leaf", parentId="a0000001")
    )
    lost = line(chain(assistant("needle lost", parentId="a0000001"), first=9)[0])
    home.write("a.jsonl").write_bytes(lines(header(), *said) + lost[:-8] + b"\n")
    live = {3: False, 4: True}
    assert {hit.line: hit.live for hit in home.hits("needle", everything=True)} == live
    home.reindex()
    assert {hit.line: hit.live for hit in home.hits("needle", everything=True)} == live


def test_a_file_that_became_a_link_to_an_indexed_one_is_gone(home):
    first = home.write("aa.jsonl", user("banana one"))
    second = home.write("bb.jsonl", user("cherry two"), head=header(session_id="s2"))
    home.reindex()
    second.unlink()
    second.symlink_to(first)
    assert home.reindex().removed == 1
    assert home.run("status", "--json").json["sessions"] == 1


def test_a_folder_that_became_a_file_is_away_no_more(home):
    folder = home.user / "ext"
    folder.mkdir()
    write_session(folder / "a.jsonl", user("banana"))
    home.reindex(folder)
    (folder / "a.jsonl").unlink()
    folder.rmdir()
    write_session(folder, user("cherry"))
    report = home.reindex()
    assert (report.notes, report.removed) == ([], 1)
    assert [hit.path for hit in home.hits("cherry", everything=True)] == [str(folder)]


def test_a_named_file_that_was_deleted_is_no_missing_folder(home):
    path = write_session(home.user / "odd.log", user("banana"))
    home.reindex(path)
    path.unlink()
    report = home.reindex()
    assert (report.notes, report.removed) == ([], 1)


def test_a_foreign_name_in_the_index_folder_is_no_number(home):
    home.write("a.jsonl", user("banana"))
    home.reindex()
    for name in ("gen-²", "gen-x", "gen-99"):
        (home.index / name).write_text("")
    assert home.run("reindex", "--rebuild").code == 0
    assert [name.name for name in home.index.glob("gen-*")] == ["gen-2"]
