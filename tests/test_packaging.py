"""The wheel: what is in it, and that it works where nothing but its dependencies is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from clawa_search import __version__
from tests.builders import REPOSITORY

MAX_BYTES = 5_000_000
DATA = (
    "clawa_search/py.typed",
    "indexer/py.typed",
    "clawa_search/output/o200k_base.table",
    "clawa_search/pi/clawa.ts",
    "clawa_search/pi/tools.json",
    "clawa_search/pi/package.json",
    "clawa_search/demo_home/CLAW.md",
    "clawa_search/demo_home/settings.json",
    "clawa_search/demo_home/sessions/2026-05-04T07-10-00-000Z_fan.jsonl",
)


def run(*words, **more):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Build sdist and wheel once, from what git knows, with the installed hatchling."""
    folder = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source")
    names = run("git", "ls-files", "-co", "--exclude-standard", cwd=REPOSITORY).splitlines()
    for name in names:
        if (REPOSITORY / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, source / name)
    run(sys.executable, "-m", "hatchling", "build", "-d", folder, cwd=source)
    return folder


@pytest.fixture(scope="session")
def wheel(built):
    (found,) = built.glob("*.whl")
    return found


def runtime_distributions():
    """Return what an installation without extras brings, ourselves excepted."""
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    table = text.partition("\ndependencies = [")[2].partition("\n]")[0]
    wanted = re.findall(r'^\s*"(.+?)"', table, re.MULTILINE)
    known = {}
    while wanted:
        needed = Requirement(wanted.pop())
        name = needed.name.lower().replace("_", "-")
        if name not in known and (needed.marker is None or needed.marker.evaluate({"extra": ""})):
            known[name] = metadata.distribution(name)
            wanted += known[name].requires or []
    return list(known.values())


@pytest.fixture(scope="session")
def clean(wheel, tmp_path_factory):
    """Make a venv with the wheel and its dependencies only, and return its `bin`."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder / "venv", with_pip=False)
    program = folder / "venv/bin/python"
    site = Path(run(program, "-c", "import site; print(site.getsitepackages()[0])").strip())
    for found in runtime_distributions():
        for top in {Path(file).parts[0] for file in found.files or () if ".." not in str(file)}:
            origin = Path(str(found.locate_file(top)))
            if top != "__pycache__" and origin.exists() and not (site / top).exists():
                (site / top).symlink_to(origin)
    run(
        sys.executable, "-m", "pip", "--python", program, "install", "-q", "--no-deps", "--no-index",
        "--disable-pip-version-check", wheel,
    )  # fmt: skip
    return folder / "venv/bin"


def test_the_wheel_holds_two_packages_their_data_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        scripts = [one for one in archive.infolist() if one.filename.endswith("/clawa-search")]
    assert set(DATA) <= set(names)
    tops = {name.partition("/")[0] for name in names}
    version = f"clawa_search-{__version__}"
    assert tops == {"clawa_search", "indexer", f"{version}.dist-info", f"{version}.data"}
    assert not [name for name in names if name.endswith((".pyc", ".sqlite", ".log"))]
    assert [one.filename for one in scripts] == [f"{version}.data/scripts/clawa-search"]
    assert scripts[0].external_attr >> 16 & 0o111 == 0o111
    assert wheel.stat().st_size < MAX_BYTES


def test_the_sdist_holds_tests_and_no_results(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "run", "constraints.txt", *DATA):
        assert name in names
    assert "tests/test_packaging.py" in names
    assert not [name for name in names if name.startswith((".venv", "bench/results"))]


def test_the_command_works_where_only_its_dependencies_are(clean, tmp_path):
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    command = clean / "clawa-search"
    assert run(command, "--version", env=env) == f"clawa-search {__version__}\n"
    assert run(command, "remember", "tea", cwd=tmp_path, env=env) == "Remembered #1.\n"
    assert run(command, "recall", "tea", cwd=tmp_path, env=env) == "1. [mem #1]\ntea\n"
    assert run(command, "demo", cwd=tmp_path, env=env).endswith(
        "your own files were not touched.\n"
    )
    first = command.read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"#!{clean / 'python'}"


@pytest.mark.parametrize(
    "verb", ["status", "doctor", "hydrate --help", "completion bash", "bridge"]
)
def test_no_verb_needs_what_only_developers_have(clean, tmp_path, verb):
    done = subprocess.run(
        [clean / "clawa-search", *verb.split()],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_name_indexer_is_ours(clean):
    told = run(
        clean / "python",
        "-c",
        "import importlib.metadata as m\n"
        "print(m.packages_distributions()['indexer'], m.version('clawa-search'))",
    )
    assert told == f"['clawa-search'] {__version__}\n"


def test_nothing_of_developers_is_found(clean, tmp_path):
    """`tests` and `bench` lie beside the packages here, never where they are installed."""
    told = run(
        clean / "python", "-c",
        "import importlib.util as u; print([n for n in "
        "('pytest', 'hypothesis', 'mypy', 'tests', 'bench', 'watchfiles', 'numpy') if u.find_spec(n)])",
        cwd=tmp_path,
    )  # fmt: skip
    assert told == "[]\n"


def test_constraints_pin_every_dependency_of_an_install_and_name_no_host():
    text = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0] for line in text.splitlines()}
    for found in runtime_distributions():
        assert found.metadata["Name"].lower().replace("_", "-") in pinned
    assert all(re.fullmatch(r"[a-z0-9.-]+==[^ ;]+( ; .+)?", line) for line in text.splitlines())


def test_both_ways_to_check_can_be_run():
    for name in ("run", ".ci/run"):
        assert os.access(REPOSITORY / name, os.X_OK)
