"""Which files are sessions, and what becomes of those that go, move or multiply."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.builders import (
    assistant,
    chain,
    entry,
    header,
    lines,
    user,
    write_session,
)

AS_ORDINARY_USER = """
import ctypes, os, runpy, sys
if os.getuid() == 0:
    # Give up what lets root read everything: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.capget(head, held) == 0
    held[0] &= ~6
    held[1] &= ~6
    assert libc.capset(head, held) == 0
sys.argv[0] = "clawa-search"
runpy.run_module("clawa_search", run_name="__main__", alter_sys=True)
"""


def run_as_ordinary_user(home, *argv):
    return home.finish(home.start(*argv, program=("-c", AS_ORDINARY_USER)))


def unreadable(folder):
    """Put everything that cannot be read as a session into *folder*; return what must be named."""
    (folder / "secret.jsonl").write_bytes(lines(header()))
    (folder / "secret.jsonl").chmod(0)
    (folder / "dir.jsonl").mkdir()
    (folder / "gone.jsonl").symlink_to("nowhere-at-all")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    os.mkfifo(folder / "fifo.jsonl")
    os.mknod(folder / "sock.jsonl", stat.S_IFSOCK | 0o600)
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0)
    (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    names = ["secret.jsonl", "dir.jsonl", "gone.jsonl", "loop.jsonl"]  # a FIFO is only passed by
    return [str(folder / name) for name in names]


@pytest.mark.parametrize("indexed", [False, True])
def test_what_cannot_be_read_is_named_once_and_hides_nothing(home, indexed):
    home.write("a.jsonl", user("sentinelgood"))
    paths = unreadable(home.sessions)
    if indexed:
        ran = run_as_ordinary_user(home, "reindex")
        assert (ran.code, [ran.err.count(f"{path}:") for path in paths]) == (0, [1] * len(paths))
        assert f"{home.sessions / 'closed'}:" in ran.err
    for _ in range(2):
        ran = run_as_ordinary_user(home, "recall", "sentinelgood", "--sessions", "all")
        assert ran.code == 0
        assert "sentinelgood" in ran.out
        assert [ran.err.count(f"{path}:") for path in paths] == [1] * len(paths)
    ran = run_as_ordinary_user(home, "recall", "sentinelgood", "--all", "--json")
    assert ran.json["complete"] is False
    assert f"{home.sessions / 'closed'}" in str(ran.json["notes"])


def test_a_file_that_becomes_readable_is_found(home):
    path = home.write("a.jsonl", user("sentinelgood"))
    path.chmod(0)
    assert run_as_ordinary_user(home, "reindex").code == 0
    assert run_as_ordinary_user(home, "recall", "sentinelgood").code == 1
    path.chmod(0o644)
    assert run_as_ordinary_user(home, "recall", "sentinelgood").code == 0
    assert run_as_ordinary_user(home, "reindex", "--json").json["files"]["indexed"] == 1
    assert run_as_ordinary_user(home, "recall", "sentinelgood").code == 0


def test_a_file_that_becomes_unreadable_stays_indexed_and_that_is_told(home):
    path = home.write("a.jsonl", user("sentinelgood"))
    assert run_as_ordinary_user(home, "reindex").code == 0
    path.chmod(0)
    ran = run_as_ordinary_user(home, "reindex", "--json")
    assert ran.json["files"]["failed"] == 1
    assert f"{path}: cannot be read" in str(ran.json["notes"])
    path.chmod(0o644)
    assert run_as_ordinary_user(home, "recall", "sentinelgood").code == 0


@pytest.mark.parametrize("step", ["recall", "reindex"])
def test_a_file_that_vanishes_between_listing_and_reading_is_no_failure(home, monkeypatch, step):
    for number in range(20):
        home.write(f"{number}.jsonl", user(f"sentinelgood number{number}q"))
    listed, real = home.recall.places.current_sessions, os.open

    def opening(path, *rest, **more):
        if str(path).endswith(("/7.jsonl", "/13.jsonl")):
            Path(path).unlink(missing_ok=True)
        return real(path, *rest, **more)

    assert len(listed().files) == 20
    monkeypatch.setattr(os, "open", opening)
    if step == "reindex":
        report = home.reindex()
        assert (report.indexed, report.failed) == (18, 0)
    assert len(home.found("sentinelgood", limit=100)) == 18
    assert home.found("number7q") == []


OTHERS = {
    "no header": b'{"type":"run","id":"x","text":"otherword"}\n',
    "trajectory": b'{"type":"session.started","id":"x","timestamp":"2026-01-02T03:04:06.000Z"}\n'
    b'{"type":"message","text":"otherword"}\n',
    "other json": b'{"a":1,"b":"otherword"}\n',
    "empty": b"",
    "blank": b"\n \n\n",
    "text": b"otherword is no json\n" * 50,
    "header without id": b'{"type":"session","cwd":"/x"}\n' + lines(*chain(user("otherword"))),
    "a list first": b"[1]\n" + lines(header(), *chain(user("otherword"))),
    "claude": b'{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"otherword"}}\n',
    "codex": b'{"timestamp":"2026-01-02T03:04:06.000Z","type":"session_meta","payload":{"id":"otherword"}}\n',
    "binary": os.urandom(3000).replace(b"{", b"x"),
}


def test_other_jsonl_files_are_skipped_silently(either):
    for name, raw in OTHERS.items():
        either.write(f"{name}.jsonl").write_bytes(raw)
    (either.sessions / "x.jsonl.bak").write_bytes(lines(header(), *chain(user("otherword"))))
    either.write("a.jsonl", user("sentinelgood"))
    nested = either.sessions / "a/379edd52/run-0/session.jsonl"
    write_session(nested, user("sentinelnested"), head=header("/srv/sub", "s9"))
    if either.indexed:
        report = either.reindex()
        assert (report.indexed, report.not_sessions, report.failed) == (2, len(OTHERS), 0)
        assert report.notes == []
    ran = either.run("recall", "otherword", "sentinelgood", "--sessions", "all")
    assert (ran.code, ran.err) == (0, "")
    assert "otherword" not in ran.out
    (hit,) = either.found("sentinelnested", everything=True)
    assert (hit.path, hit.project, hit.session_id) == (str(nested), "/srv/sub", "s9")


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_becomes_a_session_is_found(either, name):
    path = either.write("a.jsonl")
    path.write_bytes(OTHERS[name])
    either.ready()
    assert either.hits("otherword") == []
    path.write_bytes(lines(header(), *chain(user("sentinelgood"))))
    either.ready()
    assert len(either.found("sentinelgood")) == 1


CWDS = ["/srv/my-app", "/srv/my/app", "/srv/Gr\xf6\xdfe test/\u9879\u76ee \u03b1", "/srv/a.b/%41 ?#*'\"", "/srv/my"]  # fmt: skip


def test_the_project_is_the_cwd_of_the_header(either):
    for number, cwd in enumerate(CWDS):
        path = either.sessions.parent / "--srv-my-app--" / f"{number}.jsonl"
        write_session(path, user(f"sentinelproject w{number}"), head=header(cwd, f"s{number}"))
    either.ready()
    assert len(either.found("sentinelproject", everything=True)) == len(CWDS)
    for number, cwd in enumerate(CWDS[:-1]):
        (hit,) = either.found("sentinelproject", project=cwd)
        assert (hit.project, hit.session_id) == (cwd, f"s{number}")
        ran = either.run("recall", "sentinelproject", "--project", cwd, "--json")
        assert [hit["project"] for hit in ran.json["hits"]] == [cwd]
    assert {hit.project for hit in either.found("sentinelproject", project="/srv/my")} == {
        "/srv/my", "/srv/my/app",
    }  # fmt: skip


def test_links_are_followed_once(either):
    path = either.write("a.jsonl", user("sentinelgood"))
    (either.sessions / "again.jsonl").symlink_to(path)
    (either.sessions / "hard.jsonl").hardlink_to(path)
    (either.sessions / "up").symlink_to(either.sessions)
    (either.sessions.parent / "--other--").symlink_to(either.sessions)
    either.ready()
    for everything in (False, True):
        (hit,) = either.found("sentinelgood", everything=everything)
        assert hit.copies == 1


SHARED = [user("forkshared one"), assistant("forkshared two"), user("forkshared three")]


def test_what_forks_repeat_is_one_hit_with_its_copies(either):
    parent = either.write("2026-01-02.jsonl", *SHARED)
    fork_head = header(id="f1", parentSession=str(parent)) | {"timestamp": "2026-01-03T00:00:00Z"}
    either.write("2026-01-03.jsonl", *SHARED, assistant("forkown text"), head=fork_head)
    clone_head = header(id="k1", parentSession="/gone/away.jsonl")
    either.write("2026-01-04.jsonl", *SHARED[:2], head=clone_head | {"timestamp": "2026-01-04T00:00:00Z"})  # fmt: skip
    either.ready()
    hits = {hit.excerpt: hit for hit in either.found("forkshared")}
    assert {text[11:]: hit.copies for text, hit in hits.items()} == {"one": 3, "two": 3, "three": 2}
    for text, hit in hits.items():
        assert (hit.path, len(hit.also)) == (str(parent), hit.copies - 1), text
    (own,) = either.found("forkown")
    assert (own.copies, own.session_id, own.line) == (1, "f1", 5)
    ran = either.run("recall", "forkshared one")
    assert ran.out.count("forkshared one") == 1
    assert "3 copies" in ran.out


def test_many_copies_of_one_entry_hide_no_other(either):
    """An answer looks at a bounded number of copies; the other hits must not pay for it."""
    either.write("a.jsonl", *[user("please continue") for _ in range(400)])
    either.write("b.jsonl", *[user(f"continue with step{n}") for n in range(60)])
    for number in range(8):
        either.write(f"c{number}.jsonl", *[user(f"continue with step{n}") for n in range(60)])
    either.ready()
    found = either.found("continue", limit=100)
    assert len(found) == 61
    assert sorted({hit.copies for hit in found}) == [9, 400]


def test_a_deleted_session_is_not_found_and_leaves_nothing_behind(either):
    path = either.write("a.jsonl", user("sentineldeleted xyzzyplugh"))
    either.write("b.jsonl", user("sentinelkept"))
    either.reindex()
    assert len(either.found("sentineldeleted")) == 1
    path.unlink()
    for everything in (False, True):
        assert either.found("sentineldeleted", everything=everything) == []
    if either.indexed:
        either.recall.reindex(rebuild=True)
        raw = b"".join(f.read_bytes() for f in either.index.rglob("*") if f.is_file())
        assert b"xyzzyplugh" not in raw
        assert b"xyzzyplugh"[:6] not in raw
    assert either.found("sentineldeleted", everything=True) == []
    assert len(either.found("sentinelkept")) == 1


def test_a_missing_root_is_not_taken_as_everything_deleted(home):
    home.write("a.jsonl", user("sentinelunmounted"))
    other = write_session(home.user / "drive/sub/b.jsonl", user("sentineldrive"))
    home.reindex()
    home.reindex(home.user / "drive")
    entries = home.recall.status()["entries"]
    shutil.move(home.user / "drive", home.user / "away")
    shutil.move(home.agent / "sessions", home.user / "sessions")
    ran = home.run("reindex", "--json")
    assert ran.json["files"]["removed"] == 0
    assert str(home.user / "drive") in str(ran.json["notes"])
    assert home.recall.status()["entries"] == entries
    ran = home.run("recall", "sentineldrive", "--all", "--json")
    assert ran.json["complete"] is False
    assert str(home.user / "drive") in str(ran.json["notes"])
    shutil.move(home.user / "away", home.user / "drive")
    shutil.move(home.user / "sessions", home.agent / "sessions")
    assert [hit.path for hit in home.found("sentineldrive", everything=True)] == [str(other)]
    assert home.run("reindex", "--json").json["files"]["indexed"] == 0


def test_a_moved_file_is_found_where_it_is_and_opens_by_its_old_name(either):
    path = either.write("a.jsonl", user("sentinelmoved"))
    either.reindex()
    (hit,) = either.found("sentinelmoved")
    path.rename(path.with_name("b.jsonl"))
    either.ready()
    (moved,) = either.found("sentinelmoved")
    assert moved.path == str(path.with_name("b.jsonl"))
    opened = either.recall.show(hit.ref)
    assert (opened.status, opened.entry.ref) == ("relocated", moved.ref)


def test_names_that_differ_in_one_sign_are_two_files(either):
    names = [
        "a_b.jsonl",
        "a-b.jsonl",
        "A_B.jsonl",
        "a b.jsonl",
        "a%5Fb.jsonl",
        "a:1.jsonl",
        "a\nb.jsonl",
    ]
    for number, name in enumerate(names):
        either.write(name, user(f"sentinelname w{number}"))
    either.ready()
    found = either.found("sentinelname")
    assert sorted(Path(hit.path).name for hit in found) == sorted(names)
    for hit in found:
        assert either.recall.show(hit.ref).status == "ok"


def test_a_session_without_its_header_is_indexed(either):
    path = either.write("a.jsonl")
    path.write_bytes(lines(*chain(entry("model_change", provider="p"), user("sentinelheadless"))))
    either.ready()
    (hit,) = either.found("sentinelheadless")
    assert (hit.line, hit.session_id) == (2, "")


def test_many_copies_among_the_newest_hide_no_other(either):
    said = [user("say it again") for _ in range(50)]
    either.write("a.jsonl", *(user(f"newest step{n}") for n in range(12)), *said)
    either.ready()
    found = either.hits("", limit=10)
    assert [hit.excerpt for hit in found[:2]] == ["say it again", "newest step11"]
    assert len({hit.excerpt for hit in found}) == 10


def test_a_hit_has_the_time_of_the_entry_that_it_names(either):
    early, late = "2026-01-02T00:00:00.000Z", "2026-03-04T00:00:00.000Z"
    either.write("a.jsonl", user("repeated words", timestamp=early))
    later = header(id="s2") | {"timestamp": late}
    two = either.write("b.jsonl", user("x"), user("repeated words", timestamp=late), head=later)
    either.ready()
    (hit,) = either.found("repeated words")
    assert (hit.line, hit.ts_ms, hit.copies) == (2, 1_767_312_000_000, 2)
    (hit,) = either.found("repeated words", since_ms=1_770_000_000_000)
    assert (hit.ref, hit.ts_ms) == (f"{two}:3", 1_772_582_400_000)


def test_a_named_file_that_is_no_session_is_told(either):
    path = either.write("notes.jsonl")
    path.write_text("sentinelnotes\n")
    either.write("a.jsonl", user("sentinelnotes"))
    either.ready()
    ran = either.run("recall", "sentinelnotes", "--session-file", str(path))
    assert (ran.code, ran.err) == (1, f"clawa-search: {path}: is not a session file\n")
    assert either.run("recall", "sentinelnotes", "--session-file", str(path.parent)).err == ""


def test_a_log_that_grows_beside_the_sessions_is_not_read_again_and_again(either):
    path = either.write("run.jsonl")
    path.write_bytes(b'{"type":"run"}\n' + b"x" * 9_000_000)
    either.write("a.jsonl", user("sentinelgood"))
    either.reindex()
    with path.open("ab") as file:
        file.write(b"x" * 9_000_000)
    written = [f.stat().st_mtime_ns for f in either.index.rglob("meta.json")]
    assert len(either.found("sentinelgood")) == 1
    assert [f.stat().st_mtime_ns for f in either.index.rglob("meta.json")] == written
