"""Fixtures of the tests that run the real Pi."""

import pytest

from tests.pi.lab import Lab
from tests.pi.stub import StubModel


@pytest.fixture
def model():
    with StubModel() as stub:
        yield stub


@pytest.fixture
def lab(tmp_path, model):
    return Lab(tmp_path, model)
