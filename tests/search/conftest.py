"""Homes whose sessions are read unindexed, and indexed."""

import pytest

from tests.builders import Home


@pytest.fixture(params=["fresh", "indexed"])
def home(request, tmp_path):
    made = Home(tmp_path, indexed=request.param == "indexed")
    yield made
    made.close()
