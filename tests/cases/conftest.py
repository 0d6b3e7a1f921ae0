"""Homes in which the cases happen."""

import pytest

from tests.builders import Home


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=["fresh", "indexed"])
def either(request, tmp_path):
    """A home whose sessions are read unindexed, and one whose sessions are indexed."""
    made = Home(tmp_path, indexed=request.param == "indexed")
    yield made
    made.close()
