"""The small reader agrees with the json module."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.scan import loads

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
