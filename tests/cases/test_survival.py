"""What becomes of the index under kills, deletions and other processes: nothing is lost, all is told."""

import os
import shutil
from pathlib import Path

import pytest

from clawa_search import recall
from clawa_search.places import Places
from clawa_search.recall import Recall
from indexer import layout, store
from indexer.discover import Listing
from indexer.errors import IndexBrokenError
from indexer.ledger import Ledger
from indexer.sync import sync
from indexer.writer import Writer, is_lost
from tests.builders import Home, assistant, call, chain, header, lines, tool, user


def folder_of(home: Home) -> Path:
    return Path(home.recall.places.index_dir)


def other(home: Home) -> Recall:
    """Another process, so to speak."""
    return Recall(Places(cwd=str(home.project), env=home.env))


def test_a_reader_that_stays_open_sees_an_index_that_was_made_anew(home):
    for number in range(4):
        path = home.write(f"{number}.jsonl", user(f"alpha {number}"))
        os.utime(path, (1_000 + number, 1_000 + number))
    home.reindex()
    assert len(home.hits("alpha")) == 4
    shutil.rmtree(folder_of(home))
    os.utime(home.sessions / "0.jsonl", (9_000, 9_000))  # ids go by time
    with other(home) as process:
        process.reindex()
    answer = home.ask("alpha")
    assert len(answer.hits) == 4
    assert (answer.complete, answer.notes) == (True, [])


@pytest.mark.parametrize("everything", [{"everything": True}, {"project": "/srv/bob"}])
def test_sessions_of_workers_are_found_whoever_made_the_index(home, everything):
    home.write("a.jsonl", user("tea"))
    worker = home.project / "workers/bob/.pi/sessions/bob.jsonl"
    worker.parent.mkdir(parents=True)
    worker.write_bytes(lines(header("/srv/bob"), *chain(user("alpha of bob"))))
    assert len(home.hits("alpha", **everything)) == 1
    listing = Listing()
    listing.walk(str(home.sessions), flat=True)
    sync(str(folder_of(home)), listing)
    assert len(home.hits("alpha", **everything)) == 1
    home.reindex()
    assert len(home.hits("alpha", **everything)) == 1
    assert home.recall.status()["sessions"] == 2
    told = home.recall.status()["sessions_dirs"]
    assert isinstance(told, list)
    assert all(root.startswith("/") for root in told)


@pytest.mark.parametrize("change", ["away", "rewritten"])
def test_what_a_lost_pass_removed_comes_back_with_its_files(home, change, monkeypatch):
    path = home.write("a.jsonl", *(user(f"alpha {number}") for number in range(5)))
    home.write("b.jsonl", user("beta"))
    home.reindex()
    kept = path.with_name("kept")
    path.rename(kept)
    if change == "rewritten":
        home.write("a.jsonl", *(user(f"gamma {number}") for number in range(9)))

    def fail(*_args: object, **_more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "save", fail)
    with pytest.raises(KeyboardInterrupt):
        home.reindex()
    monkeypatch.undo()
    kept.replace(path)
    home.reindex()
    assert len(home.hits("alpha")) == 5
    assert home.hits("gamma") == []


def test_what_a_killed_commit_left_fails_no_later_one(home):
    path = home.write("a.jsonl", *(user(f"alpha {number}") for number in range(5)))
    home.write("b.jsonl", user("beta"))
    home.reindex()
    home.recall.close()
    before = folder_of(home).with_name("before")
    shutil.copytree(folder_of(home), before)
    home.write("a.jsonl", user("alpha alone"))
    home.reindex()
    home.recall.close()
    generation = layout.current(str(folder_of(home)))
    assert generation is not None
    lost = [found for found in Path(generation.messages).iterdir() if found.suffix == ".del"]
    assert lost
    raw = {found.name: found.read_bytes() for found in lost}
    shutil.rmtree(folder_of(home))
    before.rename(folder_of(home))
    for name, content in raw.items():
        (Path(generation.messages) / name).write_bytes(content)
    home.reindex()
    assert [hit.excerpt for hit in home.hits("alpha")] == ["alpha alone"]
    assert all(check["ok"] for check in home.run("doctor", "--json").json["checks"])
    assert path.exists()


def test_only_what_no_segment_names_is_lost():
    stem = "0123456789abcdef0123456789abcdef"
    named = '"segment_id":"01234567-89ab-cdef-0123-456789abcdef"'
    meta = (
        f'{{"segments":[{{{named},"deletes":{{"num_deleted_docs":1,"opstamp":17}}}}],"opstamp":9}}'
    )
    for kind, lost in {"idx": False, "17.del": False, "170.del": True, "9.del": True}.items():
        assert is_lost(f"{stem}.{kind}", meta) == lost
    assert is_lost(f"f{stem[1:]}.idx", meta)
    for name in ("meta.json", ".managed.json", stem, "notes.txt"):
        assert not is_lost(name, meta)


def test_a_folder_that_goes_away_under_a_pass_is_told(home, monkeypatch):
    home.write("a.jsonl", user("alpha"))

    def gone(*_args: object) -> None:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(store, "remove_others", gone)
    with pytest.raises(IndexBrokenError, match="No such file"):
        home.reindex()
    assert len(home.hits("alpha")) == 1


@pytest.mark.parametrize("calls", [0, 1, 6, 40])
def test_neighbours_are_found_however_many_tool_calls_stand_between(either, calls):
    used = [one for _ in range(calls) for one in (assistant(call("bash", command="x")), tool("y"))]
    path = either.write("a.jsonl", user("the question"), *used, assistant("the alpha answer"))
    either.ready()
    (hit,) = either.hits("alpha", context=1, source="session")
    assert [said for _, _, said in hit.context] == ["the question"]
    opened = either.recall.show(f"{path}:{hit.line}", context=1)
    assert [shown.text for shown in opened.context] == ["the question"]


def test_neighbours_on_a_dead_branch_are_dead(either):
    said = chain(user("one"), assistant("two alpha"), user("three"))
    other_branch = chain(user("four"), first=9, parent="a0000001")
    path = either.write("a.jsonl", *said, *other_branch)
    either.ready()
    opened = either.recall.show(f"{path}:3", context=2)
    assert opened.entry is not None
    assert not opened.entry.live
    assert {shown.text: shown.live for shown in opened.context} == {"one": True, "three": False}


LONG = "intro words about nothing in particular " * 12


@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("budget", ["300", "500", "900", "2000"])
@pytest.mark.parametrize("asked", ["bananas", "banannas", "温室"])
def test_within_a_budget_each_excerpt_shows_what_was_found(home, form, budget, asked):
    shown = "温室" if asked == "温室" else "bananas"
    text = f"{LONG}https://example.org/a/very/long/path/{shown}/and/on 好的后来解决关于温室好后续 {LONG}"
    home.write("a.jsonl", *(user(f"{number} {text}") for number in range(6)))
    home.reindex()
    ran = home.run("recall", asked, "--max-tokens", budget, *form)
    assert ran.code == 0
    if form:
        excerpts = [hit["excerpt"] for hit in ran.json["hits"]]
    else:
        excerpts = [block for block in ran.out.split("\n\n") if ".jsonl:" in block]
    assert excerpts
    assert all(shown in excerpt for excerpt in excerpts)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_budget_drops_what_stands_around_before_what_was_found(home, form):
    said = [user(f"{number} {LONG} bananas" if number % 3 else LONG) for number in range(60)]
    home.write("a.jsonl", *said)
    home.reindex()
    words = ("recall", "bananas", "-C", "20", "-n", "5", *form)
    ran = home.run(*words, "--max-tokens", "800")
    assert ran.code == 0
    assert ran.out.count("bananas") >= 3
    assert "No matching" not in ran.out
    tiny = home.run(*words, "--max-tokens", "60")
    assert "No matching" not in tiny.out


@pytest.mark.parametrize("count", [5, 6, 30])
def test_files_that_are_no_sessions_take_no_place_among_the_recent_ones(either, count):
    either.write("a.jsonl", user("alpha"))
    os.utime(either.sessions / "a.jsonl", (1, 1))
    for number in range(count):
        (either.sessions / f"x{number}.jsonl").write_text('{"type":"progress"}\n')
    either.reindex()
    assert len(either.hits("alpha", sessions=5)) == 1


@pytest.mark.parametrize("link", ["file", "hard", "folder"])
def test_a_second_name_of_a_session_is_no_second_session(home, link):
    other_folder = home.agent / "sessions/--aaa--"
    other_folder.mkdir(parents=True)
    path = home.write("deep/a.jsonl", user("alpha"))
    home.write("b.jsonl", user("beta"))
    home.reindex()
    match link:
        case "file":
            (other_folder / "y.jsonl").symlink_to(path)
        case "hard":
            os.link(path, other_folder / "y.jsonl")
        case "folder":
            (other_folder / "linked").symlink_to(path.parent)
        case _:
            raise ValueError(link)
    for _ in range(2):
        told = home.recall.status()
        if link != "hard":  # a new name changes the status of the file itself
            assert told["files_pending"] == 0
        assert (told["sessions"], told["entries"]) == (2, 2)
        home.reindex()
    assert home.recall.status()["files_pending"] == 0
    assert len(home.hits("alpha", everything=True)) == 1


def test_an_anchor_of_a_path_that_two_files_had_is_gone_with_the_second(home):
    first = home.write("s.jsonl", user("one"), user("two"))
    home.reindex()
    first.rename(first.with_name("t.jsonl"))
    home.reindex()
    second = home.write("s.jsonl", user("three"), user("four"))
    home.reindex()
    (ref,) = {hit.ref for hit in home.hits("four", source="session") if hit.excerpt == "four"}
    second.unlink()
    home.reindex()
    assert home.recall.show(ref).status == "gone"


def test_what_killed_builds_left_is_removed(home):
    home.write("a.jsonl", user("alpha"))
    home.reindex()
    folder = folder_of(home)
    (folder / "gen-7/messages").mkdir(parents=True)
    (folder / "gen-1/snapshot.123").write_text("x")
    assert not all(check["ok"] for check in home.run("doctor", "--json").json["checks"])
    home.recall.reindex(rebuild=True)
    (left,) = [one for one in folder.iterdir() if one.is_dir()]
    assert left.name != "gen-7"
    (left / "snapshot.123").write_text("x")
    home.write("b.jsonl", user("beta"))
    home.reindex()
    assert not (left / "snapshot.123").exists()


def test_sessions_of_a_folder_that_is_no_root_are_known(home):
    elsewhere = home.user / "elsewhere"
    home.write("a.jsonl", user("tea"))
    home.reindex()
    elsewhere.mkdir()
    (elsewhere / "x.jsonl").write_bytes(lines(header(), *chain(user("alpha"))))
    listing = Listing()
    listing.walk(str(elsewhere), flat=True)
    sync(str(folder_of(home)), listing)
    for _ in range(2):
        assert [hit.path for hit in home.hits("alpha", everything=True)] == [
            str(elsewhere / "x.jsonl")
        ]
        home.reindex()


OLD = {
    "outdated": lambda folder: folder.joinpath("CURRENT").write_text("gen-1 s0a0\n"),
    "damaged": lambda folder: next(folder.glob("gen-1/messages/*.term")).write_bytes(b"\0" * 50),
}


@pytest.fixture(params=OLD)
def aged(home, monkeypatch, request):
    """A home of eight sessions, the last of them below no root, whose index is of no use."""
    for number in range(7):
        path = home.write(f"{number}.jsonl", user(f"alpha {number}"))
        os.utime(path, (1_000 + number, 1_000 + number))
    home.reindex()
    elsewhere = home.user / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.jsonl").write_bytes(lines(header(), *chain(user("alpha elsewhere"))))
    listing = Listing()
    listing.walk(str(elsewhere), flat=True)
    sync(str(folder_of(home)), listing)
    home.close()
    OLD[request.param](folder_of(home))
    monkeypatch.setattr(recall, "AUTO_SYNC_BYTES", 0)
    return home


def indexed_of(home: Home) -> int:
    home.recall.open_catalog()
    index = home.recall.open_index()
    return index.entries if index else 0


def test_a_question_of_everything_makes_an_old_index_anew_with_every_entry_once(aged):
    answer = aged.ask("alpha", everything=True)
    assert (len(answer.hits), answer.complete) == (8, True)
    assert indexed_of(aged) == 8


def test_a_question_of_five_files_waits_for_these_alone(aged):
    answer = aged.ask("alpha", sessions=5)
    assert (len(answer.hits), answer.complete) == (5, True)
    assert indexed_of(aged) < 8  # what no root leads to may be among them
    answer = aged.ask("alpha", everything=True)
    assert (len(answer.hits), answer.complete) == (8, True)
    assert indexed_of(aged) == 8


def test_a_reindex_after_a_question_of_five_files_indexes_the_rest(aged):
    aged.ask("alpha", sessions=5)
    aged.reindex()
    assert indexed_of(aged) == 8


def test_a_question_that_is_given_up_while_it_indexes_loses_nothing(home, monkeypatch):
    for number in range(6):
        home.write(f"{number}.jsonl", user(f"alpha {number}"))
    monkeypatch.setattr(recall, "AUTO_SYNC_BYTES", 0)
    monkeypatch.setattr(recall, "QUESTION_COMMIT_S", -1.0)
    commit, left = Writer.commit, iter(range(3))

    def give_up(writer: Writer) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt
        commit(writer)

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "commit", give_up)
        with pytest.raises(KeyboardInterrupt):
            home.ask("alpha", everything=True)
    home.close()
    assert indexed_of(home) == 3
    assert len(home.hits("alpha", everything=True)) == 6
    assert indexed_of(home) == 6
