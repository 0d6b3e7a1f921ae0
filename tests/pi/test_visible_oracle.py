"""What we believe the model sees is what Pi itself would send."""

import json
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawa_search.continuity.visible import SessionTree
from tests.pi.lab import CURRENT, NODE, REPOSITORY, WAIT_SECONDS, need

MANAGER = CURRENT.parents[1] / "core/session-manager.js"
STAMP = "2026-01-01T00:00:01.000Z"


@pytest.fixture(scope="module")
def pi():
    need(NODE, MANAGER)
    process = subprocess.Popen(
        [str(NODE), str(REPOSITORY / "tests/pi/projection.mjs"), str(MANAGER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )

    def shown(entries, leaf):
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"entries": entries, "leaf": leaf}) + "\n")
        return set(json.loads(process.stdout.readline()))

    yield shown
    process.communicate(timeout=WAIT_SECONDS)


def entry(number: int, kind: str, up: int, refers: int, replacement: object) -> dict[str, object]:
    """Make entry *number*, which hangs on an earlier one."""
    one = f"e{number}"
    made: dict[str, object] = {"type": kind, "id": one, "timestamp": STAMP}
    made["parentId"] = f"e{up % number}" if number else None
    target = f"e{refers % (number + 1)}"
    match kind:
        case "message":
            made["message"] = {"role": "user", "content": f"text of {one};"}
        case "custom_message":
            made |= {"customType": "x", "content": f"text of {one};", "display": True}
        case "branch_summary":
            made |= {"fromId": "root", "summary": f"text of {one};"}
        case "compaction":
            made |= {"summary": f"text of {one};", "firstKeptEntryId": target, "tokensBefore": 1}
        case _:
            made |= {"targetId": target, "replacement": replacement}
    return made


kinds = st.sampled_from(
    ["message"] * 4 + ["custom_message", "branch_summary", "compaction", "context_edit"]
)
number = st.integers(0, 50)
trees = st.lists(
    st.tuples(kinds, number, number, st.sampled_from([None, {"content": "shorter"}])),
    min_size=1,
    max_size=20,
)


@settings(max_examples=150)
@given(trees, st.booleans(), number)
def test_visible_entries_are_those_that_pi_sends_as_they_are_written(
    pi, tmp_path, tree, line, leaf
):
    made = [
        entry(at, kind, at - 1 if line else up, refers, new)
        for at, (kind, up, refers, new) in enumerate(tree)
    ]
    editable = {one["id"] for one in made if one["type"] in ("message", "custom_message")}
    for one in made:  # Pi refuses to edit anything else
        if one["type"] == "context_edit" and one["targetId"] not in editable:
            one["targetId"] = "none"
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in made))
    newest = f"e{leaf % len(made)}"
    saying = {one["id"] for one in made if one["type"] != "context_edit"}
    assert SessionTree(str(path)).visible(newest) & saying == pi(made, newest)
