"""Whatever happens to session files and to the process that indexes them, answers are the same."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from indexer import store
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
names = st.sampled_from(NAMES)


class Killed(BaseException):
    """Ends a sync where a SIGKILL would."""


def die(*_args, **_kwargs):
    raise Killed


class World(RuleBasedStateMachine):
    """Files change and syncs run, fail and die in any order; after each step recall is right."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="clawa-laws-", dir=memory_folder()))
        self.lab = Lab(self.folder)
        self.count = 0

    def teardown(self):
        self.lab.close()
        shutil.rmtree(self.folder)

    def path(self, name):
        return self.lab.sessions / name

    def exists(self, name):
        return self.path(name).exists()

    def text(self):
        self.count += 1
        return f"{WORD} w{self.count:04d}"

    @rule(name=names, count=st.integers(0, 3))
    def create(self, name, count):
        texts = [f"w{self.count + number:04d}" for number in range(count)]
        self.count += count
        self.lab.write(name, session(*texts, session_id=f"s{self.count}"))

    @rule(name=names, what=st.sampled_from(["said", "tool", "torn", "glued", "blank", "garbage"]))
    def append(self, name, what):
        if not self.exists(name):
            return
        line = said(f"x{self.count}", self.text(), role="assistant")
        piece = {
            "said": line + b"\n",
            "tool": tool_result("t", self.text()) + b"\n",
            "torn": line[: len(line) // 2],
            "glued": line,
            "blank": b"\n",
            "garbage": b"\xff\x00{not json}\n",
        }[what]
        with self.path(name).open("ab") as file:
            file.write(piece)

    @rule(name=names)
    def rewrite_in_place_with_equal_size_and_old_mtime(self, name):
        if not self.exists(name):
            return
        path = self.path(name)
        before = path.stat()
        data = path.read_bytes().replace(b" w0", b" v0")
        with path.open("r+b") as file:
            file.write(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    @rule(name=names, grow=st.booleans())
    def rewrite_through_a_temporary_file(self, name, grow):
        if not self.exists(name):
            return
        data = self.path(name).read_bytes().replace(b" v0", b" u0")
        temporary = self.lab.sessions / "temporary"
        temporary.write_bytes(data + (said("g", self.text()) + b"\n" if grow else b""))
        temporary.replace(self.path(name))

    @rule(name=names, share=st.floats(0, 1))
    def truncate(self, name, share):
        if self.exists(name):
            os.truncate(self.path(name), int(self.path(name).stat().st_size * share))

    @rule(name=names, other=names)
    def rename(self, name, other):
        if self.exists(name):
            self.path(other).parent.mkdir(exist_ok=True)
            self.path(name).replace(self.path(other))

    @rule(name=names)
    def delete(self, name):
        self.path(name).unlink(missing_ok=True)

    @rule(name=names, years=st.sampled_from([-30, 0, 300]))
    def touch(self, name, years):
        if self.exists(name):
            at = 1_780_000_000 + years * 31_557_600
            os.utime(self.path(name), (at, at))

    @rule(rebuild=st.booleans())
    def reindex(self, rebuild):
        self.lab.sync(rebuild=rebuild)
        assert indexed(self.lab.index_dir) == self.lab.expected(torn=False)

    @rule(committed=st.booleans(), rebuild=st.booleans())
    def reindex_and_die(self, committed, rebuild):
        with pytest.MonkeyPatch.context() as patch:
            if committed:
                patch.setattr(Ledger, "save", die)
            else:
                patch.setattr(Writer, "commit", die)
            with suppress(Killed):
                self.lab.sync(rebuild=rebuild)

    @precondition(lambda self: os.path.exists(f"{self.lab.index_dir}/{store.CURRENT}"))
    @rule()
    def another_version(self):
        pointer = Path(self.lab.index_dir, store.CURRENT)
        pointer.write_text(f"{pointer.read_text().split()[0]} s0a0\n")

    @invariant()
    def recall_finds_what_the_files_say(self):
        expected = {(path, line) for path, line, _ in self.lab.expected(torn=True)}
        assert self.lab.recalled() == expected
        assert self.lab.recalled(everything=False) == expected

    @invariant()
    def old_texts_are_not_found(self):
        texts = " ".join(text for _, _, text in self.lab.expected(torn=True))
        for number in range(self.count):
            for letter in "wvu":
                word = f"{letter}{number:04d}"
                if word not in texts and number == self.count - 1:
                    assert not self.lab.recalled(word)


World.TestCase.settings = settings(max_examples=20 * SCALE, stateful_step_count=12)
test_any_history_of_files_and_syncs_gives_the_answers_of_a_clean_index = World.TestCase


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
