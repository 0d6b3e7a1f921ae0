"""What is on the live branch, told without reading the file again."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.tree import tree_of
from tests.builders import Home, assistant, header, lines, user

BRANCHES = st.lists(st.integers(0, 8), min_size=1, max_size=14)
"""For each entry, how far back the entry stands that it follows."""


def entries(steps):
    made: list[dict[str, Any]] = []
    for number, back in enumerate(steps):
        parent = made[max(0, number - 1 - back)]["id"] if made else None
        said = (user if number % 2 else assistant)(f"sentinel {number}")
        time = f"2026-01-02T03:04:{number:02}.000Z"
        made.append({"id": f"e{number}", "parentId": parent, "timestamp": time, **said})
    return made


@settings(max_examples=60, deadline=None)
@given(steps=BRANCHES, cuts=st.lists(st.integers(0, 14), max_size=3))
def test_indexed_or_not_the_live_branch_is_that_of_the_whole_file(steps, cuts):
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        path = home.sessions / "s.jsonl"
        path.parent.mkdir(parents=True)
        path.write_bytes(lines(header()))
        said = entries(steps)
        begin = 0
        for cut in [*sorted(cuts), len(said)]:
            with path.open("ab") as file:
                file.write(lines(*said[begin:cut]))
            begin = max(begin, cut)
            if cut < len(said):
                home.reindex()
        found = {hit.line: hit.live for hit in home.hits("sentinel", limit=50)}
        tree = tree_of(str(path))
        assert tree is not None
        live = tree.live_lines()
        assert found == {line: line in live for line in range(2, len(said) + 2)}
        home.reindex()
        assert {hit.line: hit.live for hit in home.hits("sentinel", limit=50)} == found
        home.close()


def test_an_indexed_file_is_not_read_again_to_tell(tmp_path, monkeypatch):
    home = Home(tmp_path)
    path = home.sessions / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines(header(), *entries([0, 0, 0, 2, 0])))
    home.reindex()
    monkeypatch.setattr("indexer.tree.tree_of", None)
    assert {hit.line: hit.live for hit in home.hits("sentinel")} == {
        2: True, 3: False, 4: False, 5: True, 6: True,
    }  # fmt: skip
    home.close()
