"""A home with the demo's sessions."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.builders import REPOSITORY, Home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    shutil.copytree(REPOSITORY / "clawa_search/demo_home/sessions", made.sessions)
    yield made
    made.close()
