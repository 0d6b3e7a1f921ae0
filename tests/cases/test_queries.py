"""Queries that other tools take for syntax, and queries that hold nothing to look for."""

import pytest

from tests.builders import assistant, user

SIGNS = [
    "chat-send", "TODO: fix", "src/main.py", "don't use agents", "c++", "2026-12-15",
    '"--error-on-warnings"', "a.b.c", "POL-358", "foo_bar", "v1.2.10", "src/a/b.ts", "don't", "C++",
    "key:value", '"unbalanced', "NOT", "do NOT deploy on Friday", "AND", "OR NOT", "NEAR(a b)", "(paren",
    "semi;colon", "a|b", "100%", "back\\slash", "user@example.com", "#875", "C#", "node.js", "-x flag",
    "^caret", "tilde~", "star*", "`tick`", "$HOME", "{brace}", "[bracket]", "it\u2019s", "\u201cquoted\u201d",
    "na\xefve caf\xe9", "foo:bar:baz", "http://x.example/a?b=c&d=e#f", "0.26.1", "--no-cache", "x=1",
    "AND OR NOT", "\\", "'", "col1, col2", "role:admin", "text:hello", "since:sometime", "tag:", "::",
    "SELECT * FROM t", "'; DROP TABLE memories; --", "getUserById", "get_user_by_id", "\U0001f680",
    "/tmp/x y", "C:\\Users\\x", "@scope/pkg", "1e999", "NULL", "nan", "%s", "\x00nul", "a\tb\nc",
]  # fmt: skip
NO_WORDS = ["", "   ", "*", '"', "...", "()", "-", ":", "'", '""', '" "', "?", "**", "%", "_", "\\", "\x00",
            "\u200b", "--", "~", "~*", '-""', "*:*", "\n", "!", "\u2026", "\ufffd"]  # fmt: skip


@pytest.mark.parametrize("query", SIGNS)
def test_a_query_finds_the_text_that_it_was_copied_from(either, query):
    either.write("a.jsonl", user("nothing of it"), user(f"before {query} after"), assistant("else"))
    either.recall.remember(f"memo {query} end")
    either.ready()
    answer = either.ask(query)
    assert answer.complete
    assert {hit.line for hit in answer.hits[:2]} == {0, 3}


@pytest.mark.parametrize(
    "query", [q for q in SIGNS if not q.startswith("-") and "\0" not in q][::8]
)
def test_the_command_line_takes_it_literally_too(home, query):
    home.write("a.jsonl", user("nothing of it"), user(f"before {query} after"))
    for argv in ([query], ["--", *query.split(" ")]):
        ran = home.run("recall", "--json", *argv)
        assert (ran.code, ran.err) == (0, "")
        assert ran.json["hits"][0]["line"] == 3
    ran = home.run("recall", "-", "--json", stdin=query.encode())
    assert ran.json["hits"][0]["line"] == 3


def test_a_query_that_begins_with_a_dash_is_told_how_to_be_asked(home):
    home.write("a.jsonl", user("see --error-on-warnings there"))
    ran = home.run("recall", "--error-on-warnings")
    assert ran.code == 2
    assert "--" in ran.err
    assert home.run("recall", "--", "--error-on-warnings").code == 0
    assert home.run("recall", '"--error-on-warnings"').code == 0


@pytest.mark.parametrize("query", NO_WORDS, ids=repr)
def test_a_query_without_words_has_a_defined_answer(either, query):
    either.write("a.jsonl", user("hello sentinelold"), user("sentinelnew"))
    either.recall.remember("a memory of it")
    either.ready()
    answer = either.ask(query)
    if query.strip() in ("", "*"):  # asks for the newest
        assert [hit.kind for hit in answer.hits] == ["memory", "session", "session"]
        assert [hit.line for hit in answer.hits] == [0, 3, 2]
        assert answer.notes == []
    else:
        assert answer.hits == []
        assert "holds no word" in str(answer.notes)


@pytest.mark.parametrize("query", ["%", "_", "\\", "->", "?!", "\u2026", "\u2192", ")("])
def test_signs_alone_find_what_holds_them_and_nothing_else(either, query):
    either.write("a.jsonl", user("plain words"), user(f"it has {query} inside"))
    either.recall.remember("plain memory")
    either.recall.remember(f"memory with {query} inside")
    either.ready()
    hits = either.hits(query)
    assert {(hit.kind, hit.line or hit.id) for hit in hits} == {("memory", 2), ("session", 3)}


@pytest.mark.parametrize("argv", [[], [""], ["   "], ["*"], ['"'], ["..."], ["()"], ["-"], [":"]])
def test_the_command_line_answers_it_and_never_fails(either, argv):
    either.write("a.jsonl", user("hello"))
    either.ready()
    ran = either.run("recall", *argv)
    newest = argv in ([], [""], ["   "], ["*"], ["-"])  # `-` reads an empty stdin
    assert ran.code == (0 if newest else 1)
    assert "Traceback" not in ran.err
    assert ("holds no word" in ran.err) == (not newest)


def test_an_unknown_word_finds_nothing_at_all(either):
    either.write("a.jsonl", *(user(f"word{n} and more text") for n in range(50)))
    either.ready()
    assert either.hits("zqxjkvbn") == []
    ran = either.run("recall", "zqxjkvbn")
    assert ran.code == 1


def test_nothing_at_all_is_no_failure(home):
    for argv in (["recall", "word"], ["recall"], ["recall", "--all", "--json"]):
        assert home.run(*argv).code == 1
    assert home.run("reindex", "--json").json["files"]["seen"] == 0
    assert not (home.project / ".pi").exists()


def test_a_huge_query_gets_an_answer(either):
    either.write("a.jsonl", user("needle in it"))
    either.ready()
    assert either.hits("needle " + "x" * 100_000)
    assert either.hits("needle " + " ".join(f"w{n}" for n in range(5000)))
    assert either.hits("needle " + '"' * 9999)
    either.hits("(" * 20_000)


def test_a_query_of_filters_alone_asks_for_the_newest_that_pass(either):
    either.write("a.jsonl", user("one"), assistant("two"), user("three"))
    either.ready()
    assert [hit.line for hit in either.hits("role:user")] == [4, 2]
    assert [hit.line for hit in either.hits("role:assistant since:2026-01-01")] == [3]
    assert either.hits("since:2026-01-03") == []
    assert [hit.line for hit in either.hits("role:user *")] == [4, 2]
