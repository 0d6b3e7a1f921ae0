"""A clean installation to measure: the wheel in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed clawa-search.

    Attributes:
        python: the interpreter of its environment: the reference for every cold process, since
            the same start-up files are read.
        script: the console script that users call.
    """

    python: str
    script: str

    def command(self, corpus_home: str, index_dir: Path, sessions: str, *words: str) -> list[str]:
        """Return `clawa-search WORDS` on these places."""
        places = ["--home", corpus_home, "--index-dir", str(index_dir), "--sessions-dir", sessions]
        return [self.script, *places, *words]


def install(root: Path) -> Installation:
    """Build the wheel and install it below *root*, into the environment that is there already.

    An editable installation would not do: its path hook costs every process 2 ms.
    """
    folder = root / "venv"
    python = str(folder / "bin" / "python")
    constraints = ("-c", str(REPOSITORY / "constraints.txt"))
    with tempfile.TemporaryDirectory(prefix="clawa-bench-") as wheels:
        _pip(sys.executable, "wheel", "--no-deps", "-w", wheels, str(REPOSITORY))
        wheel = str(next(Path(wheels).glob("clawa_search-*.whl")))
        if not Path(python).exists():
            venv.create(folder, with_pip=True)
            _pip(python, "install", *constraints, wheel)
        else:  # of the same version, perhaps, but of other sources
            _pip(python, "install", *constraints, "--force-reinstall", "--no-deps", wheel)
    return Installation(python, str(folder / "bin" / "clawa-search"))


def install_package(folder: Path, *requirements: str) -> bool:
    """Install *requirements* into a new environment in *folder*; return whether that worked."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        try:
            _pip(str(python), "install", *requirements)
        except subprocess.CalledProcessError:
            return False
    return True


def _pip(python: str, verb: str, *arguments: str) -> None:
    subprocess.run(
        [python, "-m", "pip", verb, "-q", "--disable-pip-version-check", *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
