"""Command lines that say something else than was meant: told, with what is right."""

import pytest

from tests.builders import user


@pytest.mark.parametrize("as_json", [False, True])
def test_a_reindex_of_what_is_not_there_fails_and_does_the_rest(home, as_json):
    path = home.write("a.jsonl", user("tea"))
    ran = home.run("reindex", str(path), "/no/such/place", *["--json"] * as_json)
    assert ran.code == 2
    if as_json:
        assert ran.json["error"]["message"] == "/no/such/place: no such file or folder"
        assert ran.json["files"]["seen"] == 1
    else:
        assert "/no/such/place" in ran.err
    assert len(home.hits("tea")) == 1
    assert home.run("--sessions-dir", "/no/such/place", "reindex").code == 2


def test_an_empty_path_is_not_the_working_folder(home):
    ran = home.run("reindex", "")
    assert (ran.code, ran.err) == (
        2, "clawa-search: reindex: a path is empty (without PATH, all is indexed)\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--bogus"], "no such flag: --bogus (`clawa-search --help` lists them)"),
        (["setup", "pi", "--bogus"], "setup: no such flag: --bogus"),
        (["show", "12", "--jsn"], "show: no such flag: --jsn (did you mean --json? "),
    ],
)
def test_a_mistaken_flag_is_told_as_one(home, argv, told):
    ran = home.run(*argv)
    assert ran.code == 2
    assert ran.err.startswith(f"clawa-search: {told}")
    assert home.run("reindex").code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tea", "--jsn"], ["--jsn: looked for as a word; did you mean --json?"]),
        (["tea", "--sicne=2d"], ["--sicne=2d: looked for as a word; did you mean --since?"]),
        (["git", "log", "--oneline", "-p", "--no-cache"], []),
        (["--", "tea", "--jsn"], []),
    ],
)
def test_a_mistaken_flag_behind_words_is_told(home, words, told):
    home.write("a.jsonl", user("tea and git log"))
    ran = home.run("recall", *words)
    assert ran.code == 0
    assert ran.err == "".join(f"clawa-search: {note}\n" for note in told)
