"""What users of such tools report, one law each. The rest of the list is in the other files here."""

import json
import os
import time

import pytest

from clawa_search import InvalidInputError
from clawa_search.output.tokens import count
from tests.builders import START_MS, assistant, chain, entry, header, lines, tool, user

DAY_MS = 86_400_000


def test_a_line_is_what_stands_between_two_line_feeds(either):
    path = either.write(
        "a.jsonl",
        b"",
        b"not json",
        user("sentinel \u2028 one\r\n\x0b"),
        b"  ",
        user("sentinel two"),
    )
    either.ready()
    physical = path.read_bytes().split(b"\n")
    hits = either.found("sentinel")
    assert len(hits) == 2
    for hit in hits:
        assert json.loads(physical[hit.line - 1])["id"] == hit.entry_id
        assert either.recall.show(hit.ref).entry.entry_id == hit.entry_id


def test_a_file_replaced_by_rename_is_read_afresh(either):
    path = either.write("a.jsonl", user("sentinelold"))
    either.ready()
    either.write("new", user("sentinelnew")).rename(path)
    assert [len(either.found(word)) for word in ("sentinelold", "sentinelnew")] == [0, 1]
    either.reindex()
    assert [len(either.found(word)) for word in ("sentinelold", "sentinelnew")] == [0, 1]


def test_a_fork_of_an_empty_parent_shows_its_own_text(either):
    parent = either.write("a.jsonl")
    either.write("b.jsonl", user("sentinelchild"), head=header(id="c", parentSession=str(parent)))
    either.ready()
    (hit,) = either.found("sentinelchild", everything=True)
    assert "sentinelchild" in either.recall.show(hit.ref).entry.text


def test_a_question_finds_the_one_session_that_answers_it(either):
    facts = {
        "what is the name of the cat of my neighbour": "The neighbour's cat is called Pumpernickel.",
        "which port does the staging proxy listen on": "Our staging proxy listens on port 8443.",
        "when do we have to renew the passport of Anna": "Anna's passport must be renewed in March.",
        "how do I restart the print server": "To restart the print server, run lpadmin with sudo.",
        "where did we put the spare key": "The spare key lies under the blue flower pot.",
    }
    topics = "garden budget holiday kitchen bicycle invoice concert recipe train museum".split()
    for number, fact in enumerate(facts.values()):
        either.write(f"f{number}.jsonl", user(fact), assistant("Noted."))
    for number in range(80):
        topic = topics[number % 10]
        said = [user(f"Please tell me what we do about the {topic} number {number}, and when.")]
        either.write(f"d{number}.jsonl", *said, assistant(f"We have to look at the {topic} first."))
    either.ready()
    for question, fact in facts.items():
        assert fact in [hit.excerpt for hit in either.hits(question)[:3]], question


def test_a_bare_date_is_the_local_day_and_both_ends_belong_to_it(home):
    late = "2026-03-05T07:30:00.000Z"  # 23:30 of the 4th in Los Angeles
    home.write("a.jsonl", user("sentinellate", timestamp=late))
    home.env["TZ"] = "America/Los_Angeles"
    day = ["--since", "2026-03-04", "--until", "2026-03-04"]
    assert home.run("recall", "sentinellate", *day).code == 0
    assert home.run("recall", "sentinellate", "--since", "2026-03-05").code == 1
    assert home.run("recall", "sentinellate", "--until", "2026-03-03").code == 1
    offset = ["--since", "2026-03-05T09:30:00+02:00", "--until=2026-03-05T07:30:00Z"]
    assert home.run("recall", "sentinellate", *offset).code == 0
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    home.write("b.jsonl", user("sentinelnow", timestamp=now))
    assert home.run("recall", "sentinelnow", "--since=2d").code == 0
    for bad in ("--since=soonish", "--until=2026-13-01"):
        ran = home.run("recall", "sentinelnow", bad)
        assert (ran.code, bad.split("=")[1] in ran.err) == (2, True)


def test_filters_come_before_the_limit(either):
    crowd = [user(f"sentinel match number{n}") for n in range(500)]
    either.write("a.jsonl", *crowd, head=header("/srv/crowd", "c"))
    said = [user("a longer text where sentinel stands among many other words")]
    path = either.write("b.jsonl", *said, assistant("sentinel said by another"), head=header("/srv/one", "o"))  # fmt: skip
    either.ready()
    for narrow in (
        {"project": "/srv/one", "roles": ("user",)},
        {"session_files": (str(path),), "roles": ("user",)},
    ):
        (hit,) = either.hits("sentinel match", limit=1, **narrow)
        assert hit.ref == f"{path}:2"
    (hit,) = either.hits("sentinel match", limit=1, roles=("assistant",))
    assert hit.ref == f"{path}:3"


def test_forks_and_retained_tails_are_one_hit_and_own_branches_are_others(either):
    said = chain(user("sentinel shared"), assistant("sentinel answer"))
    either.write("a.jsonl", *said)
    for number in (1, 2):
        head = header(id=f"f{number}", parentSession="a") | {
            "timestamp": f"2026-02-0{number}T00:00:00Z"
        }
        own = chain(user(f"sentinel branch{number}"), first=9)
        tail = chain(entry("compaction", summary="s", retainedTail=list(said)), first=20)
        either.write(f"f{number}.jsonl", *said, *own, *(tail if number == 2 else ()), head=head)
    either.ready()
    found = {hit.excerpt: hit.copies for hit in either.found("sentinel")}
    assert found == {
        "sentinel shared": 4, "sentinel answer": 4, "sentinel branch1": 1, "sentinel branch2": 1,
    }  # fmt: skip


def test_what_is_visible_is_left_out_and_what_was_compacted_is_not(either):
    path = either.write("a.jsonl", user("sentinel early fact"), user("sentinel question now"))
    either.ready()
    visible = {str(path): frozenset({"a0000002"})}
    assert [hit.line for hit in either.hits("sentinel", visible=visible)] == [2]


def test_an_updated_memory_stands_above_an_older_claim(either):
    either.write("a.jsonl", user("the api port is 8080", timestamp="2026-01-02T00:00:00.000Z"))
    _, number = either.recall.remember("the api port is 8080")
    either.recall.remember("the api port is 9090", number)
    either.ready()
    first, second = either.hits("which api port")[:2]
    assert (first.id, first.excerpt) == (number, "the api port is 9090")
    assert first.ts_ms > second.ts_ms
    assert all(hit.explain for hit in either.hits("api port", explain=True))


def test_what_was_just_written_is_found_at_once(either):
    path = either.write("a.jsonl", user("sentinelold"))
    either.ready()
    with path.open("ab") as file:
        file.write(lines(*chain(user("sentineljustnow"), first=9)))
    (hit,) = either.found("sentineljustnow")
    assert hit.line == 3
    assert either.ask("sentineljustnow").complete


def test_a_deleted_index_comes_back(home):
    home.write("a.jsonl", user("sentinelgone"))
    home.reindex()
    home.close()
    for path in sorted(home.index.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert home.run("recall", "sentinelgone").code == 0
    assert home.run("reindex", "--json").json["files"]["indexed"] == 1


def test_the_doctor_tells_when_nothing_is_indexed_any_more(home):
    path = home.write("a.jsonl", user("sentinelone"))
    home.reindex()
    assert home.run("doctor").code == 0
    path.write_bytes(path.read_bytes() + lines(*chain(user("sentineltwo"), first=9)))
    ran = home.run("doctor")
    assert ran.code == 2
    assert "8 s behind" in ran.out
    status = home.run("status", "--json").json
    assert (status["lag_ms"], status["files_pending"]) == (8_000, 1)


def test_one_more_line_costs_one_line(home):
    path = home.write("a.jsonl", *(tool("x" * 10_000) for _ in range(2000)))
    home.reindex()
    with path.open("ab") as file:
        file.write(lines(*chain(user("sentinelmore"), first=9)))
    report = home.reindex()
    assert (report.added, report.bytes_read) == (
        1,
        len(lines(*chain(user("sentinelmore"), first=9))),
    )


def test_a_rewrite_of_equal_size_and_time_is_noticed(either):
    path = either.write("a.jsonl", user("sentinelaaa"))
    either.reindex()
    stat = path.stat()
    path.write_bytes(path.read_bytes().replace(b"sentinelaaa", b"sentinelbbb"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    either.ready()
    assert [len(either.found(word)) for word in ("sentinelaaa", "sentinelbbb")] == [0, 1]


def test_what_was_forgotten_stays_forgotten(home):
    _, number = home.recall.remember("the zxsecretzx word")
    home.recall.remember("another word")
    home.recall.forget(number)
    assert home.hits("zxsecretzx") == []
    home.recall.reindex(rebuild=True)
    assert home.hits("zxsecretzx") == []
    with pytest.raises(LookupError):
        home.recall.forget(number)
    home.close()
    folder = home.project / ".pi"
    left = [f for f in folder.iterdir() if b"zxsecretzx" in f.read_bytes()]
    assert left == []


def test_updating_a_memory_again_and_again_does_not_swell_the_file(home):
    _, number = home.recall.remember("start")
    for turn in range(100):
        home.recall.remember(f"the same memory, version {turn} of many words", number)
    assert (
        home.recall.remember("the same memory, version 99 of many words", number)[0] == "unchanged"
    )
    home.close()
    size = sum(f.stat().st_size for f in (home.project / ".pi").iterdir())
    assert size < 300_000


@pytest.mark.parametrize("budget", [60, 200, 1000])
def test_a_huge_message_fits_the_budget(either, budget):
    either.write("a.jsonl", user("sentinelhuge " + '"\\\n\u2028' * 200_000), user("sentinelhuge"))
    either.ready()
    ran = either.run("recall", "sentinelhuge", "--json", "--max-tokens", str(budget))
    assert ran.json["version"] == 1
    assert "\r" not in ran.err
    assert count(ran.out) <= budget
    if budget == 1000:
        assert ran.json["hits"][0]["truncated"] or ran.json["hits"][1]["truncated"]
    plain = either.run("recall", "sentinelhuge", "--max-tokens", str(budget))
    assert count(plain.out) <= budget


SECRETS = [
    "AKIAABCDEFGHIJKLMNOP",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
    "sk-ant-api03-0123456789abcdefghij",
]


def test_secrets_are_in_no_byte_of_any_answer(either):
    said = [user(f"sentinelsecret is {secret} here") for secret in SECRETS]
    path = either.write("a.jsonl", *said, assistant("sentinel next"))
    for secret in SECRETS:
        either.recall.remember(f"sentinelsecret is {secret} too")
    either.ready()
    told = [secret.split("\n")[-2] if "\n" in secret else secret[:16] for secret in SECRETS]
    for argv in (
        ["recall", "sentinelsecret", "-n", "20", "-C", "1"],
        ["recall", "sentinelsecret", "-n", "20", "--json", "-C", "2"],
        ["recall", "sentinelsecret", "--max-tokens", "900"],
        ["show", f"{path}:4", "-C", "9"],
        ["show", f"{path}:7", "--json", "-C", "9"],
        ["show", "mem:1"],
    ):
        ran = either.run(*argv)
        assert (ran.code, "[masked: " in ran.out) == (0, True)
        assert [part for part in told if part in ran.out + ran.err] == []


def test_limits_outside_their_range_are_told(home):
    for flags in (
        ["-n", "0"],
        ["-n", "101"],
        ["-n", "x"],
        ["--max-tokens", "0"],
        ["--sessions", "0"],
    ):
        ran = home.run("recall", "x", *flags, "--json")
        assert ran.code == 2
        assert ran.json["error"]["message"]
    with pytest.raises(InvalidInputError):
        home.recall.remember("   ")


def test_the_newest_session_files_are_searched_unless_all_are_asked_for(home):
    for number in range(8):
        path = home.write(f"{number}.jsonl", user(f"sentinel number{number}"))
        os.utime(path, ns=(0, (START_MS + number * DAY_MS) * 1_000_000))
    assert len(home.run("recall", "sentinel", "--json").json["hits"]) == 5
    assert len(home.run("recall", "sentinel", "--sessions", "2", "--json").json["hits"]) == 2
    assert len(home.run("recall", "sentinel", "--sessions", "all", "--json").json["hits"]) == 8
    assert len(home.run("recall", "sentinel", "--all", "--json").json["hits"]) == 8
