"""Writers are killed at any moment: the index opens, answers, and comes back whole and small."""

import json
import multiprocessing
import os
import random
import signal
from pathlib import Path

import pytest

from clawa_search.search.sessions import SessionIndex
from indexer import layout, passing, store
from indexer.ledger import Ledger
from indexer.sync import sync
from indexer.writer import Writer
from tests.indexer.lab import WORD, Lab, header, indexed, said, session, size_of

KILLS = 20
FILES = 4
LINES = 25


def die(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)


def write_for_ever(folder, seed, moment, started):
    """Append and index until killed; *moment* is where it kills itself, if anywhere."""
    lab = Lab(Path(folder))
    chance = random.Random(seed)
    patch = pytest.MonkeyPatch()
    if moment == "before the index is committed":
        patch.setattr(Writer, "commit", die)
    elif moment == "between index and catalog":
        patch.setattr(Ledger, "save", die)
    elif moment == "between a new index and its use":
        patch.setattr(store, "point_to", die)
    count = 0
    while True:
        for number in range(FILES):
            lab.append(f"{number}.jsonl", *lines(chance, f"{seed}-{count}-{number}"))
        sync(lab.index_dir, lab.listing(), rebuild=count % 5 == 2)
        started.set()
        count += 1


def lines(chance, name):
    words = [f"w{chance.randrange(300)}" for _ in range(LINES * 60)]
    for number in range(LINES):
        text = " ".join(words[number * 60 : number * 60 + 60])
        yield said(f"{name}-{number}", f"unique{name.replace('-', 'x')}x{number} {text}")


MOMENTS = (
    "before the index is committed",
    "between index and catalog",
    "between a new index and its use",
    *["any"] * (KILLS - 3),
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_twenty_killed_writers_leave_a_whole_and_small_index(memory_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.indexer.test_crash"])
    lab = Lab(memory_path)
    for number in range(FILES):
        lab.write(f"{number}.jsonl", header(f"s{number}") + b"\n")
    lab.sync()
    chance = random.Random(11)
    for seed, moment in enumerate(MOMENTS):
        started = context.Event()
        writer = context.Process(
            target=write_for_ever, args=(str(memory_path), seed, moment, started)
        )
        writer.start()
        if moment == "any":
            started.wait(30)
            writer.join(chance.random() * 0.2)
            writer.kill()
        writer.join(30)
        assert writer.exitcode == -signal.SIGKILL
        current = layout.current(lab.index_dir)
        assert current is not None
        SessionIndex(current)
        path, line, text = max(lab.expected(torn=False), key=lambda found: found[1])
        assert lab.recalled(text.split()[0]) == {(path, line)}
    lab.sync()
    assert indexed(lab.index_dir) == lab.expected(torn=False)
    lab.close()
    clean = str(memory_path / "clean")
    lab.sync(index_dir=clean)
    assert size_of(lab.index_dir) < 1.6 * size_of(clean)  # its segments are not always merged
    current = layout.current(lab.index_dir)
    assert current is not None
    assert set(os.listdir(lab.index_dir)) == {"CURRENT", "lock", Path(current.folder).name}
    assert orphans(current.messages) | orphans(current.priors) == set()


def orphans(folder):
    """Return the files of a Tantivy index that no segment of it needs."""
    meta = json.loads(Path(folder, "meta.json").read_bytes())
    segments = {segment["segment_id"].replace("-", "") for segment in meta["segments"]}
    own = {"meta.json", ".managed.json", ".tantivy-meta.lock", ".tantivy-writer.lock"}
    return {name for name in os.listdir(folder) if name.partition(".")[0] not in segments} - own


def build_and_die(folder, commits):
    """Make a first index, a commit a file, and die at the commit after *commits*."""
    patch = pytest.MonkeyPatch()
    patch.setattr(passing, "COMMIT_BYTES", 1)
    left = iter(range(commits))
    commit = Writer.commit
    patch.setattr(Writer, "commit", lambda self: commit(self) if next(left, -1) >= 0 else die())
    lab = Lab(Path(folder))
    sync(lab.index_dir, lab.listing())


@pytest.mark.parametrize("old", [None, "gen-1 s0a0\n"])
def test_a_first_index_that_was_killed_goes_on_where_it_was(memory_path, old):
    lab = Lab(memory_path)
    for number in range(8):
        lab.write(f"{number}.jsonl", session(f"only{number}"))
    if old is not None:
        lab.sync()
        Path(lab.index_dir, "CURRENT").write_text(old)
    context = multiprocessing.get_context("forkserver")
    for commits in (0, 3, 1):
        process = context.Process(target=build_and_die, args=(str(memory_path), commits))
        process.start()
        process.join(30)
        assert process.exitcode == -signal.SIGKILL
    current = layout.current(lab.index_dir)
    assert current is not None
    assert SessionIndex(current).entries == 4
    assert len(lab.recalled(WORD)) == 8  # the others are read as they are
    report = lab.sync()
    assert (report.indexed, report.unchanged) == (4, 4)
    assert indexed(lab.index_dir) == lab.expected(torn=False)
    assert set(os.listdir(lab.index_dir)) == {"CURRENT", "lock", Path(current.folder).name}


def test_a_rebuild_that_was_killed_leaves_the_index_as_it_was(memory_path):
    lab = Lab(memory_path)
    for number in range(4):
        lab.write(f"{number}.jsonl", session(f"only{number}"))
    lab.sync()
    before = layout.current(lab.index_dir)
    assert before is not None
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setattr(passing, "COMMIT_BYTES", 1)
        patched.setattr(Ledger, "sign", fail)
        with pytest.raises(KeyboardInterrupt):
            sync(lab.index_dir, lab.listing(), rebuild=True)
    after = layout.current(lab.index_dir)
    assert after is not None
    assert after.folder == before.folder
    assert indexed(lab.index_dir) == lab.expected(torn=False)


def fail(*_args, **_options):
    raise KeyboardInterrupt


@pytest.mark.parametrize("change", ["append", "delete", "rewrite"])
def test_what_was_committed_but_not_recorded_is_repeated_and_no_damage(memory_path, change):
    lab = Lab(memory_path)
    for name in "abc":
        lab.write(f"{name}.jsonl", session(f"one {name}", f"two {name}"))
    lab.sync()
    if change == "append":
        lab.append("a.jsonl", said("z", f"{WORD} three"))
    elif change == "rewrite":
        lab.write("a.jsonl", session("another"))
    else:
        (lab.sessions / "a.jsonl").unlink()
    writer = os.fork()
    if not writer:
        Ledger.save = die  # type: ignore[method-assign]
        sync(lab.index_dir, lab.listing())
    assert os.waitpid(writer, 0)[1] == signal.SIGKILL
    report = sync(lab.index_dir, lab.listing())
    assert report.notes == []
    assert report.indexed + report.removed == 1
    assert report.unchanged == 2
