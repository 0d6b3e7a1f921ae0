"""Who may import whom, and what a cold recall may load."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import REPOSITORY, Home, user

# Each layer may import those below it, and its own.
LAYERS = """
    clawa_search.main clawa_search.__main__
    clawa_search.cli
    clawa_search.bridge clawa_search.mcp_server clawa_search.pi
    clawa_search.recall
    clawa_search.show clawa_search.status clawa_search.doctor
    clawa_search.output clawa_search.continuity
    clawa_search.search
    clawa_search.memory clawa_search.places
    clawa_search.secrets clawa_search.errors clawa_search
    indexer
"""
ORDER = [line.split() for line in LAYERS.strip().splitlines()]
FORBIDDEN = (
    "argparse click contextlib ctypes dataclasses email enum inspect json logging orjson pathlib PIL "
    "platformdirs re rich sqlite3 sqlite_utils subprocess tempfile tiktoken threading typing"
).split()
OURS = ("clawa_search", "indexer")
FILES = [path for name in OURS for path in sorted(Path(REPOSITORY, name).rglob("*.py"))]
FOUND_HERE = [str(REPOSITORY), *(path for path in sys.path if "site-packages" in path)]


def layer_of(module):
    """Return the number of a module's layer, 0 the lowest."""
    best = max(
        (
            (len(name), number)
            for number, names in enumerate(reversed(ORDER))
            for name in names
            if module == name or module.startswith(name + ".")
        ),
        default=None,
    )
    assert best is not None, f"{module} belongs to no layer"
    return best[1]


def imports_of(path):
    """Yield what a file imports of ours at run time, and whether at its top."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = [f"{node.module}.{one.name}" for one in node.names]
            names = [name if exists(name) else node.module for name in below]
        yield from ((name, node in tree.body) for name in names if name.partition(".")[0] in OURS)


def name_of(path):
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def exists(name):
    place = REPOSITORY / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_imports_from_its_own_layer_or_below(path):
    own = layer_of(name_of(path))
    for name, at_top in imports_of(path):
        # Inside a function a facade may call what builds on it: it is loaded when first used.
        if at_top:
            assert layer_of(name) <= own, f"imports {name}"


def test_the_indexer_knows_nothing_of_those_who_ask():
    for path in FILES:
        if name_of(path).startswith("indexer"):
            assert not [name for name, _ in imports_of(path) if name.startswith("clawa_search")]


@pytest.mark.parametrize("verb", ["recall", "recall --json", "recall --tag a", "show", "remember"])
def test_a_frequent_verb_loads_nothing_heavy(tmp_path, verb):
    home = Home(tmp_path)
    home.write("a.jsonl", user("tea at five"))
    home.recall.remember("tea", tags=["a"])
    home.reindex()
    home.close()
    words = [*verb.split(), "1" if verb == "show" else "tea"]
    code = (
        f"import sys; sys.path[:0] = {FOUND_HERE}\n"
        f"from clawa_search.main import run; run({words}); print(*sys.modules)"
    )
    ran = home.finish(home.start(program=("-I", "-S", "-c", code)))
    assert ran.code == 0, ran.err
    loaded = set(ran.out.splitlines()[-1].split())
    allowed = {"contextlib"} if verb == "remember" else set()
    assert not loaded.intersection(FORBIDDEN) - allowed


def test_the_heavy_list_is_of_modules_that_exist():
    code = f"import importlib.util as u; print([n for n in {FORBIDDEN} if not u.find_spec(n)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
