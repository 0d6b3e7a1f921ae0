"""The small reader agrees with the json module."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.scan import TooMuch, loads

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=50)
@given(values, st.sampled_from(["", " ", "\n\t\r "]), st.sampled_from([None, 2]))
def test_json_is_read_as_json_reads_it(value, space, indent):
    assert loads(space + json.dumps(value, indent=indent) + space) == value


@given(st.text() | st.sampled_from(["[" * 100_000, "{}x", '"\n"', "", "NaN x", "[1,]"]))
def test_what_json_refuses_is_refused(text):
    try:
        expected = json.loads(text.strip(" \t\r\n"))
    except (ValueError, RecursionError):
        with pytest.raises(ValueError, match=r".*"):
            loads(text)
    else:
        assert repr(loads(text)) == repr(expected)


BROKEN = [
    '"abc',
    '{"a" 1}',
    '{"a":1,}',
    "{",
    '"\\x"',
    '{"a":"\x01"}',
    "tru",
    "-",
    "",
    "[1,]",
    '"\\ud8"',
]


def test_what_is_broken_is_told_before_json_is_imported():
    code = f"""
import sys
sys.path[:0] = {sys.path!r}
from indexer.scan import NotJson, loads
for text in {BROKEN!r}:
    try:
        loads(text)
    except NotJson:
        print("refused")
assert "json" not in sys.modules
"""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["refused"] * len(BROKEN)


def test_what_is_too_much_is_told_apart():
    with pytest.raises(TooMuch):
        loads("[" * 100_000)
    with pytest.raises(TooMuch):
        loads("1" * 5_000)
    assert loads("[" + "1" * 300 + "]", wide=True) == [float("1" * 300)]
    assert loads("1" * 5_000, wide=True) == float("inf")
