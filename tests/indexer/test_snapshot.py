"""The snapshot says what the catalog says, or nothing."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer import snapshot
from indexer.catalog import Catalog
from tests.builders import Home, header, lines, user

STEPS = st.lists(
    st.tuples(st.sampled_from(["write", "grow", "remove", "rename", "odd"]), st.integers(0, 4)),
    max_size=8,
)


def catalog_says(home):
    book = Catalog(home.generation.catalog)
    try:
        return book.told(), book.roots(), book.number("signature")
    finally:
        book.close()


@settings(max_examples=12, deadline=None)
@given(STEPS)
def test_after_any_pass_both_agree(steps):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.write("first.jsonl", user("begin"))
        home.reindex()
        for what, number in steps:
            path = home.sessions / f"{number}.jsonl"
            if what == "write":
                home.write(path.name, user(f"{what} {number}"))
            elif what == "odd":
                path.write_bytes(lines(header()) + b"no JSON\n")
            elif path.exists() and what == "grow":
                path.write_bytes(path.read_bytes() + lines(user("more", id="z", parentId=None)))
            elif path.exists() and what == "remove":
                path.unlink()
            elif path.exists():
                path.rename(home.sessions / f"{number}-{len(path.name)}.jsonl")
            home.reindex()
            made = snapshot.read(home.generation)
            assert made is not None
            assert (made.files, made.roots, made.signature) == catalog_says(home)
        home.close()


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    made.write("a.jsonl", user("pear"))
    made.write("b.jsonl", user("plum"))
    made.reindex()
    yield made
    made.close()


@pytest.mark.parametrize(
    "harm",
    [
        lambda raw: raw[:-1],
        lambda raw: raw[: len(raw) // 2],
        lambda raw: b"",
        lambda raw: b"\xff" + raw,
        lambda raw: raw + b"/torn",
        lambda raw: raw.replace(b"signature\0", b"signature\0x"),
    ],
    ids=["end", "half", "empty", "bytes", "more", "number"],
)
def test_a_torn_one_is_not_believed(home, harm):
    path = Path(home.generation.folder, "snapshot")
    path.write_bytes(harm(path.read_bytes()))
    assert snapshot.read(home.generation) is None
    assert home.reindex().unchanged == 2
    assert {hit.excerpt for hit in home.hits("pear plum", everything=True)} == {"pear", "plum"}


def test_one_of_another_catalog_is_not_believed(home):
    book = home.generation.catalog
    raw = Path(book).read_bytes()
    Path(book).unlink()
    Path(book).write_bytes(raw)
    assert snapshot.read(home.generation) is None


def test_many_small_passes_do_not_let_it_grow(home, monkeypatch):
    monkeypatch.setattr(snapshot, "SPARE_PAIRS", 5)
    path = Path(home.generation.folder, "snapshot")
    for number in range(20):
        with (home.sessions / "a.jsonl").open("ab") as file:
            file.write(lines(user(f"line {number}", id=f"i{number}", parentId=None)))
        assert home.reindex().indexed == 1
    assert path.read_bytes().count(b"\0") < 60


def test_nothing_to_do_loads_neither_sqlite_nor_the_engine(home):
    home.run("reindex")
    code = (
        "import os, sys; from clawa_search.main import run; assert run(['reindex']) == 0; "
        "found = {'_sqlite3', 'tantivy', 'json', 're', 'signal'} & set(sys.modules); "
        "print(found); os._exit(bool(found))"
    )
    ran = home.finish(home.start(program=("-c", code)))
    assert ran.code == 0, ran.out


def test_a_journal_written_anew_is_seen(home):
    """While somebody reads, the journal stays, and the next pass may write over it."""
    book = Catalog(home.generation.catalog)
    for number in range(6):
        book.hold()
        with (home.sessions / "a.jsonl").open("ab") as file:
            file.write(lines(user(f"line {number}", id=f"i{number}", parentId=None)))
        home.reindex()
        made = snapshot.read(home.generation)
        book.release()
        assert made is None or made.files == catalog_says(home)[0]
    book.close()
