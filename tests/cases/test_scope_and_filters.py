"""What a question is about: flags, filters in it, copies, all of its words."""

import os

import pytest

from clawa_search.search.question import MAX_QUERY_CHARS
from tests.builders import assistant, chain, header, lines, user, write_session

DAY_MS = 86_400_000
MAY_1 = 1_777_622_400_000


@pytest.mark.parametrize("scope", [["--all"], ["--project", "/srv/demo"], []])
def test_a_named_folder_of_sessions_stands_for_all_others(either, scope):
    either.write("a.jsonl", user("alpha here"))
    there = either.user / "there"
    there.mkdir()
    (there / "b.jsonl").write_bytes(lines(header(), *chain(user("alpha there"))))
    if either.indexed:
        either.reindex(there, either.sessions)
    told = either.run("recall", "--sessions-dir", str(there), *scope, "alpha", "--json").json
    assert [hit["path"] for hit in told["hits"]] == [str(there / "b.jsonl")]


def test_without_a_query_the_newest_copy_is_shown(either):
    for day, said in enumerate(("yes go ahead", "other thing", "yes go ahead")):
        head = header(session_id=f"s{day}", timestamp=f"2026-05-0{day + 1}T09:00:00.000Z")
        at_ms = MAY_1 + day * DAY_MS
        either.write(f"{day}.jsonl", user(said, timestamp=at_ms), head=head)
    either.ready()
    first, second = either.hits("")
    assert (first.path.rpartition("/")[2], first.ts_ms) == ("2.jsonl", MAY_1 + 2 * DAY_MS)
    assert (first.session_id, first.copies, len(first.also)) == ("s2", 2, 1)
    assert second.path.endswith("1.jsonl")
    ranked = either.hits("go ahead")[0]
    assert ranked.session_id == "s0"  # a search shows who said it first


def test_of_a_long_question_the_rarest_words_count_whoever_holds_them(either):
    unknown = " ".join(f"unknown{number}x" for number in range(60))
    either.write("a.jsonl", user("the aubergines are in the shed"))
    either.ready()
    either.recall.remember("cucumbers want two litres")
    assert [hit.kind for hit in either.hits(f"{unknown} cucumbers")] == ["memory"]
    assert [hit.kind for hit in either.hits(f"{unknown} aubergines")] == ["session"]


def test_all_of_a_question_is_read(either):
    either.write("a.jsonl", user("the aubergines are in the shed"))
    either.ready()
    filler = " ".join(f"the cow{number % 700}" for number in range(1_500))
    asked = f"{filler} aubergines"
    assert len(asked) < MAX_QUERY_CHARS
    assert len(either.hits(asked)) == 1


@pytest.fixture
def spoken(either):
    either.write("a.jsonl", user("alpha asked", timestamp=MAY_1))
    either.write(
        "b.jsonl", assistant("alpha told", timestamp=MAY_1 + 40 * DAY_MS), head=header("/srv/x/sub")
    )
    either.ready()
    return either


@pytest.mark.parametrize(
    ("flags", "query", "found"),
    [
        ({"roles": ("user",)}, "role:assistant alpha", []),
        ({"roles": ("user", "assistant")}, "role:assistant alpha", ["b"]),
        ({"roles": ("user", "assistant")}, "role:assistant role:user alpha", ["a", "b"]),
        ({}, "role:assistant alpha", ["b"]),
        ({"since_ms": MAY_1 + DAY_MS}, "since:2020-01-01 alpha", ["b"]),
        ({"since_ms": MAY_1 - DAY_MS}, "since:2026-05-20 alpha", ["b"]),
        ({"until_ms": MAY_1 + DAY_MS}, "until:2026-12-01 alpha", ["a"]),
        ({"until_ms": MAY_1 + 90 * DAY_MS}, "until:2026-05-20 alpha", ["a"]),
        ({"project": "/srv/demo"}, "project:/srv/x alpha", []),
        ({"project": "/srv"}, "project:/srv/x alpha", ["b"]),
        ({"project": "/srv/x/sub"}, "project:/srv alpha", ["b"]),
    ],
)
def test_filters_in_a_query_narrow_what_the_flags_leave(spoken, flags, query, found):
    answer = spoken.ask(query, everything=True, source="session", **flags)
    assert sorted(hit.path.rpartition("/")[2][0] for hit in answer.hits) == found
    if not found:
        assert "leaves nothing of --" in answer.notes[0]


def test_of_many_files_with_unreadable_lines_the_number_is_told(either):
    for number in range(9):
        path = either.write(f"{number}.jsonl", user("alpha"))
        path.write_bytes(path.read_bytes() + b"{no json\n" + lines(*chain(user("beta"), first=5)))
    either.ready()
    answer = either.ask("alpha", everything=True)
    assert not answer.complete
    assert any("9 " in note for note in answer.notes), answer.notes
    assert len(answer.notes) == 6


@pytest.mark.parametrize("unit", ["word{} ", "{}где ", "漢{}", "x_{}y "])
def test_the_longest_question_finds_its_last_word(either, unit):
    either.write("a.jsonl", user("alpha"))
    either.ready()
    text = "".join(map(unit.format, range(MAX_QUERY_CHARS)))[: MAX_QUERY_CHARS - 6]
    assert len(either.hits(f"{text} alpha")) == 1
    assert either.hits(text) == []


@pytest.mark.parametrize("length", [100_000, 199_990, 200_000, 1_000_000])
def test_what_a_long_entry_says_at_its_end_is_shown(either, length):
    filler = ("lorem ipsum " * (length // 12 + 1))[:length]
    either.write("a.jsonl", user(f"{filler} cherrybomb at the end"))
    either.ready()
    (hit,) = either.hits("cherrybomb")
    assert "cherrybomb at the end" in hit.excerpt


@pytest.mark.parametrize("budget", [240, 400, 2_000])
def test_notes_leave_room_for_hits(either, budget):
    for number in range(40):
        path = either.write(f"{'long-' * 12}{number}.jsonl", user(f"guava {number}"))
        path.write_bytes(path.read_bytes() + b"{no json\n" + lines(*chain(user("plum"), first=5)))
    either.ready()
    ran = either.run("recall", "guava", "--all", "--json", "--max-tokens", str(budget))
    assert ran.code == 0, ran.out
    assert not ran.json["complete"]
    assert bool(ran.json["hits"]) is (budget > 240)
    told = any("more notes; they are told without" in note for note in ran.json["notes"])
    assert told is (budget < 2_000)


@pytest.mark.parametrize("named", ["environment", "settings"])
def test_in_a_shared_folder_sessions_of_this_home_come_first(either, named):
    folder = either.user / "shared"
    place = str(either.project)
    write_session(folder / "own.jsonl", user("the banana relay"), head=header(place))
    for number in range(7):
        head = header("/srv/other", session_id=f"o{number}")
        path = write_session(folder / f"{number}.jsonl", user("a client plan"), head=head)
        os.utime(path, (2_000_000_000 + number,) * 2)
    if either.indexed:
        either.reindex(folder)
    env = {"PI_CODING_AGENT_SESSION_DIR": str(folder)}
    if named == "settings":
        env = {}
        (either.project / ".pi").mkdir()
        (either.project / ".pi" / "settings.json").write_text(f'{{"sessionDir": "{folder}"}}')
    told = either.run("recall", "banana relay", "--json", env=env).json
    assert [hit["path"] for hit in told["hits"]] == [str(folder / "own.jsonl")]
    (hit,) = either.run("recall", "client plan", "--json", env=env).json["hits"]
    assert hit["copies"] == 4
    env["PI_SESSION_FILE"] = str(folder / "0.jsonl")
    (hit,) = either.run("recall", "client plan", "--json", env=env).json["hits"]
    assert str(folder / "0.jsonl") in (hit["path"], *hit["also"])
