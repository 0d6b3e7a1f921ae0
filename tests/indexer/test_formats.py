"""Bytes of a line -> entries: the pre-filter is sound, and no bytes raise anything unexpected."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.fuzz_prefilter import Adversary, difference, outcome
from indexer.entry import Line
from indexer.formats.parse import Malformed, fast_loads, id_of, strict_loads, time_ms
from indexer.formats.pi import Reader
from tests.indexer.lab import SCALE, dumps, header, said, tool_result


def read(*raws, number=1, loads=strict_loads):
    """Read lines one after another; return the entries and what the file said of itself."""
    reader = Reader(loads=loads)
    found, offset = [], 0
    for raw in raws:
        found += reader.read(Line(number, offset, raw, len(raw), probe=None, cut=False))
        number, offset = number + 1, offset + len(raw) + 1
    return found, reader.session


def texts(*raws, **options):
    return [entry.text for entry in read(*raws, **options)[0]]


def test_the_pre_filter_passes_over_nothing_that_a_full_parse_finds():
    adversary = Adversary(seed=3)
    wrong = [
        raw for _ in range(8_000 * SCALE) if difference(raw := adversary.damaged()) == "different"
    ]
    assert wrong == []


def test_a_torn_line_with_the_next_one_glued_on_is_never_passed_over_in_silence():
    torn = tool_result("a", "x" * 50)
    for whole in (
        said("b", "hello"),
        tool_result("b", "y"),
        dumps({"type": "label", "id": "b", "timestamp": "2026-01-01T00:00:00.000Z", "label": "x"}),
    ):
        for cut in range(1, len(torn)):
            assert outcome(torn[:cut] + whole, filtered=True) is None


def test_a_tool_line_that_was_torn_is_counted_unless_it_ends_like_a_whole_one():
    whole = tool_result("a", 'brackets } and "quotes"')
    for cut in range(1, len(whole)):
        torn = whole[:cut]
        assert torn.endswith(b"}") or outcome(torn, filtered=True) is None


def test_ids_at_the_end_of_a_migrated_line_are_read_there():
    line = (
        b'{"type":"message","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"toolResult",'
    )
    line += b'"content":[]},"id":"ab","parentId":"cd"}'
    assert outcome(line, filtered=True) == ([], "ab", True)


def test_what_no_json_writer_does_is_passed_over_where_the_head_is_that_of_a_tool():
    """Known and accepted: to see a key that is given twice, every tool result must be parsed."""
    twice = tool_result("a", "x")[:-2] + b',"role":"user","content":"said"}}'
    escaped = said("b", "said", role="assistant").replace(b'"text"', b'"\\u0074ext"')
    assert json.loads(escaped)["message"]["content"][0]["text"] == "said"
    for raw in (twice, escaped):
        filtered, full = outcome(raw, filtered=True), outcome(raw, filtered=False)
        assert filtered is not None
        assert full is not None
        assert filtered[0] == []
        assert [text for _, text, _ in full[0]] == ["said"]


@pytest.mark.parametrize("loads", [strict_loads, fast_loads()])
@given(raw=st.binary(max_size=60))
@example(raw=b"[" * 100_000)
@example(raw=b'{"id":' + b"9" * 5000 + b"}")
@example(raw=b'"\\ud83d"')
@example(raw=b"\xef\xbb\xbf{}")
@example(raw=b"nan")
def test_any_bytes_are_an_entry_or_malformed(raw, loads):
    for number in (1, 2):
        reader = Reader(loads=loads)
        reader.session.is_session = True if number == 2 else None
        try:
            reader.read(Line(number, 0, raw, len(raw), probe=None, cut=False))
        except Malformed:
            continue


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.sampled_from(["text", "user", "toolResult", "message", "compaction", "\ud83d", "a\nb"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "type kind id parentId timestamp message role content text summary entry name "
                "label customType retainedTail targetId cwd parentSession".split()
            ),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)


@given(st.lists(values, max_size=4))
def test_any_json_gives_entries_that_an_index_can_hold(made):
    raws = [json.dumps(value).encode() for value in made]
    found, session = read(header(), *raws)
    fast, _ = read(header(), *raws, loads=fast_loads())
    assert found == fast
    for entry in found:
        assert entry.text.strip()
        assert 0 <= entry.ts_ms < 1 << 53
        assert entry.entry_id == id_of(entry.entry_id)
        f"{entry.text}{entry.entry_id}".encode()
    for said_of_itself in (session.session_id, session.cwd, session.name, session.last_id):
        said_of_itself.encode()
    assert all(len(target.split()) == 1 for target in session.edited)


@given(st.text(st.characters(codec=None), max_size=300))
def test_an_id_is_one_bounded_word_of_valid_unicode(text):
    made = id_of(text)
    assert len(made.encode()) <= 4 * 256
    assert made.split() in ([], [made])
    assert id_of(made) == made


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none()))
@example("0001-01-01T00:00:00+23:59")
@example("9999-12-31T23:59:59-23:59")
@example(1e300)
def test_any_time_is_milliseconds_within_ten_thousand_years(value):
    assert 0 <= time_ms(value) <= 253_402_300_799_999


@pytest.mark.parametrize("more", [b'"d":' + b"[" * 1010 + b"]" * 1010, b'"n":' + b"1" * 5000])
@pytest.mark.parametrize("loads", [strict_loads, fast_loads()])
def test_deep_nesting_and_long_numbers_are_read_as_node_reads_them(loads, more):
    line = said("a", "found")[:-1] + b"," + more + b"}"
    assert texts(header(), line, loads=loads) == ["found"]


@pytest.mark.parametrize(
    ("lines", "is_session"),
    [
        ([b"null", b"0", b"false", b'""', b"", header()], True),
        ([b"{not json", header()], True),
        ([b"[]", header()], False),
        ([b"5", header()], False),
        ([b'{"type":"other"}', header()], False),
        ([b"\xef\xbb\xbf" + header()], True),
        ([said("a", "no header")], True),
        ([b'{"type":"message","message":{"role":"user","content":"no id, no header"}}'], False),
        ([b"x" * (1 << 20), b"y", header()], False),
        ([b"x" * ((1 << 20) - 10), header()], True),
    ],
)
def test_the_first_readable_line_decides_whether_a_file_is_a_session(lines, is_session):
    reader = Reader()
    number, offset = 1, 0
    for raw in lines:
        with suppress(Malformed):
            reader.read(Line(number, offset, raw, len(raw), probe=None, cut=False))
        number, offset = number + 1, offset + len(raw) + 1
    assert reader.session.is_session is is_session
