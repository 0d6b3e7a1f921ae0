"""The benchmarks measure what they say: same seed same bytes, measures as worked out by hand."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.baselines import BASELINES
from bench.corpus import Corpus, Plan, make_corpus
from bench.datasets import FORK, forked, load
from bench.evaluate import evaluate
from bench.homes import lay
from bench.metrics import auroc, measure, ndcg_at, percentile, recall_at

SMOKE = Path(__file__).parent.parent / "data" / "quality"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Corpus:
    return make_corpus(
        tmp_path_factory.mktemp("corpus"), Plan(size_mb=2, forks=0.3, needles=4, memories=20)
    )


def entries_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def session_files(corpus: Corpus) -> list[Path]:
    return sorted(Path(corpus.agent).glob("sessions/*/*.jsonl"))


def fingerprint(root: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.jsonl")):
        digest.update(str(path).encode() + path.read_bytes() + str(path.stat().st_mtime).encode())
    return digest.hexdigest()


def test_the_same_plan_makes_the_same_bytes(tmp_path):
    plan = Plan(size_mb=1, seed=7)
    make_corpus(tmp_path, plan)
    first = fingerprint(tmp_path)
    make_corpus(tmp_path, plan)
    assert fingerprint(tmp_path) == first


def test_another_seed_makes_other_bytes(tmp_path):
    make_corpus(tmp_path, Plan(size_mb=1, seed=7))
    first = fingerprint(tmp_path)
    make_corpus(tmp_path, Plan(size_mb=1, seed=8))
    assert fingerprint(tmp_path) != first


def test_a_folder_that_the_generator_did_not_make_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError):
        make_corpus(tmp_path, Plan(size_mb=1))
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_every_session_is_a_tree_below_a_header(corpus):
    for path in session_files(corpus):
        header, *entries = entries_of(path)
        assert header["type"] == "session"
        assert path.stem.endswith(header["id"])
        known = {None}
        for entry in entries:
            assert entry["parentId"] in known
            known.add(entry["id"])


def test_the_report_counts_what_is_on_disk(corpus):
    paths = session_files(corpus)
    assert corpus.files == len(paths)
    assert corpus.bytes == sum(path.stat().st_size for path in paths)
    assert corpus.lines == sum(len(entries_of(path)) for path in paths)
    assert 0.02 < corpus.searchable_bytes / corpus.bytes < 0.08


def test_a_needle_lies_where_the_report_says(corpus):
    assert len(corpus.needles) == 4
    placed = [needle for needle in corpus.needles if needle.path]
    assert placed
    for needle in placed:
        entry = entries_of(Path(needle.path))[needle.line - 1]
        assert entry["id"] == needle.entry_id
        assert needle.text in json.dumps(entry)


def test_a_fork_repeats_its_parents_entries(corpus):
    forks = [path for path in session_files(corpus) if "parentSession" in entries_of(path)[0]]
    assert forks
    for path in forks:
        parent = entries_of(Path(entries_of(path)[0]["parentSession"]))
        assert entries_of(path)[1] == parent[1]


def test_as_many_files_as_asked_for(tmp_path):
    corpus = make_corpus(tmp_path, Plan(size_mb=1, files=120, needles=0))
    assert corpus.files == 120


def test_one_long_line_when_asked_for(tmp_path):
    corpus = make_corpus(tmp_path, Plan(size_mb=1, long_line_mb=3))
    longest = max(
        len(line) for path in session_files(corpus) for line in path.read_bytes().split(b"\n")
    )
    assert longest > 2_000_000


def test_measures_worked_out_by_hand():
    found = measure(["x", "a", "y", "b"], ["a", "b", "c"])
    assert found["R@5"] == pytest.approx(2 / 3)
    assert found["hit@1"] == 0
    assert found["hit@5"] == 1
    assert found["MRR"] == 1 / 2
    # Gains 1/log2(3) and 1/log2(5) of the best 1 + 1/log2(3) + 1/log2(4).
    assert found["nDCG@10"] == pytest.approx((0.63093 + 0.43068) / (1 + 0.63093 + 0.5), abs=1e-4)


def test_a_copy_of_the_evidence_uses_up_a_place_and_gains_nothing():
    assert recall_at(["a", "a", "b"], ["a", "b"], 2) == 1 / 2
    assert ndcg_at(["a", "a"], ["a"]) == 1.0


numbers = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=20)


@given(numbers, numbers)
def test_auroc_is_the_share_of_pairs_in_order(positive, negative):
    pairs = [(one, other) for one in positive for other in negative]
    expected = sum((one > other) + 0.5 * (one == other) for one, other in pairs) / len(pairs)
    assert auroc(positive, negative) == pytest.approx(expected)


@given(numbers)
def test_a_percentile_is_one_of_the_values(values):
    assert min(values) <= percentile(values, 0.95) <= max(values)


def test_a_laid_out_message_stands_on_its_line(tmp_path):
    (conversation,) = load(SMOKE, "smoke")
    home = lay(conversation, tmp_path)
    assert len(home.messages) == len(conversation.messages)
    for (path, line), message in home.messages.items():
        entry = entries_of(Path(path))[line - 1]
        assert entry["message"]["role"] == message.role
        assert entry["message"]["content"][0]["text"] == message.text


def test_forked_sessions_repeat_ids_in_other_files(tmp_path):
    conversations = load(SMOKE, "smoke")
    chosen = set(conversations[0].sessions()[:1])
    home = lay(forked(conversations, chosen)[0], tmp_path)
    copies = [
        [entry["id"] for entry in entries_of(Path(path))[1:]]
        for name, path in home.files.items()
        if name.partition(FORK)[0] in chosen
    ]
    assert len(copies) == 3
    assert copies[0] == copies[1] == copies[2]


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_answers_the_smoke_questions(name):
    summary = evaluate(name, BASELINES[name], load(SMOKE, "smoke")).summary()
    assert summary["questions"] == 32
    assert summary["turn"]["R@25"] > 50
