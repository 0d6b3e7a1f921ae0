"""The home that most cases are told in."""

import pytest

from tests.builders import Home


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.fixture(params=[False, True], ids=["fresh", "indexed"])
def either(home, request):
    """Return the home with what is written before `ready` indexed, or not."""
    home.indexed = request.param
    return home
