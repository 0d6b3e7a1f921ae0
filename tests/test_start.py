"""What the command loads in one go is the code that stands in the sources, whatever lies beside."""

import compileall
import marshal
import os
import shutil
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest

from clawa_search import packs, start
from tests.builders import REPOSITORY, Home, user

PARTS = ("first", "recall", "search")


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path / "home", indexed=True)
    made.write("a.jsonl", user("when is tea"))
    made.ready()
    yield made
    made.close()


@pytest.fixture
def tree(tmp_path):
    """Return a copy of the sources, as freshly installed."""
    made = tmp_path / "site"
    for package in ("clawa_search", "indexer"):
        shutil.copytree(REPOSITORY / package, made / package)
    for pack in made.rglob("*.pack*"):
        pack.unlink()
    assert compileall.compile_dir(made, quiet=1)
    return made


def pack_in(tree, part):
    return tree / "clawa_search/__pycache__" / Path(start.pack_of(part)).name


def ask(home, tree, *, first="", **env):
    """Run a recall of the sources in *tree*; the code *first* runs before it."""
    begin = f"import sys\nfrom clawa_search import start\n{first}\n"
    code = f"{begin}sys.argv[1:] = ['recall', 'tea']\nstart.main()"
    ran = home.finish(home.start(program=("-c", code), env={"PYTHONPATH": str(tree), **env}))
    assert (ran.code, ran.err) == (0, "")
    return ran.out


ONLY_PACKS = "start.byte_code = lambda source: sys.exit(f'{source}: not in a pack')"


def test_the_first_run_packs_the_byte_code_and_the_next_needs_nothing_else(home, tree):
    assert not any(pack_in(tree, part).exists() for part in PARTS)
    told = ask(home, tree)
    assert "when is tea" in told
    for part in PARTS:
        assert pack_in(tree, part).stat().st_mode & 0o777 == 0o600
    assert ask(home, tree, first=ONLY_PACKS) == told
    assert [path for path in tree.rglob("*.pack*") if path.suffix != ".pack"] == []


@pytest.mark.parametrize("only", ["time", "size"])
def test_an_edited_source_is_what_runs(home, tree, only):
    ask(home, tree)
    edited = tree / "clawa_search/output/text.py"
    before, source = edited.stat(), edited.read_bytes()
    added = b'print("<new>")\n'
    if only == "time":
        source = source.replace(source[3 : 3 + len(added)], b"", 1)  # of its docstring
    edited.write_bytes(source + added)
    later = before.st_mtime_ns + (only == "time") * 2_000_000_000
    os.utime(edited, ns=(later, later))
    assert (edited.stat().st_size == before.st_size) == (only == "time")
    assert "<new>" in ask(home, tree)  # Python compiles it
    assert "<new>" in ask(home, tree)  # and here it is packed
    assert "<new>" in ask(home, tree, first=ONLY_PACKS)


def damaged():
    """Yield what a pack may be turned into, by name."""
    yield "empty", lambda raw: b""
    yield "cut head", lambda raw: raw[:10]
    yield "cut part", lambda raw: raw[:-100]
    yield "other Python", lambda raw: b"\0\0\r\n" + raw[4:]
    yield (
        "no lengths",
        lambda raw: raw[:4] + b"\xff" * (start.HEAD_BYTES - 4) + raw[start.HEAD_BYTES :],
    )
    yield (
        "no dict",
        lambda raw: (
            raw[:4] + marshal.dumps((5,)).ljust(start.HEAD_BYTES - 4, b"\0") + marshal.dumps(1)
        ),
    )


DAMAGES = dict(damaged())


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_pack_is_made_anew(home, tree, damage):
    told = ask(home, tree)
    pack = pack_in(tree, "recall")
    whole = pack.read_bytes()
    pack.write_bytes(DAMAGES[damage](whole))
    assert ask(home, tree) == told
    assert ask(home, tree, first=ONLY_PACKS) == told


def test_nothing_is_written_where_python_shall_write_no_byte_code(home, tree):
    assert "when is tea" in ask(home, tree, PYTHONDONTWRITEBYTECODE="1")
    assert [*tree.rglob("*.pack*")] == []


def test_a_folder_that_cannot_be_written_is_left_alone(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    packs.write(f"{blocked}/x.pack", {})
    full = tmp_path / "first.pack"
    full.mkdir()  # the last step fails
    packs.write(str(full), {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "first.pack"]


def test_parts_are_short_enough_to_be_read_in_one_go(tmp_path):
    code = compile("x = '" + "y" * 30_000 + "'", "some", "exec")
    packs.write(str(tmp_path / "some.pack"), {f"m{number}": (b"", code) for number in range(9)})
    raw = (tmp_path / "some.pack").read_bytes()
    lengths = marshal.loads(raw[len(MAGIC_NUMBER) :])
    assert len(lengths) == 3
    assert all(length < start.MAX_BYTES for length in lengths)
    assert sum(lengths) + start.HEAD_BYTES == len(raw)


def test_what_stands_in_for_future_does_not_stay(home):
    code = "from clawa_search.start import preload\npreload('first')\nimport __future__\n"
    ran = home.finish(home.start(program=("-c", f"{code}print(__future__.division.optional)")))
    assert (ran.code, ran.err) == (0, "")
