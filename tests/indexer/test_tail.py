"""Lines of a file: the same however the file is cut into blocks, reads and passes."""

import os
import re
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer import probe, tail
from indexer.entry import Line
from indexer.formats.parse import Malformed
from indexer.formats.pi import Reader
from indexer.probe import line_probe
from indexer.tail import read_lines
from tests.indexer.lab import dumps, header

pieces = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([b"\n", b"\n\n", b"\r\n", b"\x00", "\u2028".encode(), b"\xff", b"x" * 40]),
)
files = st.lists(pieces, max_size=12).map(b"".join)
blocks = st.sampled_from([1, 2, 3, 7, 64, 1 << 20])


def lines_of(data, folder, *, block=1 << 20, offset=0, number=1, stop=None, torn=False):
    path = folder / "lines"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "BLOCK_BYTES", block)
        found = list(read_lines(fd, offset, number, stop, torn=torn))
    os.close(fd)
    return [
        (line.number, line.offset, line.size, imageless(line.raw), line.probe) for line in found
    ]


def imageless(raw):
    return re.sub(tail.IMAGE, rb"\1", raw)


def split(data, *, torn):
    """Return what `lines_of` should, by splitting."""
    found, offset = [], 0
    raws = data.split(b"\n")
    for number, raw in enumerate(raws if torn and raws[-1] else raws[:-1], 1):
        found.append((number, offset, len(raw), imageless(raw), line_probe(raw)))
        offset += len(raw) + 1
    return found


@given(files, blocks, st.booleans())
@example(b"", 1, True)
@example(b"no end", 2, True)
@example(b"a" * 200 + b"\n", 64, False)
def test_only_lf_ends_a_line_whatever_the_block_size(tmp_path, data, block, torn):
    assert lines_of(data, tmp_path, block=block, torn=torn) == split(data, torn=torn)


@given(files, blocks, st.integers(0, 200))
def test_two_passes_find_what_one_pass_finds(tmp_path, data, block, stop):
    first = lines_of(data, tmp_path, block=block, stop=min(stop, len(data)))
    number = len(first) + 1
    offset = first[-1][1] + first[-1][2] + 1 if first else 0
    second = lines_of(data, tmp_path, block=block, offset=offset, number=number)
    assert first + second == lines_of(data, tmp_path)


def test_a_file_that_shrinks_while_it_is_read_ends_there(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\nthree\n")
    fd = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "BLOCK_BYTES", 5)
        lines = read_lines(fd, 0, 1, 14)
        assert next(lines).raw == b"one"
        os.truncate(path, 5)
        assert list(lines) == []
    os.close(fd)


def image(size):
    return {"type": "image", "data": "QUJD" * (size // 4), "mimeType": "image/png"}


def message(*blocks, role="user"):
    return dumps(
        {
            "type": "message",
            "id": "i",
            "parentId": None,
            "timestamp": "2026-05-01T08:01:00.000Z",
            "message": {"role": role, "content": list(blocks)},
        }
    )


texts = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ['"data":"QUJDQUJD"', 'say "data": "QUJD', "QUJD" * 30, '\\"data":"', '{"data":"QUJD"}']
    ),
)
parts = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    st.integers(0, 400).map(image),
    texts.map(lambda text: {"type": "toolCall", "arguments": {"data": text, "k": [text]}}),
)


@given(st.lists(parts, max_size=5), st.integers(1, 40))
def test_cutting_images_out_never_changes_what_a_line_says(tmp_path, content, block):
    raw = message(*content)
    assert lines_of(raw + b"\n", tmp_path, block=block) == split(raw + b"\n", torn=False)
    assert entries(imageless(raw)) == entries(raw)


def entries(raw):
    reader = Reader()
    reader.session.is_session = True
    return reader.read(Line(2, 100, raw, len(raw), probe=None, cut=False))


@given(st.integers(100, 300), st.integers(1, 60))
def test_an_image_is_cut_out_wherever_blocks_begin(tmp_path, size, block):
    raw = message({"type": "text", "text": "see"}, image(size), {"type": "text", "text": "this"})
    path = tmp_path / "lines"
    path.write_bytes(raw + b"\n")
    fd = os.open(path, os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "BLOCK_BYTES", block)
        (line,) = read_lines(fd, 0, 1)
    os.close(fd)
    assert line.raw == raw.replace(b"QUJD", b"")


def test_a_hundred_megabytes_in_one_line_need_little_memory(tmp_path):
    path = tmp_path / "huge.jsonl"
    begin, end = message({"type": "text", "text": "look"}, image(4)).split(b"QUJD")
    with path.open("wb") as file:
        file.write(header() + b"\n" + begin)
        for _ in range(100):
            file.write(b"QUJD" * (1 << 18))
        file.write(end + b"\n" + message({"type": "text", "text": "after"}) + b"\n")
    fd = os.open(path, os.O_RDONLY)
    reader = Reader()
    tracemalloc.start()
    found = [
        (line.number, entry.text) for line in read_lines(fd, 0, 1) for entry in reader.read(line)
    ]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    os.close(fd)
    assert found == [(2, "look"), (3, "after")]
    assert peak < 12 << 20


@pytest.mark.parametrize("role", ["user", "toolResult"])
def test_of_a_line_too_long_for_memory_only_the_head_is_kept(tmp_path, monkeypatch, role):
    monkeypatch.setattr(tail, "MAX_LINE_BYTES", 500)
    data = message({"type": "text", "text": "words " * 200}, role=role) + b"\n" + b"{}\n"
    path = tmp_path / "lines"
    path.write_bytes(data)
    for block in (3, 64, 400):  # the head is the head, however the first blocks cut it
        monkeypatch.setattr(tail, "BLOCK_BYTES", block)
        fd = os.open(path, os.O_RDONLY)
        line, after = read_lines(fd, 0, 1)
        os.close(fd)
        assert line.cut
        assert data.startswith(line.raw)
        assert len(line.raw) >= 300
        assert (after.number, after.raw) == (2, b"{}")
        reader = Reader()
        reader.session.is_session = True
        if role == "toolResult":
            assert reader.read(line) == []
        else:
            with pytest.raises(Malformed, match="too long"):
                reader.read(line)


@pytest.mark.parametrize(
    "size", [0, 1, probe.WHOLE_PROBE_BYTES, probe.WHOLE_PROBE_BYTES + 1, 1 << 20]
)
def test_the_probe_of_a_file_tells_its_length_its_ends_and_all_of_a_small_one(tmp_path, size):
    path = tmp_path / "file"
    places = {0, size - 1} if size > probe.WHOLE_PROBE_BYTES else {*range(0, size, 9999), size - 1}

    def probed(data, end):
        path.write_bytes(data)
        fd = os.open(path, os.O_RDONLY)
        try:
            return probe.file_probe(fd, end)
        finally:
            os.close(fd)

    data = bytes(size)
    known = probed(data + b"more", size)
    assert probed(data + b"other and longer", size) == known
    assert probed(data, size + 1) != known
    for place in places - {-1}:
        changed = bytearray(data)
        changed[place] = 1
        assert probed(bytes(changed), size) != known
