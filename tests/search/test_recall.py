"""What stands above what: memories, sources, summaries, copies, neighbours."""

from tests.builders import assistant, chain, entry, header, lines, user

FACT = "The staging database listens on port 8080 behind the proxy"


def test_an_updated_memory_stands_above_an_older_session_claim(home):
    home.write("s.jsonl", user("which port?"), assistant("The database port is 8080 today"))
    home.recall.remember("The database port is 8080 today")
    home.recall.remember("The database port is 9090 today", id=1)
    home.ready()
    first = home.hits("database port")[0]
    assert (first.kind, first.id) == ("memory", 1)
    assert "9090" in first.excerpt


def test_summaries_and_quoted_answers_do_not_push_the_source_down(home):
    quote = f"1. [mem #3]\n{FACT}\n\n2. [user] /a/s.jsonl:41 · a1b2 · now\n{FACT}"
    home.write(
        "s.jsonl",
        assistant("Unrelated words about the weather come first in this session"),
        user(FACT),
        assistant("noted"),
        assistant("Other things were said here about birds and bees"),
        entry("compaction", summary=f"We agreed: {FACT}. {FACT}.", firstKeptEntryId="a0000001"),
        assistant("Yet other things, and nothing of the kind"),
        assistant(quote),
    )
    home.ready()
    hits = home.hits("staging database port proxy")
    assert (hits[0].role, hits[0].excerpt) == ("user", FACT)


def test_the_parts_of_each_score_add_up(home):
    home.write("s.jsonl", user("pear and plum"), assistant("plum jam"), user("bread"))
    home.recall.remember("pear and plum jam", tags=["kitchen"])
    home.ready()
    hits = home.hits("pear plum", explain=True)
    assert len(hits) > 2
    for hit in hits:
        assert abs(sum(hit.explain.values()) - hit.score) < 1e-6


def test_copies_of_a_fork_are_one_hit_at_the_oldest_place(home):
    said = chain(user("the banana thread"), assistant("peeled"))
    home.sessions.mkdir(parents=True)
    first = home.sessions / "one.jsonl"
    first.write_bytes(lines(header(id="s1"), *said))
    fork = home.sessions / "two.jsonl"
    head = header(id="s2", parentSession=str(first), timestamp="2026-01-03T00:00:00.000Z")
    fork.write_bytes(lines(head, *said, *chain(user("only in the fork"), first=9)))
    home.ready()
    (hit,) = home.found("banana thread")
    assert (hit.path, hit.copies, hit.also) == (str(first), 2, [f"{fork}:2"])
    assert home.found("only in the fork")[0].copies == 1


def test_a_question_finds_the_answer_by_its_neighbour_a_lookup_does_not(home):
    home.write(
        "s.jsonl",
        user("Where did Caroline grow up as a child?"),
        assistant("In Sweden."),
        user("Something else entirely, about gardening tools"),
    )
    home.ready()
    asked = home.hits("where did Caroline grow up as child")
    assert "In Sweden." in [hit.excerpt for hit in asked]
    assert [hit.excerpt for hit in home.hits("Caroline")] == [
        "Where did Caroline grow up as a child?"
    ]


def test_tags_narrow_memories_only(home):
    home.write("s.jsonl", user("banana in a session"), assistant("ok"))
    home.recall.remember("banana one", tags=["fruit", "yellow"])
    home.recall.remember("banana two", tags=["fruit"])
    home.ready()
    hits = home.hits("banana", tags=["fruit", "yellow"])
    assert sorted(hit.ref for hit in hits if hit.kind == "memory") == ["mem:1"]
    assert any(hit.kind == "session" for hit in hits)


def test_without_words_the_newest_come_first(home):
    home.write("s.jsonl", user("older"), assistant("newer"))
    home.recall.remember("newest of all")
    home.ready()
    for query in ("", "   ", "*"):
        assert [hit.excerpt for hit in home.hits(query, limit=2)] == ["newest of all", "newer"]


def test_what_the_asker_sees_already_is_left_out(home):
    path = home.write("s.jsonl", user("banana one"), assistant("plum"), user("banana two"))
    home.ready()
    visible = {str(path): frozenset({"a0000003"})}
    assert [hit.excerpt for hit in home.hits("banana", visible=visible)] == ["banana one"]


def test_many_hits_open_many_sessions(home):
    for number in range(14):
        count = 12 if number == 0 else 1
        said = [user(f"banana story {number} {index} banana") for index in range(count)]
        home.write(f"s{number}.jsonl", *said, assistant("ok"))
    home.ready()
    hits = home.hits("banana", limit=25)
    assert len({hit.path for hit in hits}) == 14


def test_a_broken_memory_database_leaves_the_sessions(home):
    home.write("s.jsonl", user("banana"), assistant("ok"))
    home.ready()
    home.recall.close()
    database = home.project / ".pi/clawa-memory.sqlite"
    database.parent.mkdir(exist_ok=True)
    database.write_bytes(b"not a database at all, but long enough to be taken for one" * 90)
    answer = home.ask("banana")
    assert [hit.excerpt for hit in answer.hits] == ["banana"]
    assert not answer.complete
    assert any(str(database) in note for note in answer.notes)


def test_a_question_finds_other_forms_of_its_verbs(home):
    home.write(
        "s.jsonl",
        user("We went hiking near the lake with Dana"),
        assistant("Sounds nice"),
        user("The printer needs toner again"),
    )
    home.ready()
    assert "We went hiking" in home.hits("where does Dana go hiking often")[0].excerpt
    assert not home.hits("go")


def test_a_word_of_two_scripts_is_found_where_both_halves_are(home):
    home.write(
        "s.jsonl",
        *(user("把Redis缓存换成本地文件"), assistant("好的"), user("把本地缓存换成文件")),
        *(
            assistant("好的。"),
            user("redis is down"),
            assistant("缓存在redis里"),
            user("等待DB锁超时"),
        ),
    )
    home.recall.remember("本地缓存")
    home.recall.remember("redis的缓存")
    home.ready()
    found = {hit.excerpt for hit in home.hits("redis缓存")}
    assert found == {"把Redis缓存换成本地文件", "缓存在redis里", "redis的缓存"}
    assert [hit.excerpt for hit in home.hits("DB锁")] == ["等待DB锁超时"]
