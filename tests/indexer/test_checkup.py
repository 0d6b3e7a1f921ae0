"""Damage that Tantivy does not notice, and what killed writers leave behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer import checkup, files
from tests.builders import Home, assistant, swap, user


@pytest.fixture
def generation(tmp_path):
    home = Home(tmp_path)
    home.write("a.jsonl", *[user(f"tea number {n}") for n in range(40)], assistant("milk"))
    home.write("b.jsonl", user("gone soon"))
    home.reindex()
    (home.sessions / "b.jsonl").unlink()
    home.reindex()
    home.close()
    return home.generation


def index_files(generation):
    for folder in (generation.messages, generation.priors):
        for name in checkup.segment_files(folder):
            yield f"{folder}/{name}"


def test_a_sound_index_has_no_damage(generation):
    assert list(checkup.damaged_files(generation)) == []


def test_every_flipped_bit_of_the_content_is_found(generation):
    for path in map(Path, index_files(generation)):
        sound = path.read_bytes()
        body = sound.rindex(b'{"version"')
        for at in {0, body // 3, body // 2, body - 1} if body else ():
            for bit in (1, 128):
                flipped = bytearray(sound)
                flipped[at] ^= bit
                swap(path, flipped)
                assert [*checkup.damaged_files(generation)] == [f"{path}: its content is damaged"]
        swap(path, sound)


def test_a_cut_file_and_a_lost_one_are_found(generation):
    first, second, *_ = index_files(generation)
    swap(Path(first), Path(first).read_bytes()[:-3])
    os.unlink(second)
    assert list(checkup.damaged_files(generation)) == [
        f"{first}: its end is damaged",
        f"{second}: missing",
    ]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9])
def test_a_file_of_any_small_size_is_damaged(tmp_path, size):
    path = tmp_path / "x.idx"
    path.write_bytes(b"\x39\x05\x00\x00" * 3)
    os.truncate(path, size)
    assert checkup.damage(str(path)) == "its end is damaged"


def test_a_meta_file_that_is_none_is_told(generation):
    with open(f"{generation.priors}/meta.json", "w", encoding="utf-8") as file:
        file.write("{}")
    (told,) = checkup.damaged_files(generation)
    assert told.startswith(f"{generation.priors}/meta.json: ")


def test_leftovers_are_told_apart_from_what_counts(generation):
    index_dir = os.path.dirname(generation.folder)
    left = [
        f"{index_dir}/CURRENT.123",
        f"{index_dir}/gen-99",
        f"{generation.messages}/.tmpAbC",
        f"{generation.messages}/0123456789abcdef0123456789abcdef.idx",
    ]
    os.mkdir(left[1])
    for path in (left[0], *left[2:]):
        Path(path).touch()
    assert sorted(checkup.leftovers(index_dir)) == sorted(left)
    for path in checkup.leftovers(index_dir):
        files.remove(path)
    assert checkup.leftovers(index_dir) == []
    assert list(checkup.damaged_files(generation)) == []


def test_a_folder_without_an_index_has_nothing_left_over(tmp_path):
    assert checkup.leftovers(str(tmp_path)) == []
    assert checkup.leftovers(str(tmp_path / "nowhere")) == []
