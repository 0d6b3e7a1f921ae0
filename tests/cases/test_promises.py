"""What was promised and once did not hold, each as a user meets it; indexed or not."""

import sqlite3
from pathlib import Path

import pytest

from clawa_search import recall
from clawa_search.errors import InvalidInputError, NotFoundError, StoreError
from clawa_search.pi.tools import question_of
from clawa_search.search import vocabulary, widen
from clawa_search.search.query import parse
from indexer.store import WriterLock
from tests.builders import assistant, chain, header, line, lines, swap, text, user


@pytest.mark.parametrize("query", ["foo_bar baz_qux", "packages/tui/test/test-themes.ts"])
def test_parts_of_two_identifiers_are_no_match(either, query):
    said = "the bar baz is open", "the packages of tui: test this, test that"
    either.write("a.jsonl", *map(user, said))
    either.ready()
    assert either.hits(query) == []


def test_pairs_and_runs_hold_a_whole_word_of_the_question():
    query = parse("which foo_bar baz_qux plum pear stands in packages/tui/test/test-themes.ts")
    wholes = {word.tokens for word in query.words}
    assert ("plum", "pear") in query.pairs
    for tokens in (*query.pairs, *query.runs):
        assert any(tokens[a:b] in wholes for a in range(3) for b in range(a + 1, 4))


@pytest.mark.parametrize("asked", ["giraffee", "walruss"])
def test_a_guessed_spelling_is_weak(either, asked):
    either.write("a.jsonl", user("the giraffe sleeps beside a walrus"), assistant("so it does"))
    either.ready()
    either.recall.remember("the giraffe sleeps, the walrus as well")
    answer = either.ask(asked)
    assert any("similar" in note for note in answer.notes)
    assert {hit.kind for hit in answer.hits} == {"memory", "session"}
    assert {hit.tier for hit in answer.hits} == {"weak"}


def test_the_newest_of_much_unindexed_text_is_found_by_its_beginning(home):
    filler = [user(f"filler {number} " + "lorem ipsum dolor " * 280) for number in range(300)]
    home.write("a.jsonl", *filler, user("newest says zyzzyvas"))
    for query in ("zyzzyv*", "zyzzyvsa~"):
        (hit,) = home.hits(query)
        assert hit.excerpt == "newest says zyzzyvas"
    home.recall.remember("zyzzyvax is near")
    answer = home.ask("zyzzyvas plainword")
    assert answer.notes == []
    assert answer.hits[0].excerpt == "newest says zyzzyvas"


def test_where_not_all_of_it_is_looked_at_that_is_told(home, monkeypatch):
    monkeypatch.setattr(vocabulary, "MAX_FRESH_CHARS", 100)
    home.write("a.jsonl", user("first says walrus " * 9), user("newest says walruses"))
    answer = home.ask("walr*")
    assert "newest says walruses" in [hit.excerpt for hit in answer.hits]
    assert widen.NOT_ALL in answer.notes
    assert not answer.complete
    assert home.ask("walrsu").notes == []  # nobody can say that it occurs nowhere


@pytest.mark.parametrize("first", [b'{"type":"session","version":3,"id":"s', b"", b"   "])
def test_a_file_of_which_no_line_could_be_read_yet_is_read_by_each_question(home, first):
    home.sessions.mkdir(parents=True)
    (entry,) = chain(user("lost okapi"))
    path = home.sessions / "a.jsonl"
    path.write_bytes(first + b"\n" + line(entry))
    for _ in range(2):
        (hit,) = home.hits("okapi")
        assert hit.line == 2
        home.reindex()
    path.write_bytes(path.read_bytes() + b"\n" + line(chain(user("more okapi"), first=2)[0]))
    assert len(home.hits("okapi")) == 2
    home.reindex()
    assert sorted(hit.line for hit in home.hits("okapi")) == [2, 3]


def test_a_torn_line_does_not_move_the_live_branch(home):
    said = chain(user("root ibex"), user("old ibex"))
    live = chain(user("live ibex"), first=4, parent="a0000001")
    torn = line({"type": "message", "id": "a0000009", "parentId": "a0000002",
                 "timestamp": "2026-01-02T03:09:00.000Z",
                 "message": {"role": "toolResult", "toolCallId": "x", "toolName": "bash",
                             "content": [text("cut here")]}})  # fmt: skip
    home.sessions.mkdir(parents=True)
    path = home.sessions / "a.jsonl"
    for size in (0, len(torn) - 30, len(torn) - 1):
        path.write_bytes(lines(header(), *said, *live) + torn[:size])
        told = {hit.line: hit.live for hit in home.hits("ibex")}
        assert told == {2: True, 3: False, 4: True}
    path.write_bytes(lines(header(), *said, *live) + torn)  # whole, without its line end
    assert {hit.line: hit.live for hit in home.hits("ibex")} == {2: True, 3: True, 4: False}


def test_a_tag_of_which_nothing_is_left_widens_no_search(home):
    home.recall.remember("tagged alpha", tags=["a"])
    home.recall.remember("plain alpha")
    assert [hit.tags for hit in home.hits("tag:a alpha")] == [("a",)]
    query = parse("tag:éé alpha")
    assert query.filters == [("tag", "éé")]
    answer = home.ask("tag:éé")
    assert answer.hits == []
    for tags in (["éé"], [""]):
        with pytest.raises(InvalidInputError, match="tag"):
            question_of({"query": "alpha", "tags": tags})


def test_of_entries_of_one_time_the_last_are_the_newest(either):
    at = "2026-05-01T10:00:00.000Z"
    either.write("a.jsonl", *(user(f"number {number}", timestamp=at) for number in range(30)))
    either.ready()
    for limit in (2, 10):
        told = [hit.excerpt for hit in either.hits("", limit=limit)]
        assert told == [f"number {29 - back}" for back in range(limit)]


def test_every_hit_of_an_old_or_odd_file_can_be_opened(either):
    either.sessions.mkdir(parents=True)
    said = [
        {"type": "message", "id": f"b000000{number}", "parentId": parent, "timestamp": 1_767_225_602_000,
         "message": {"role": "user", "content": f"pangolin {number}"}}
        for number, parent in ((2, None), (3, "b0000002"), (4, "b0000002"))
    ]  # fmt: skip
    head = {"kind": "header", "version": 4, "id": "v4", "createdAt": 1_767_225_600_000, "cwd": "/p"}
    wrapped = [{"kind": "entry", "seq": number, "entry": one} for number, one in enumerate(said)]
    named = [
        {"kind": "fact", "name": "pangolin name"},
        {"kind": "fact", "label": "pangolin label", "targetId": "b0000002"},
    ]
    (either.sessions / "v4.jsonl").write_bytes(lines(head, *wrapped, *named))
    (bare,) = chain(user("pangolin after a byte order mark"))
    (either.sessions / "bom.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(bare))
    either.ready()
    hits = either.hits("pangolin", context=1)
    assert len(hits) == 6
    for hit in hits:
        opened = either.recall.show(hit.ref, context=1)
        assert opened.status == "ok"
        assert opened.entry is not None
        assert opened.entry.text == hit.excerpt
        assert opened.entry.entry_id == hit.entry_id
    live = {hit.line: hit.live for hit in hits if hit.path.endswith("v4.jsonl")}
    assert live == {2: True, 3: False, 4: True, 5: True, 6: True}
    (context,) = (hit.context for hit in hits if hit.entry_id == "b0000003")
    assert [said for _, _, said in context] == ["pangolin 2"]


def test_a_memory_with_a_number_of_another_program_can_be_opened(home):
    home.recall.remember("first")
    with sqlite3.connect(home.recall.places.database) as other:
        other.execute("INSERT INTO memories (id, ts, text) VALUES (-5, 1, 'minus pear')")
    (hit,) = home.hits("pear")
    opened = home.recall.show(hit.ref)
    assert opened.memory is not None
    assert (opened.memory.id, opened.memory.text) == (-5, "minus pear")


@pytest.mark.parametrize("kind", ["file", "link"])
def test_doctor_sees_where_nothing_can_be_remembered(home, kind):
    if kind == "file":
        (home.project / ".pi").write_bytes(b"")
    else:
        (home.project / ".pi").mkdir()
        (home.project / ".pi/clawa-memory.sqlite").symlink_to("nowhere/at/all")
    ran = home.run("doctor", "--json")
    assert ran.code != 0
    (memories,) = (check for check in ran.json["checks"] if check["name"] == "memories")
    assert not memories["ok"]
    assert ".pi" in memories["detail"]


def test_what_recall_shows_of_a_rewritten_file_is_what_show_opens(home):
    path = home.write("a.jsonl", user("alpha zebra"), user("beta giraffe"))
    home.reindex()
    path.write_bytes(lines(header(), *chain(user("okapi"), user("alpha zebra"), user("giraffe"))))
    for _ in range(2):
        (hit,) = home.found("zebra")
        assert hit.line == 3
        opened = home.recall.show(hit.ref)
        assert opened.entry is not None
        assert (opened.status, opened.entry.text) == ("ok", "alpha zebra")
    path.write_bytes(lines(header(), *chain(user("fresh walrus"))))
    (hit,) = home.hits("walrus")
    opened = home.recall.show(hit.ref)
    assert opened.entry is not None
    assert opened.entry.text == "fresh walrus"


def test_an_index_beyond_repair_is_told_once(home, monkeypatch):
    home.write("a.jsonl", user("tea"))
    home.reindex()
    home.close()
    swap(Path(home.generation.messages) / "meta.json", b"{")
    monkeypatch.setattr(recall, "AUTO_SYNC_BYTES", 0)
    with WriterLock(str(home.index)):
        answer = home.ask("tea")
    assert [hit.excerpt for hit in answer.hits] == ["tea"]
    assert not answer.complete
    assert len(answer.notes) == len(set(answer.notes)) == 2


def foreign_sql(home, *statements):
    home.recall.remember("the seed of this store")
    con = sqlite3.connect(home.recall.memories.path)
    for statement in statements:
        con.execute(statement)
    con.commit()
    con.close()


@pytest.mark.parametrize("query", ["quokka*", "quokkastome~", "quokkastome"])
def test_words_that_another_program_wrote_are_stood_for_at_once(home, query):
    foreign_sql(home, "INSERT INTO memories (ts, text) VALUES (1, 'The quokkastone lies there')")
    assert [hit.excerpt for hit in home.hits(query)] == ["The quokkastone lies there"]


def test_no_word_of_what_is_gone_is_offered(home):
    home.recall.remember("quokkastone here")
    foreign_sql(home, "DELETE FROM memories WHERE text LIKE 'quokka%'")
    for query in ("quokkastone", "quokkastonr", "quokka*", "quokkaston~"):
        answer = home.ask(query)
        assert answer.hits == []
        assert not [note for note in answer.notes if "similar" in note]


def test_a_wildcard_that_stands_for_too_much_says_so_and_passes_no_store_over(home):
    home.write("a.jsonl", *(user(f"krem{letter}zo is here") for letter in WORDS))
    home.reindex()
    home.recall.remember("kremzeek is the hint")
    answer = home.ask("krem*", limit=100)
    assert any(hit.kind == "memory" for hit in answer.hits)
    assert not answer.complete
    assert "krem*" in answer.notes[0]
    assert home.ask("kremaz*", limit=100).complete


WORDS = [f"{first}{second}" for first in "abcdefgh" for second in "qrstvwxyz"]


def test_a_wildcard_that_stands_for_nothing_says_so(home):
    home.recall.remember("tea")
    assert any("'zzz*' stands for no word" in note for note in home.ask("zzz*").notes)


def test_a_damaged_page_of_the_memories_hides_no_session(home):
    home.write("a.jsonl", user("alpha was said"))
    home.recall.remember("alpha is remembered")
    path = Path(home.recall.memories.path)
    home.recall.close()
    size = path.stat().st_size
    for page in range(1, size // 4096):
        kept = path.read_bytes()
        with path.open("r+b") as file:
            file.seek(page * 4096)
            file.write(bytes(4096))
        answer = home.ask("alpha")
        assert [hit.kind for hit in answer.hits if hit.kind == "session"] == ["session"]
        assert len(answer.hits) == 2 or answer.notes
        home.recall.close()
        path.write_bytes(kept)


def test_show_of_a_device_comes_to_an_end(home):
    with pytest.raises(NotFoundError, match="no session file"):
        home.recall.show("/dev/zero:1")


def test_half_a_sign_is_a_query_like_any_other(home):
    home.recall.remember("tea")
    assert home.ask("\ud83e").hits == []


@pytest.mark.parametrize("asked", ["run~", "bnaana", "بالعالم~"])
def test_a_mistake_in_the_first_letters_is_forgiven_in_memories_too(home, asked):
    home.recall.remember("he ran home with a banana to العالم")
    assert [hit.id for hit in home.hits(asked)] == [1]


def test_the_parts_of_a_literal_hit_add_up(home):
    home.recall.remember("100 %")
    home.write("a.jsonl", user("5 % of it"))
    for hit in home.hits("%", explain=True):
        assert sum(hit.explain.values()) == hit.score


@pytest.mark.parametrize("limit", [1, 5, 10, 25, 100])
def test_a_memory_stands_above_however_many_claims_it_corrects(either, limit):
    said = ["staging port 8080 {}", "the staging port: 8080 {}", "so staging port 8080? {}"]
    either.write("a.jsonl", *(user(said[n % 3].format(f"w{n}")) for n in range(70)))
    for number in range(8):
        either.write(f"b{number}.jsonl", *(user(f"nothing of that kind {n}") for n in range(20)))
    either.ready()
    either.recall.remember("The port of staging is 9090")
    assert either.hits("staging port", limit=limit, everything=True)[0].kind == "memory"


@pytest.mark.parametrize("link", ["nowhere", "clawa-memory.sqlite"])
def test_memories_that_cannot_be_reached_are_not_none(home, link):
    home.write("a.jsonl", user("tea"))
    path = Path(home.recall.memories.path)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(path.with_name(link))
    answer = home.ask("tea")
    assert len(answer.hits) == 1
    assert not answer.complete
    assert str(path) in answer.notes[0]
    for ask in (
        lambda: home.recall.forget(1),
        lambda: home.recall.remember("x", 1),
        lambda: home.recall.memory(1),
    ):
        with pytest.raises(StoreError):
            ask()


@pytest.mark.parametrize("value", ["{}/", "{}", "./{}", "{}/../{}"])
def test_a_project_in_the_query_narrows_as_the_flag_does(home, value):
    folder = home.project / "sub"
    folder.mkdir()
    home.write("a.jsonl", user("alpha"), head=header(cwd=str(folder)))
    home.write("b.jsonl", user("alpha beta"))
    for path in ("sub", str(folder)):
        if path.startswith("/") and value.startswith("."):
            continue
        asked = value.format(path, "sub") if "{}/.." in value else value.format(path)
        assert [hit.excerpt for hit in home.hits(f"alpha project:{asked}")] == ["alpha"]


def test_a_word_that_names_no_folder_narrows_nothing(home):
    home.write("b.jsonl", user("alpha beta"))
    assert len(home.hits("alpha project:nowhere")) == 1


def test_one_string_is_one_tag_one_role_and_one_path(home):
    path = home.write("a.jsonl", user("alpha"), assistant("alpha too"))
    home.recall.remember("alpha", tags="human")
    assert home.hits("alpha", source="memory")[0].tags == ("human",)
    assert len(home.hits("alpha", source="memory", tags="human")) == 1
    assert [hit.role for hit in home.hits("alpha", roles="user", source="session")] == ["user"]
    assert len(home.hits("alpha", session_files=str(path), source="session")) == 2
    assert home.recall.reindex(str(path)).indexed == 1


def test_who_quotes_words_that_never_stand_together_is_told(either):
    either.write("a.jsonl", user("Port of the deploy is 9090"))
    either.ready()
    answer = either.ask('"deploy port"')
    assert answer.hits == []
    assert any("side by side" in note for note in answer.notes)
    assert either.ask('"the deploy"').notes == []


@pytest.mark.parametrize("said", ["where did we put the copper kettle lid", "銅のやかんの蓋はどこ"])
def test_what_holds_no_word_of_the_question_is_weak(either, said):
    either.write("a.jsonl", user(said), assistant("Behind it."), user("Thank you!"))
    either.ready()
    asked = "copper kettle lid" if said.isascii() else "やかんの蓋"
    first, *others = either.hits(asked)
    assert (first.line, first.tier) == (2, "match")
    assert others
    assert {hit.tier for hit in others} == {"weak"}
