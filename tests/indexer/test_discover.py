"""Which files are found: each once, nothing opened, nothing followed for ever."""

import os
import socket
import stat

import pytest

from indexer.discover import Listing, newest
from indexer.status import told
from tests.indexer.lab import session

AS_ROOT = os.geteuid() == 0


def found(*roots, flat=False):
    listing = Listing()
    for root in roots:
        listing.walk(str(root), flat=flat)
    return listing


def names(listing):
    return sorted(os.path.basename(file.path) for file in listing.files)


def make(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(session("x"))
    return path


def test_sessions_are_found_in_folders_of_folders(tmp_path):
    make(tmp_path / "--home--/2026_a.jsonl")
    make(tmp_path / "--home--/2026_a/3f2a9c11/run-0/session.jsonl")
    make(tmp_path / "flat.jsonl")
    make(tmp_path / "notes.txt")
    make(tmp_path / "node_modules/x/data.jsonl")
    assert names(found(tmp_path)) == ["2026_a.jsonl", "flat.jsonl", "session.jsonl"]
    assert names(found(tmp_path, flat=True)) == ["flat.jsonl"]


def test_a_folder_seen_flat_is_walked_when_asked_for_whole(tmp_path):
    make(tmp_path / "one/a.jsonl")
    make(tmp_path / "b.jsonl")
    listing = found(tmp_path, flat=True)
    listing.walk(str(tmp_path))
    assert names(listing) == ["a.jsonl", "b.jsonl"]
    assert listing.roots == [str(tmp_path)]


def test_each_file_is_found_once_however_many_links_lead_to_it(tmp_path):
    real = make(tmp_path / "real/a.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "real/loop").symlink_to(tmp_path)
    (tmp_path / "real/self.jsonl").symlink_to(real)
    os.link(real, tmp_path / "hard.jsonl")
    (tmp_path / "ring1.jsonl").symlink_to(tmp_path / "ring2.jsonl")
    (tmp_path / "ring2.jsonl").symlink_to(tmp_path / "ring1.jsonl")
    listing = found(tmp_path, tmp_path / "link")
    assert len(listing.files) == 1
    assert len(listing.notes) == 2


def test_what_did_not_change_is_found_once_however_often_it_was_indexed(tmp_path):
    real = make(tmp_path / "a.jsonl")
    os.link(real, tmp_path / "b.jsonl")
    status = told(real.stat())
    listing = Listing({str(real): status, str(tmp_path / "b.jsonl"): status})
    listing.walk(str(tmp_path), flat=True)
    listing.walk(str(tmp_path))
    listing.drop_links()
    assert (len(listing.unchanged), listing.files) == (1, [])


def test_what_is_no_file_is_never_opened(tmp_path):
    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "null.jsonl").symlink_to("/dev/null")
    server = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(tmp_path)  # a socket's path must be short
    server.bind("socket.jsonl")
    os.chdir(here)
    make(tmp_path / "a.jsonl")
    listing = found(tmp_path)
    server.close()
    assert names(listing) == ["a.jsonl"]
    assert [why for _, why in listing.notes] == ["is a folder, not a session file"]
    listing.add(str(tmp_path / "fifo.jsonl"))
    assert listing.notes[-1][1] == "is not a regular file"


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_noted(tmp_path):
    make(tmp_path / "closed/a.jsonl")
    (tmp_path / "closed").chmod(0)
    listing = found(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert listing.notes == [(str(tmp_path / "closed"), "Permission denied")]


def test_a_root_may_be_a_file(tmp_path):
    path = make(tmp_path / "named.txt")
    listing = found(path)
    assert names(listing) == ["named.txt"]
    assert listing.roots == [str(path)]


def test_a_link_to_nothing_is_noted_and_a_missing_root_is_not(tmp_path):
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nothing")
    listing = found(tmp_path, tmp_path / "missing")
    assert listing.notes == [(str(tmp_path / "gone.jsonl"), "is a link to nothing")]


def test_a_name_that_is_no_text_is_noted_and_not_indexed(tmp_path):
    make(tmp_path / "a.jsonl")
    path = os.fsencode(tmp_path) + b"/\xff.jsonl"
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    listing = found(tmp_path)
    assert names(listing) == ["a.jsonl"]
    ((name, why),) = listing.notes
    assert "UTF-8" in why
    name.encode()


def test_the_newest_come_first_and_ties_in_a_fixed_order(tmp_path):
    for number, name in enumerate(["c", "a", "b"]):
        path = make(tmp_path / f"{name}.jsonl")
        os.utime(path, (number // 2, number // 2))
    listing = found(tmp_path)
    assert [file.path[-7:] for file in newest(listing.files, 2)] == ["b.jsonl", "a.jsonl"]
    assert all(stat.S_ISREG(file.stat.st_mode) for file in listing.files)


def test_a_listing_of_files_found_before_takes_none_of_them_twice(tmp_path):
    paths = [make(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    before = found(tmp_path, tmp_path)
    listing = Listing()
    listing.take(one for one in before.files if one.path != str(paths[1]))
    for path in paths:
        listing.keep(str(path))
    assert sorted(one.path for one in listing.files) == [str(path) for path in paths]


def test_a_file_that_was_dropped_as_a_link_can_be_taken_again(tmp_path):
    real = make(tmp_path / "b.jsonl")
    os.link(real, tmp_path / "a.jsonl")
    make(tmp_path / "c.jsonl")
    listing = Listing({str(real): told(real.stat())})
    listing.walk(str(tmp_path))
    listing.drop_links()
    del listing.unchanged[str(real)]  # it was looked up again, and is not indexed after all
    listing.keep(str(real))
    names = [one.path.rpartition("/")[2] for one in listing.files]
    assert sorted(names) == ["b.jsonl", "c.jsonl"]
