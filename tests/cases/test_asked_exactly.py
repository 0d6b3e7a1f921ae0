"""What was asked for is there, what was left out is not, and the excerpt shows it."""

import pytest

from clawa_search.search.strength import MATCH
from tests.builders import assistant, entry, header, user

BLANK = "bla bla " * 200


@pytest.fixture
def held(either):
    """Return a function that tells which of some texts a question finds, best first."""

    def ask(query, *texts, memories=()):
        either.write("a.jsonl", *(user(text) for text in texts))
        for text in memories:
            either.recall.remember(text)
        either.ready()
        return [hit.excerpt for hit in either.hits(query)]

    return ask


@pytest.mark.parametrize("query", ['role:user -"banana"', 'since:2020-01-01 -"banana"'])
def test_beside_filters_alone_an_exclusion_holds(held, query):
    texts = ["please eat the banana now", "cherry time"]
    found = held(query, *texts, memories=["a banana split", "a plum cake"])
    assert sorted(found) == ["a plum cake", "cherry time"]


@pytest.mark.parametrize("without", ['-"sqlite wal"', 'NOT "sqlite wal"'])
def test_a_sentence_can_leave_something_out(held, without):
    texts = ["we decided on postgres for the database", "the database uses sqlite wal mode"]
    assert held(f"what did we decide about the database {without}", *texts) == texts[:1]


@pytest.mark.parametrize(
    ("query", "kept", "dropped"),
    [
        ('compiler -"C++"', "the C# compiler", "the C++ compiler"),
        ("compiler speed NOT C++", "compiler speed in C#", "compiler speed in C++"),
        ('deploy -"🚀"', "deploy the shed", "deploy 🚀 the barn"),
        ("deploy now NOT 🚀", "deploy now the shed", "deploy now 🚀 the barn"),
        ('数据库 -"缓"', "数据库备份问题", "数据库缓存问题"),
    ],
)
def test_a_whole_form_can_be_left_out(held, query, kept, dropped):
    assert held(query, kept, dropped, memories=[kept, dropped]) == [kept, kept]


@pytest.mark.parametrize(
    ("query", "kept", "dropped"),
    [
        ('"C++" compiler', "the compiler of C++", "the compiler of C#"),
        ('"0.26.1" tokio', "tokio 0.26.1 is out", "tokio 0.27.0 is out"),
        ('"9f8e7d6c5b4a39281706f5e4d3c2b1a098765432" fixed',
         "fixed in 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432", "fixed in abc1234"),
        ('"1234567" ticket', "ticket 1234567", "ticket 7654321"),
    ],
)  # fmt: skip
def test_a_quoted_whole_form_must_be_there(held, query, kept, dropped):
    assert held(query, kept, dropped, memories=[kept, dropped]) == [kept, kept]


@pytest.mark.parametrize(
    "copied", ["用redis", "redis缓", "用redis缓", "了Python3.11的", "好，世", "🚀 launch", "缓存"]
)
def test_a_part_copied_out_of_a_run_is_found_in_quotation_marks(held, copied):
    text = "我们使用redis缓存数据，你好，世界。我装了Python3.11的版本 and the 🚀 launch"
    assert held(f'"{copied}"', text, "something else", memories=[text]) == [text, text]


@pytest.mark.parametrize("query", ['"->"', '"%"', '-> -"banana"'])
def test_signs_are_looked_for_in_quotation_marks_as_well(held, query):
    text = "a -> b for 5 %"
    others = ["-> banana"] if "banana" in query else ["no sign"]
    assert held(query, text, *others) == [text]


def test_a_neighbour_without_the_quoted_words_is_no_hit(either):
    said = user("My banana split recipe for the kitchen at dinner")
    either.write("a.jsonl", said, assistant("That sounds really lovely to me"))
    either.ready()
    hits = either.hits('"banana split" recipe kitchen dinner')
    assert [hit.line for hit in hits] == [2]


def test_forks_of_a_session_take_no_place_from_others(either):
    around = (
        user("Andromeda begins"),
        user("zebra quantum lighthouse parade zebra quantum lighthouse"),
        user("Bellatrix ends"),
    )
    for number in range(25):
        either.write(f"fork{number}.jsonl", *around, head=header(session_id=f"f{number}"))
    for number in range(5):
        text = f"the zebra number {number} stood alone"
        either.write(f"own{number}.jsonl", user(text), head=header(session_id=f"o{number}"))
    either.ready()
    hits = either.hits("zebra quantum lighthouse", everything=True)
    assert sum("stood alone" in hit.excerpt for hit in hits) == 5
    assert len(hits) == 8


@pytest.mark.parametrize("query", ["42424", '"port is 42424"', 'zebra -"17171"'])
def test_of_reminders_the_one_that_was_asked_for_is_shown(either, query):
    said = "<system-reminder> The port is {} and queue zebra</system-reminder>"
    notes = [
        entry("custom_message", customType="x", content=said.format(port), display=True)
        for port in (17171, 42424)
    ]
    either.write("a.jsonl", user("hello"), *notes)
    either.ready()
    (hit,) = either.hits(query)
    assert hit.line == 4
    assert "42424" in hit.excerpt


@pytest.mark.parametrize("query", ["user", "users", '"user"'])
def test_another_word_that_begins_alike_is_not_shown_for_it(held, query):
    text = f"We use the thing as it was used before. {BLANK}and the user wants it {BLANK}"
    (shown,) = held(query, text)
    assert "the user wants" in shown


def test_another_word_that_begins_alike_is_no_evidence(either):
    for name, word in (("a", "place"), ("b", "river")):
        said = user(f"the user stood at this {word} {'lorem dolor ' * 600}")
        either.write(f"{name}.jsonl", said, head=header(session_id=name))
    either.write("c.jsonl", user("our plan is to sleep"), head=header(session_id="c"))
    noise = (user(f"trees number {number} with flowers and water") for number in range(40))
    either.write("d.jsonl", *noise, head=header(session_id="d"))
    either.ready()
    found = {hit.path.rpartition("/")[2]: hit for hit in either.hits("user plan")}
    assert found["a.jsonl"].strength == pytest.approx(found["b.jsonl"].strength, abs=1e-3)


def test_a_word_between_signs_of_an_unspaced_script_is_shown(held, either):
    text = f"{'我们今天讨论了很多问题' * 60}最后使用redis缓存数据{'然后继续讨论' * 60}"
    (shown,) = held("redis", text)
    assert "redis" in shown
    assert either.hits("redis")[0].tier == MATCH


def test_a_word_far_into_a_text_counts(either):
    either.write("a.jsonl", user(f"{'filler words here ' * 2_000} zyxwonder"))
    either.ready()
    (hit,) = either.hits("zyxwonder")
    assert hit.tier == MATCH
    assert "zyxwonder" in hit.excerpt


@pytest.mark.parametrize("apart", [100, 300, 410, 470])
def test_an_excerpt_that_can_hold_all_words_does(held, apart):
    text = f"{'filler ' * 200}alphaword {'p' * apart} omegaword {'filler ' * 200}"
    (shown,) = held("alphaword omegaword", text)
    assert "alphaword" in shown
    assert "omegaword" in shown


def test_a_full_hash_finds_its_short_form_beside_much_that_is_fresh(home):
    home.write("a.jsonl", user("fixed in commit 9f8e7d6"), *(
        user(f"number {number} {'of other words ' * 700}") for number in range(120)
    ))  # fmt: skip
    (hit, *_) = home.hits("9f8e7d6c5b4a39281706f5e4d3c2b1a098765432")
    assert hit.line == 2


def test_a_role_that_leaves_no_session_leaves_the_memories(either):
    either.write("a.jsonl", user("a banana"))
    either.recall.remember("bananas are ripe")
    either.ready()
    answer = either.ask("banana role:user", roles=("assistant",))
    assert [hit.kind for hit in answer.hits] == ["memory"]
    assert "leaves nothing of --role" in answer.notes[0]


@pytest.mark.parametrize(
    "query", ["why is the build NOT working", "you must NOT restart", "tests may NOT restart"]
)
def test_not_in_a_sentence_leaves_nothing_out(held, query):
    text = "the build is NOT working, and tests must NOT restart"
    assert held(query, text) == [text]


def test_what_not_left_out_is_told(either):
    either.write("a.jsonl", user("redis cache cluster"), user("redis cache alone"))
    either.ready()
    answer = either.ask("redis cache NOT cluster")
    assert [hit.line for hit in answer.hits] == [3]
    assert "'cluster' is left out" in answer.notes[0]


def test_places_of_copies_leave_room_for_hits(home):
    for number in range(12):
        head = header(session_id=f"fork{number}")
        home.write(f"2026-01-02T03-04-05-{number:03}Z_{'0' * 32}.jsonl", user(
            "the pomegranate tree stands by the gate"), head=head)  # fmt: skip
    home.recall.remember("a gate without a pomegranate tree")
    home.reindex()
    asked = ["recall", "pomegranate tree gate", "--sessions", "all", "--json", "--max-tokens"]
    told = {budget: home.run(*asked, str(budget)).json for budget in (400, 800, 4000)}
    assert [len(answer["hits"]) for answer in told.values()] == [2, 2, 2]
    places = [
        len(next(hit for hit in answer["hits"] if hit["kind"] == "session")["also"])
        for answer in told.values()
    ]
    assert places[0] < places[1] < places[2] == 11
    assert {
        hit["copies"] for answer in told.values() for hit in answer["hits"] if "copies" in hit
    } == {12}


@pytest.mark.parametrize("query", ['"0.26.1"', '"C++"', '"9f8e7d6c"', '"🎉"'])
def test_a_quoted_whole_form_ranks_what_holds_it(either, query):
    said = "always pin the C++ bindings to 0.26.1 because of 9f8e7d6c 🎉"
    noise = (
        assistant(f"log {number}: C++ 0.26.1 9f8e7d6c 🎉 {'filler words ' * 40}")
        for number in range(15)
    )
    either.write("a.jsonl", user(said), *noise)
    either.ready()
    hits = either.hits(query, limit=3)
    assert hits[0].excerpt == said
    assert hits[0].score > 0


def test_a_sign_that_is_set_apart_in_a_phrase_stands_there(held):
    texts = ["the plan says: 东京 日 at the", "东京 报告 … 今天 是 第 11 日", "日 this is 东京"]
    assert held('"东京 日"', *texts) == texts[:1]


@pytest.mark.parametrize("sign", ["&&", "->", "/", "+"])
def test_signs_make_no_sentence(held, sign):
    texts = ["deploy the build to staging", "deploy the build and run every test"]
    assert held(f"deploy {sign} build NOT test", *texts) == texts[:1]
