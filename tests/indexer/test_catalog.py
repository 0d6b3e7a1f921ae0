"""What an open catalog remembers is what it would read."""

import pytest

from indexer.catalog import MAX_SEEN, Catalog
from tests.builders import Home, lines, user


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


@pytest.fixture
def book(home):
    home.write("a.jsonl", user("begin"))
    home.reindex()
    book = Catalog(home.generation.catalog)
    yield book
    book.close()


def entries(book, home):
    row = book.by_path(str(home.sessions / "a.jsonl"))
    (status,) = book.statuses_of([row.path]).values()
    assert status[6] == row.id
    return book.by_id(row.id).next_seq


def test_held_it_says_the_same_whatever_a_writer_records_and_the_new_when_held_anew(home, book):
    path = home.sessions / "a.jsonl"
    for said in range(1, 5):
        book.hold()
        assert entries(book, home) == said
        with path.open("ab") as file:
            file.write(lines(user(f"line {said}", id=f"i{said}", parentId=None)))
        home.reindex()
        assert entries(book, home) == said
        book.release()
        assert entries(book, home) == said + 1  # not held: as it is now


def test_what_it_remembers_is_bounded(home, book):
    book.hold()
    for number in range(3 * MAX_SEEN):
        book.by_id(number)
    assert len(book._seen) <= MAX_SEEN
    book.statuses_of([f"/nowhere/{number}" for number in range(700)])
    assert max(map(len, book._seen)) < 30


def test_a_row_that_somebody_changes_is_his_own(home, book):
    book.hold()
    row = book.by_path(str(home.sessions / "a.jsonl"))
    row.next_seq = 99
    assert entries(book, home) == 1
