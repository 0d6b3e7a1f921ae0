"""The number that tells whether somebody touched the files of an index."""

import os

import pytest

from indexer import layout
from indexer.version import VERSION


@pytest.fixture
def generation(tmp_path):
    made = layout.Generation(str(tmp_path), VERSION)
    for folder in (made.messages, made.priors):
        os.mkdir(folder)
        write(f"{folder}/meta.json", "{}")
    return made


def write(path, text, mtime_ns=10**18):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, ns=(mtime_ns, mtime_ns))


def test_whatever_changes_the_signature_changes(generation):
    place = f"{generation.messages}/a.idx"
    seen = [layout.signature(generation)]
    for text, mtime_ns in (("", 10**18), ("x", 10**18), ("x", 10**18 + 1)):
        write(place, text, mtime_ns)
        seen.append(layout.signature(generation))
    os.rename(place, f"{generation.messages}/b.idx")
    seen.append(layout.signature(generation))
    os.rename(f"{generation.messages}/b.idx", f"{generation.priors}/b.idx")
    seen.append(layout.signature(generation))
    assert len(set(seen)) == len(seen)
    assert all(0 < number < 1 << 63 for number in seen)


def test_a_lock_file_is_no_change(generation):
    before = layout.signature(generation)
    write(f"{generation.messages}/.tantivy-meta.lock", "")
    assert layout.signature(generation) == before


@pytest.mark.parametrize("apart", range(1, 130))
def test_two_changes_do_not_cancel_however_far_apart(generation, apart):
    place = f"{generation.messages}/meta.json"
    between = "a" * (apart - 1)
    write(place, f"x{between}y")
    before = layout.signature(generation)
    write(place, f"y{between}x")
    assert layout.signature(generation) != before


def test_a_folder_that_is_away_has_no_signature(generation):
    os.rename(generation.priors, f"{generation.priors}-away")
    assert layout.signature(generation) == 0
