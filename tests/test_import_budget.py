"""A cold recall loads what it needs and nothing else: it runs in a fresh process each time."""

import py_compile
from pathlib import Path

import pytest

from clawa_search import start
from tests.builders import Home, assistant, user

NEEDED = (
    "import encodings.utf_8\nfrom indexer.engines import load\nload('tantivy'), load('_sqlite3')"
)
"""What must be loaded."""
ALLOWED = frozenset("__future__ _blake2 _heapq _json errno gc math time".split())
"""Small and without Python code of their own."""
FOR_OTHERS = (
    "clawa_search.bridge clawa_search.cli.app clawa_search.continuity clawa_search.doctor "
    "clawa_search.pi clawa_search.search.dates clawa_search.search.widen clawa_search.status "
    "indexer.damage indexer.formats indexer.ledger indexer.passing indexer.step indexer.sync "
    "indexer.tree indexer.writer"
).split()
"""Our own modules that an ordinary recall with everything indexed has no use for."""


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path, indexed=True)
    made.write("a.jsonl", user("when is tea"), assistant("tea is at five"), user("and coffee"))
    made.ready()
    yield made
    made.close()


def loaded(home, code):
    ran = home.finish(home.start(program=("-c", f"import sys\n{code}\nprint(*sys.modules)")))
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    return set(ran.out.splitlines()[-1].split())


def own_modules(*parts):
    listed = " ".join(start.MODULES[part] for part in parts).split()
    return [name.removesuffix(".") for name in listed if name not in start.COMPILED]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["recall", "tea five coffee"], ["first", "recall", "search"]),
        (["reindex"], ["first", "reindex"]),
    ],
    ids=["recall", "reindex"],
)
def test_what_is_loaded_in_one_go_is_what_the_verb_needs(home, words, parts):
    home.recall.remember("tea comes from Assam", tags=["tea"])
    home.run("reindex")
    needed = loaded(home, f"from clawa_search.main import run\nassert run({words}) == 0")
    ours = {name for name in needed if name.startswith(("clawa_search", "indexer"))}
    names = own_modules(*parts)
    assert set(names) == ours - {"clawa_search", "clawa_search.start", "clawa_search.packs"}
    assert len(names) == len(set(names))
    before = f"import sys\nfrom clawa_search.start import preload\nfor one in {parts}: preload(one)"
    run = f"{before}\nfrom clawa_search.main import run\nassert run({words}) == 0"
    late = f"{run}\nprint(*[n for n in {names} if hasattr(sys.modules[n], '__cached__')])"
    ran = home.finish(home.start(program=("-c", late)))
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == ""


@pytest.mark.parametrize("flag", ["--index-dir", "--sessions-dir"])
def test_flags_before_the_verb_take_nothing_from_it(home, flag, tmp_path):
    code = f"""
import sys
from clawa_search import main, start
main.leave = lambda code: print(*[
    name for name, module in sys.modules.items()
    if name.startswith(("clawa_search", "indexer")) and hasattr(module, "__cached__")
])
sys.argv[1:] = [{flag!r}, {str(tmp_path)!r}, "recall", "tea"]
start.main()
"""
    ran = home.finish(home.start(program=("-c", code)))
    assert ran.code == 0, ran.err
    by_import = set(ran.out.splitlines()[-1].split())
    assert not by_import & set(own_modules("recall", "search"))


def test_without_byte_code_or_with_an_old_one_python_imports_as_usual(home, tmp_path):
    code = (
        "from clawa_search import start\nstart.byte_code = lambda source: None\n"
        "sys.argv[1:] = ['recall', 'tea']\nstart.main()"
    )
    ran = home.finish(home.start(program=("-c", f"import sys\n{code}")))
    assert (ran.code, ran.err) == (0, "")
    source = tmp_path / "some.py"
    source.write_text("x = 1\n")
    cached = py_compile.compile(str(source))
    assert cached is not None
    assert start.byte_code(str(source)) is not None
    source.write_text("x = 2  # longer\n")
    assert start.byte_code(str(source)) is None
    py_compile.compile(str(source))
    assert start.byte_code(str(source)) is not None
    Path(cached).write_bytes(b"cut")
    assert start.byte_code(str(source)) is None


def beyond_budget(home, *words, first=""):
    """Return what a recall of *words* loads without need."""
    begin = f"{first}\nfrom clawa_search.start import preload\npreload('first'), preload('recall')"
    code = f"{begin}\nfrom clawa_search.main import run\nassert run({['recall', *words]}) == 0"
    extra = loaded(home, code) - loaded(home, NEEDED) - ALLOWED
    ours = {name for name in extra if name.startswith(("clawa_search", "indexer"))}
    unneeded = {name for name in ours if any(f"{name}.".startswith(f"{no}.") for no in FOR_OTHERS)}
    return (extra - ours) | unneeded


@pytest.mark.parametrize("words", [["tea"], ["--json", "tea"], ["--source", "session", "tea five"]])
@pytest.mark.parametrize("memories", [False, True])
def test_a_recall_stays_within_its_budget_of_imports(home, words, memories):
    if memories:
        home.recall.remember("tea comes from Assam", tags=["tea"])
    assert beyond_budget(home, *words) == set()


@pytest.mark.parametrize("planted", ["json", "re", "dataclasses", "indexer.formats.pi"])
def test_the_budget_notices_what_is_planted(home, planted):
    assert planted in beyond_budget(home, "tea", first=f"import {planted}")
