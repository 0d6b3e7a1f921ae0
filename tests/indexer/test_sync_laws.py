"""Whatever happens to session files and to the process that indexes them, answers are the same."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from indexer import layout
from indexer.ledger import Ledger
from indexer.writer import Writer
from tests.indexer.lab import (
    SCALE,
    WORD,
    Lab,
    header,
    indexed,
    memory_folder,
    said,
    session,
    tool_result,
)

NAMES = ("a.jsonl", "b.jsonl", "sub/c.jsonl")
NEW_NAMES = ("sub/new/d.jsonl", "e.jsonl", "sub/f.jsonl")


class Killed(BaseException):
    """Ends a sync where a SIGKILL would."""


def die(*_args, **_options):
    raise Killed


class World:
    """Session files that change, and syncs that run, fail and die."""

    def __init__(self, folder):
        self.lab = Lab(folder)
        self.count = 0
        for name in NAMES:
            self.create(self.lab.sessions / name, 0)
        self.lab.sync()

    def text(self):
        self.count += 1
        return f"w{self.count:04d}"

    def create(self, path, amount):
        texts = [self.text() for _ in range(1 + amount % 3)]
        data = session(*texts, session_id=f"s{self.count}")
        self.lab.write(path.relative_to(self.lab.sessions), data)

    def append(self, path, amount):
        line = said(f"x{self.count}", f"{WORD} {self.text()}", role="assistant")
        pieces = [
            line + b"\n",
            tool_result("t", f"{WORD} {self.text()}") + b"\n",
            line,
            line,
            line[: len(line) // 2],
            b"\n",
            b"\xff\x00{not json}\n",
        ]
        with path.open("ab") as file:
            file.write(pieces[amount % 7])

    def rewrite_with_equal_size_and_old_mtime(self, path, amount):
        before = path.stat()
        data = path.read_bytes()
        old = [b" w0", b" v0"][amount % 2]
        with path.open("r+b") as file:
            file.write(data.replace(old, {b" w0": b" v0", b" v0": b" w0"}[old]))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def rewrite_through_a_temporary_file(self, path, amount):
        data = path.read_bytes().replace(b" w0", b" u0")
        temporary = self.lab.sessions / "temporary"
        temporary.write_bytes(data + [b"", said("g", f"{WORD} {self.text()}") + b"\n"][amount % 2])
        temporary.replace(path)

    def rewrite_and_append(self, path, _amount):
        data = path.read_bytes().replace(b" w0", b" u0")
        path.write_bytes(data + said("g", f"{WORD} {self.text()}") + b"\n")

    def truncate(self, path, amount):
        os.truncate(path, path.stat().st_size * (amount % 10) // 9)

    def rename(self, path, amount):
        other = self.lab.sessions / [*NAMES, *NEW_NAMES][amount % 6]
        other.parent.mkdir(parents=True, exist_ok=True)
        path.replace(other)

    def swap(self, path, amount):
        other = self.lab.sessions / NAMES[amount % 3]
        if other.exists() and other != path:
            path.replace(self.lab.sessions / "temporary")
            other.replace(path)
            (self.lab.sessions / "temporary").replace(other)

    def delete(self, path, _amount):
        path.unlink()

    def touch(self, path, amount):
        at = 1_780_000_000 + (amount % 3 - 1) * 300 * 31_557_600
        os.utime(path, (at, at))

    def nothing(self, _path, _amount):
        """Leave the files alone."""

    def reindex(self):
        self.lab.sync()
        assert indexed(self.lab.index_dir) == self.lab.expected(torn=False)

    def rebuild(self):
        self.lab.sync(rebuild=True)
        assert indexed(self.lab.index_dir) == self.lab.expected(torn=False)

    def die_before_the_commit(self, *, rebuild=False):
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setattr(Writer, "commit", die)
            self.lab.sync(rebuild=rebuild)

    def die_after_the_commit(self, *, rebuild=False):
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            patch.setattr(Ledger, "save", die)
            self.lab.sync(rebuild=rebuild)

    def die_in_a_rebuild(self):
        self.die_after_the_commit(rebuild=True)

    def become_another_version(self):
        pointer = Path(self.lab.index_dir, layout.CURRENT)
        pointer.write_text(f"{pointer.read_text().split()[0]} s0a0\n")

    def wait(self):
        """Do not index: the next question reads what is new by itself."""

    def check(self, before):
        """Recall finds all that the files say and nothing that they said *before*."""
        now = self.lab.expected(torn=True)
        places = {(path, line) for path, line, _ in now}
        assert self.lab.recalled() == places
        assert self.lab.recalled(everything=False) == places
        lost = {text for *_, text in before} - {text for *_, text in now}
        for text in sorted(lost)[:2]:
            assert not self.lab.recalled(text.split()[-1])


changes = st.sampled_from(
    [
        World.append,
        World.append,
        World.create,
        World.rewrite_with_equal_size_and_old_mtime,
        World.rewrite_through_a_temporary_file,
        World.rewrite_and_append,
        World.truncate,
        World.rename,
        World.swap,
        World.delete,
        World.touch,
        World.nothing,
    ]
)
syncs = st.sampled_from(
    [
        World.reindex,
        World.reindex,
        World.rebuild,
        World.die_before_the_commit,
        World.die_after_the_commit,
        World.die_in_a_rebuild,
        World.become_another_version,
        World.wait,
        World.wait,
    ]
)
steps = st.tuples(changes, st.sampled_from([*NAMES, "e.jsonl"]), st.integers(0, 59), syncs)


@settings(max_examples=25 * SCALE)
@given(st.lists(steps, min_size=1, max_size=8))
@example(  # two crashes in a row: the first one's files must not stay in the index for ever
    [
        (World.rename, "a.jsonl", 3, World.wait),
        (World.create, "a.jsonl", 1, World.die_after_the_commit),
        (World.delete, "a.jsonl", 0, World.wait),
        (World.rename, "b.jsonl", 0, World.wait),
        (World.create, "b.jsonl", 0, World.die_before_the_commit),
    ]
)
@example([(World.append, "a.jsonl", 0, World.die_after_the_commit)] * 2)
@example([(World.append, "a.jsonl", 2, World.reindex), (World.append, "a.jsonl", 5, World.reindex)])
@example([(World.rename, "a.jsonl", 3, World.reindex), (World.touch, "b.jsonl", 0, World.reindex)])
@example([(World.rename, "a.jsonl", 4, World.wait), (World.append, "e.jsonl", 0, World.reindex)])
@example(
    [
        (World.truncate, "a.jsonl", 0, World.reindex),
        (World.append, "a.jsonl", 0, World.die_after_the_commit),
    ]
)
def test_any_history_of_files_and_syncs_gives_the_answers_of_a_clean_index(history):
    with tempfile.TemporaryDirectory(prefix="clawa-laws-", dir=memory_folder()) as folder:
        world = World(Path(folder))
        for change, name, amount, sync in history:
            before = world.lab.expected(torn=True)
            path = world.lab.sessions / name
            if path.exists():
                change(world, path, amount)
            else:
                world.create(path, amount)
            world.check(before)
            sync(world)
            world.check(before)
        world.reindex()
        assert world.lab.sync().added == 0
        world.lab.close()


def test_an_incremental_index_holds_what_a_clean_one_holds(tmp_path):
    lab = Lab(tmp_path)
    lab.write("a.jsonl", session("one", "two"))
    lab.sync()
    lab.append("a.jsonl", said("e9", f"{WORD} three"))
    lab.write("b.jsonl", header("s2") + b"\n")
    lab.sync()
    lab.sync(index_dir=str(tmp_path / "clean"))
    assert indexed(lab.index_dir) == indexed(str(tmp_path / "clean"))
    lab.close()
