"""What the index does not hold yet is read in memory: it answers as the index would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.recall import Recall
from clawa_search.search import fresh
from clawa_search.search.clauses import Filter
from clawa_search.search.query import parse
from indexer.analysis import text_tokens
from indexer.entry import Entry, Line, Session
from indexer.ledger import Ledger
from tests.indexer.lab import Lab, dumps, header, said, session

WORDS = (
    "run running runs ran happily happiness happy dying lies ties skies organization organizing "
    "capability capable frequency frequently relational apologies news hopping hoping ugly early "
    "parseHTTPRequest parse_http_request file_name filename TypeScript typescript --dry-run "
    "src/app/main.ts main.ts v1.2.10 1.2.10 C++ c key:value don't foo.bar() user@example.com "
    "検索エンジン 数据库锁 한국어 naïve café ﬁle ÀÉ x9 zqxjkvbn8471 0xDEADBEEF deadbeefcafe POL-358"
).split()
words = st.sampled_from(WORDS)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
queries = st.one_of(
    texts,
    st.lists(words, min_size=1, max_size=2).map(lambda two: f'"{" ".join(two)}"'),
    st.tuples(words, words).map(lambda two: f"{two[0]} -{two[1]}"),
    words.map(str.upper),
    words.map(lambda word: word[: len(word) // 2 + 1]),
)


def file_of(said_texts):
    file = fresh.FreshFile("s.jsonl", Session(), 0)
    for number, text in enumerate(said_texts):
        line = Line(number, 0, b"", 0, probe=bytes(8), cut=False)
        entry = Entry("user", text, 0, "")
        file.entries.append(fresh.FreshEntry(number, entry, line, file))
    return file


@given(st.lists(texts, min_size=1, max_size=8), queries)
def test_the_quick_look_for_pieces_of_words_loses_no_match(said_texts, query):
    file = file_of(said_texts)
    found = []
    for limit in (0, 1 << 30):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fresh, "PREFILTER_BYTES", limit)
            found.append([entry.mid for entry in fresh.matching([file], parse(query), Filter())])
    assert found[0] == found[1]


def test_a_word_holds_its_stem_of_two_letters_which_is_looked_for_whole():
    letters, ends = "abcdefghijklmnopqrstuvwxyz", " s es ed ing er ly y ies ied est al".split(" ")
    for first in letters:
        words = [f"{first}{second}{end}" for second in letters for end in ends]
        for word, stem in zip(words, text_tokens(" ".join(words)), strict=True):
            assert len(stem) > 2 or stem in word, word
    assert set(fresh._needles(parse("go on")) or ()) == {"go"}


@pytest.fixture
def lab(tmp_path):
    made = Lab(tmp_path)
    yield made
    made.close()


def test_recall_finds_the_same_before_and_after_indexing(lab):
    lab.write("all.jsonl", session(*[f"about {word}" for word in WORDS]))
    before = {query: lab.recalled(query) for query in WORDS}
    lab.sync()
    assert {query: lab.recalled(query) for query in WORDS} == before
    assert all(before.values())


def test_a_last_line_without_its_newline_stays_findable(lab):
    path = lab.write("a.jsonl", session("first")[:-1])
    for _ in range(2):
        assert lab.recalled("first") == {(str(path), 2)}
        lab.sync()
    lab.append("a.jsonl", b"", said("x", "second"))
    for _ in range(2):
        assert lab.recalled("first") == {(str(path), 2)}
        assert lab.recalled("second") == {(str(path), 3)}
        lab.sync()


def test_a_file_of_one_line_without_its_newline_is_read(lab):
    path = lab.write("a.jsonl", said("x", "alone"))
    lab.sync()
    assert lab.recalled("alone") == {(str(path), 1)}


def test_a_half_written_line_is_no_fault(lab):
    whole = said("x", "half of it")
    path = lab.write("a.jsonl", header() + b"\n" + whole[:60])
    lab.sync()
    answer = lab.recall.search(question("half"))
    assert answer.complete
    assert answer.hits == []
    with path.open("ab") as file:
        file.write(whole[60:])
    assert lab.recalled("half") == {(str(path), 2)}


def question(query):
    from clawa_search.search.question import Question

    return Question(query, everything=True)


def test_what_is_too_much_to_read_is_told(lab, monkeypatch):
    monkeypatch.setattr(fresh, "MAX_BYTES", 300)
    lab.write("big.jsonl", session(*["word"] * 20))
    lab.write("small.jsonl", session("word", session_id="s2"))
    answer = lab.recall.search(question("word"))
    assert not answer.complete
    assert any("1 files" in note and "reindex" in note for note in answer.notes)
    assert [hit.path for hit in answer.hits] == [str(lab.sessions / "small.jsonl")]


def test_only_the_tail_of_a_grown_file_is_read(lab, monkeypatch):
    path = lab.write("a.jsonl", session(*["old words"] * 200))
    lab.sync()
    lab.append("a.jsonl", said("x", "new words"))
    monkeypatch.setattr(fresh, "MAX_BYTES", 300)
    assert (str(path), 202) in lab.recalled("new")
    assert len(lab.recalled("old")) > 10


def test_a_context_edit_in_the_tail_marks_an_indexed_entry(lab):
    lab.write("a.jsonl", session("taken out later"))
    lab.sync()
    edit = {"type": "context_edit", "id": "z", "timestamp": "2026-05-01T08:00:00.000Z"}
    lab.append("a.jsonl", dumps(edit | {"targetId": "e0", "replacement": None}))
    for _ in range(2):
        (hit,) = lab.recall.search(question("taken")).hits
        assert hit.edited
        lab.sync()


def test_a_writer_that_indexes_during_a_question_hides_nothing(lab, monkeypatch):
    path = lab.write("a.jsonl", session("first"))
    lab.sync()
    assert lab.recalled("first")
    lab.append("a.jsonl", said("x", "second"))
    read_fresh = fresh.read_fresh

    def after_a_sync(*arguments):
        lab.sync()
        return read_fresh(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(fresh, "read_fresh", after_a_sync)
        assert lab.recalled("second") == {(str(path), 3)}
    assert lab.recalled("second") == {(str(path), 3)}


def test_what_a_crash_left_in_the_index_takes_no_place_of_a_hit(lab, monkeypatch):
    path = lab.write("a.jsonl", session("once"))
    lab.sync()
    lost = lab.write("b.jsonl", session(*[f"once once {n}" for n in range(600)]))
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "save", lambda *_args, **_options: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            lab.sync()
    lost.unlink()
    assert lab.recalled("once") == {(str(path), 2)}


def test_an_index_swapped_during_a_question_is_no_damage(lab, monkeypatch):
    path = lab.write("a.jsonl", session("first"))
    lab.sync()
    open_index = Recall.open_index

    def after_a_swap(recall):
        monkeypatch.undo()
        lab.sync(rebuild=True)
        return open_index(recall)

    monkeypatch.setattr(Recall, "open_index", after_a_swap)
    answer = lab.recall.search(question("first"))
    assert [hit.ref for hit in answer.hits] == [f"{path}:2"]
    assert answer.notes == []
