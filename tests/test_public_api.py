"""The names that programs may rely on."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import clawa_search
from tests.builders import REPOSITORY

NAMES = (
    "Answer Hit IndexBrokenError IndexBusyError InvalidInputError Memory NotFoundError Places "
    "Question Recall RecallError StoreError SyncReport"
).split()
HEAVY = ("tantivy", "json", "re", "dataclasses", "typing", "pathlib", "click", "sqlite3")


def test_the_public_names_are_these_and_sorted():
    assert clawa_search.__all__ == NAMES
    assert dir(clawa_search) == sorted([*NAMES, "__version__"])


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_a_class_that_says_what_it_is(name):
    found = getattr(clawa_search, name)
    assert inspect.isclass(found)
    assert found.__name__ == name
    assert inspect.getdoc(found)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_method_says_what_it_does(name):
    found = getattr(clawa_search, name)
    for member, value in vars(found).items():
        if not member.startswith("_") and inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{member}"


def test_every_error_has_a_code_of_its_own_and_one_root():
    errors = [getattr(clawa_search, name) for name in NAMES if name.endswith("Error")]
    assert all(issubclass(error, clawa_search.RecallError) for error in errors)
    assert len({error.code for error in errors}) == len(errors)
    assert clawa_search.RecallError("what", hint="do this").hint == "do this"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'clawa_search' has no attribute 'Recal'"):
        _ = clawa_search.Recal


def loaded_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); {code}",
        ],
        capture_output=True,
        check=True,
        text=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_else():
    assert not loaded_after("import clawa_search").intersection(HEAVY)


def test_the_facade_loads_no_engine_before_it_is_used():
    loaded = loaded_after("from clawa_search import Recall, Places, Question; Recall(Places())")
    assert not loaded.intersection(HEAVY)
