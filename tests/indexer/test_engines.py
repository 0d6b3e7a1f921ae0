"""SQLite and Tantivy come without the modules of Python that they hardly use, and work as ever."""

import subprocess
import sys

import pytest

SPARED = "functools collections operator types datetime"


def printed(code):
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys\nsys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def test_nothing_is_loaded_besides_and_nothing_is_left_behind():
    code = f"""
from indexer.engines import load
load("tantivy"), load("_sqlite3"), load("_sqlite3")
print(*[name for name in "{SPARED}".split() if name in sys.modules])
import datetime, functools, types, sqlite3
assert functools.reduce and types.FunctionType and datetime.datetime.fromisoformat
print("real", sqlite3.connect(":memory:").execute("SELECT 1 + 1").fetchone()[0])
"""
    assert printed(code) == ["real", "2"]


def test_what_was_loaded_before_stays():
    code = """
import functools, datetime
from indexer.engines import load
load("tantivy"), load("_sqlite3")
print(sys.modules["functools"] is functools, sys.modules["datetime"] is datetime)
"""
    assert printed(code) == ["True", "True"]


def test_statements_are_cached_as_functools_would():
    code = """
from indexer.engines import load
load("_sqlite3")
import _sqlite3
db = _sqlite3.connect(":memory:", cached_statements=2)
db.execute("CREATE TABLE t(a)")
for number in range(9):
    db.execute(f"INSERT INTO t VALUES({number % 3})")
    db.execute("INSERT INTO t VALUES(?)", (number,))
print(*[row[0] for row in db.execute("SELECT count(*) FROM t")])
"""
    assert printed(code) == ["18"]


@pytest.mark.parametrize("asked", ["partial", "reduce"])
def test_a_stand_in_makes_way_when_more_is_asked_of_it(asked):
    code = f"""
from indexer import engines
module = engines._for_sqlite()["functools"]
sys.modules["functools"] = module
assert getattr(module, "{asked}") is __import__("functools").{asked}
print(sys.modules["functools"] is module)
"""
    assert printed(code) == ["False"]


MODULES = "_blake2 _datetime _heapq _sqlite3 math tantivy tantivy.tantivy"


def test_a_guessed_module_is_as_an_imported_one():
    tell = f"""
for name in "{MODULES}".split():
    module = sys.modules[name]
    parts = module.__spec__.origin, type(module.__loader__).__name__, module.__package__
    print(name, *map(repr, (*parts, getattr(module, "__file__", None))))
import tantivy.tantivy
print(tantivy.tantivy is sys.modules["tantivy.tantivy"], tantivy.Index is tantivy.tantivy.Index)
"""
    names = [name for name in MODULES.split() if "." not in name]
    guessed = printed(
        "from indexer.engines import load\n" + "".join(f"load({name!r})\n" for name in names) + tell
    )
    assert guessed == printed("".join(f"import {name}\n" for name in names) + tell)
    assert guessed[-2:] == ["True", "True"]


def test_where_no_guess_is_right_python_looks_itself():
    code = """
from indexer import engines
engines.posix.access = lambda path, mode: False
for name in ("math", "_sqlite3", "tantivy"):
    engines.load(name)
import tantivy
print(sys.modules["math"].log(1), tantivy.tantivy is sys.modules["tantivy.tantivy"])
"""
    assert printed(code) == ["0.0", "True"]
