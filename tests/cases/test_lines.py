"""Lines that are torn, broken, too deep, too long, or full of what nobody said."""

import base64
import json
import os
import random
import resource
import subprocess
import sys

import pytest

from tests.builders import (
    REPOSITORY,
    Home,
    assistant,
    call,
    chain,
    entry,
    header,
    image,
    line,
    lines,
    shell,
    text,
    thinking,
    tool,
    user,
)

MEGABYTE = 1 << 20


def torn_lines():
    """What a crash may cut off: speech, with letters that a cut may part, and tool output."""
    return {
        "user": user("h\xf6ren \U0001f680 sentineltorn"),
        "assistant": assistant(thinking("hm"), "sentineltorn", call("bash", command="ls")),
        "tool": tool("output", id="a0000002"),
        "named": entry("session_info", name="sentineltorn"),
    }


@pytest.mark.parametrize("kind", torn_lines())
@pytest.mark.parametrize("step", ["recall", "reindex"])
def test_a_line_cut_at_any_byte_is_found_once_when_it_is_completed(tmp_path, kind, step):
    last = line(chain(user("x"), torn_lines()[kind])[1]) + b"\n"
    rest = lines(*chain(user("sentinelnext"), first=3, prefix="b"))
    for cut in range(0, len(last), 7 if step == "recall" else 53):
        home = Home(tmp_path / str(cut))
        path = home.write("a.jsonl", user("sentinelbefore"))
        begun = path.read_bytes()
        path.write_bytes(begun + last[:cut])
        if step == "reindex":
            home.reindex()
        answer = home.ask("sentinelbefore")
        assert ([hit.line for hit in answer.hits][:1], answer.complete) == ([2], True)
        path.write_bytes(begun + last + rest)
        for _ in range(2):
            assert len(home.found("sentineltorn")) == (kind != "tool")
            assert [hit.line for hit in home.found("sentinelnext")] == [4]
            answer = home.ask("sentinelnext")
            assert (answer.complete, answer.notes) == (True, [])
            if step == "reindex":
                home.reindex()
        home.close()


@pytest.mark.parametrize("after", [b"\n", b"\n\n", b"\n \n\t\n", b"\r\n"])
def test_a_torn_line_with_blank_lines_after_it_is_told_and_hides_nothing(either, after):
    path = either.write("a.jsonl", user("sentinelbefore"))
    torn = line(chain(user("half of it"))[0])[:70]
    more = lines(*chain(user("sentinelafter"), first=9))
    path.write_bytes(path.read_bytes() + torn + after + more)
    either.ready()
    number = 4 + after.count(b"\n") - 1
    assert [hit.line for hit in either.found("sentinelafter")] == [number]
    answer = either.ask("sentinelbefore")
    assert answer.hits[0].line == 2
    assert answer.notes == [f"{path}: 1 unreadable line skipped, the first at line 3"]


@pytest.mark.parametrize("torn", torn_lines())
@pytest.mark.parametrize("said", torn_lines())
def test_an_entry_glued_to_a_torn_line_is_not_lost_in_silence(either, torn, said):
    """After a crash the next entry is appended to what is left of the one before."""
    path = either.write("a.jsonl", user("sentinelbefore"))
    half = line(chain(user("x"), torn_lines()[torn])[1])[:-9]
    glued = lines(*chain(torn_lines()[said], user("sentinelafter"), first=7))
    path.write_bytes(path.read_bytes() + half + glued)
    either.ready()
    assert [hit.line for hit in either.found("sentinelbefore")] == [2]
    assert [hit.line for hit in either.found("sentinelafter")] == [4]
    if said != "tool" and not either.found("sentineltorn"):
        assert "1 unreadable line skipped, the first at line 3" in str(either.ask("x").notes)


NOT_JSON = {
    "half": b'{"type":"message","id":"x",',
    "text": b"Traceback (most recent call last):",
    "zeros": b"\0" * 4096,
    "two at once": line(user("x")) + line(user("y")),
    "a comma too many": b'{"type":"message","id":"x",}',
    "single quotes": b"{'type':'message'}",
    "control characters": b'{"type":"message","id":"x\x01"}',
    "too many digits": b'{"type":"message","n":' + b"9" * 5000 + b"}",
    "nested": b'{"type":"message","n":' + b"[" * 100_000,
    "nested and closed": b'{"type":"message","n":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nested objects": b'{"a":' * 50_000,
}
HARMLESS = {
    "null": b"null",
    "number": b"5",
    "string": b'"x"',
    "list": b"[]",
    "full list": b'[{"type":"message"}]',
    "true": b"true",
    "empty object": b"{}",
    "blank": b"  \t ",
    "empty": b"",
    "types of all kinds": b'{"type":5,"id":{},"parentId":[],"timestamp":null,"message":3}',
    "message of all kinds": b'{"type":"message","id":1,"message":{"role":[],"content":{"a":1}}}',
    "blocks of all kinds": lines(user([None, 5, "x", [], {}, {"type": []}, {"type": "text", "text": 7}])).strip(),
    "times of all kinds": lines(
        user("t", timestamp=1e999), user("t", timestamp=True), user("t", timestamp=-1),
        user("t", timestamp="99999-01-01"), user("t", timestamp="2026-02-30T00:00:00Z"),
        user("t", timestamp=10**18),
    ).replace(b"Infinity", b"1e999").strip(),
    "a tail of all kinds": lines(entry("compaction", summary=5, retainedTail=[3, None, {}])).strip(),
    "deep in a tool": lines(tool("x", deep={})).replace(b"{}", b"[" * 900 + b"]" * 900).strip(),
}  # fmt: skip


@pytest.mark.parametrize("kind", [*NOT_JSON, *HARMLESS])
def test_one_bad_line_hides_nothing_and_is_counted(either, kind):
    bad = {**NOT_JSON, **HARMLESS}[kind]
    path = either.write("a.jsonl", user("sentinelbefore"), bad, user("sentinelafter"))
    either.ready()
    answer = either.ask("sentinelbefore")
    assert answer.hits[0].line == 2
    last = 4 + bad.count(b"\n")
    assert [hit.line for hit in either.found("sentinelafter")] == [last]
    told = f"{path}: 1 unreadable line skipped, the first at line 3"
    tolerant = kind in HARMLESS or kind in ("too many digits", "nested and closed")
    assert answer.notes in ([told], [] if tolerant else [told])
    if kind in HARMLESS:
        assert (answer.notes, answer.complete) == ([], True)


def test_bad_lines_are_told_once_a_file_and_change_no_exit_status(either):
    bad = [NOT_JSON["half"], NOT_JSON["text"]]
    path = either.write("a.jsonl", user("sentinelbefore"), *bad, user("sentinelafter"))
    either.ready()
    note = f"{path}: 2 unreadable lines skipped, the first at line 3"
    ran = either.run("recall", "sentinelafter", "--json")
    assert (ran.code, ran.json["notes"], ran.json["complete"]) == (0, [note], False)
    ran = either.run("recall", "sentinelafter")
    assert (ran.code, ran.err) == (0, f"clawa-search: {note}\n")
    assert either.run("recall", "nowhereinit").code == 1
    ran = either.run("reindex", "--json")
    assert (ran.code, ran.json["notes"]) == (0, [note])


@pytest.mark.parametrize("where", ["before the header", "before the first entry"])
@pytest.mark.parametrize("kind", NOT_JSON)
def test_a_bad_line_before_or_after_the_header_costs_that_line_only(either, kind, where):
    said = chain(user("sentinelafter"))
    all_lines = [header(), NOT_JSON[kind], *said]
    if where == "before the header":
        all_lines = [NOT_JSON[kind], header(), *said]
    path = either.write("a.jsonl")
    path.write_bytes(lines(*all_lines))
    either.ready()
    if kind in ("too many digits", "nested and closed") and where == "before the header":
        return  # these may be readable, and a session does not begin with such an entry
    assert [(hit.line, hit.session_id) for hit in either.found("sentinelafter")] == [(3, "s1")]


def silent(secret):
    """Return every place of a session file where *secret* is not said by anybody."""
    return [
        tool(f"out {secret}"),
        tool([text(f"before {secret}"), image(secret)], details={"diff": secret}),
        tool("x", name=secret),
        shell(f"ls {secret}", f"total {secret}"),
        assistant(thinking(secret), call("bash", command=secret), call(secret)),
        assistant(text("fine", textSignature=secret)),
        assistant("fine", errorMessage=secret),
        user([text("look"), image(secret)]),
        user([text("look"), {"type": "file", "text": secret}]),
        entry("custom", customType="state", data={"q": secret}),
        entry("custom", customType="clawa-hydration", data=secret),
        entry("custom_message", customType="clawa-hydration", content=secret),
        entry("custom_message", customType="clawa-memory-pass", content=[text(secret)]),
        entry("model_change", provider=secret, modelId=secret),
        entry("thinking_level_change", thinkingLevel=secret),
        entry("usage", kind=secret),
        entry("active_tools_change", tools=[secret]),
        entry("unheard_of", text=secret, message={"role": "user", "content": secret}),
        {"type": "message", "message": {"role": "system", "sections": {"a": secret}}},
        {"type": "message", "message": {"role": "system", "content": secret}},
        {"type": "message", "message": {"role": "tool", "content": secret}},
        entry("compaction", summary="short", details={"readFiles": [secret]}, systemMessage=secret),
        entry("compaction", summary="short", retainedTail=[tool(secret), {"role": secret}]),
        entry("branch_summary", summary="short", details=secret),
    ]


@pytest.mark.parametrize("secret", ["zqwordzq", "QUJD" * 75_000 + "zqwordzq" + "QUJD" * 1000])
def test_what_nobody_said_is_not_found(either, secret):
    either.write("a.jsonl", user("before-image"), *silent(secret), user("sentinelafter"))
    either.ready()
    assert either.hits("zqwordzq") == []
    assert either.hits(secret[:500]) == []
    assert len(either.found("before-image")) == 1
    assert len(either.found("sentinelafter")) == 1


def test_images_and_signatures_do_not_swell_the_index(tmp_path):
    home = Home(tmp_path, indexed=True)
    noise = random.Random(5)
    blob = base64.b64encode(noise.randbytes(300_000)).decode()
    said = [[user([text(f"word{n} said"), image(blob)]), *silent(blob)] for n in range(3)]
    home.write("a.jsonl", *(one for many in said for one in many))
    home.reindex()
    size = sum(f.stat().st_size for f in home.index.rglob("*") if f.is_file())
    assert size < 200_000
    home.close()


def test_base64_that_somebody_pasted_does_not_swell_the_index(tmp_path):
    home = Home(tmp_path)
    blob = base64.b64encode(random.Random(6).randbytes(3 * MEGABYTE)).decode()
    home.write("a.jsonl", user(f"beforeblob {blob} afterblob"), user(f"next\n{blob}\nafterlf"))
    home.reindex()
    assert [hit.line for hit in home.found("beforeblob")] == [2]
    assert [hit.line for hit in home.hits("afterblob")][:1] == [2]
    assert [hit.line for hit in home.hits("afterlf")][:1] == [3]
    home.close()


ESCAPES = ["\n", "\t", '"', "\\", "/", "\x01", "\u2028", "\ud83d", "\\u0041", "\\\\"]


@pytest.mark.parametrize("before", ESCAPES, ids=repr)
def test_an_escape_before_a_long_run_of_base64_breaks_no_line(home, before):
    run = "A" * (MEGABYTE + 200_000)
    said = []
    for pad in ("", "x", "xxxxx"):
        told = f"{pad}{before}{run}{before}"
        said += [user([text(f"sentinelrun {pad}{before}"), image(told)]), tool(told)]
    home.write("a.jsonl", *said, user("sentinelafter"))
    found = home.found("sentinelrun")
    assert sorted(hit.line for hit in found) == [2, 4, 6]
    assert [hit.line for hit in home.found("sentinelafter")] == [8]
    answer = home.ask("sentinelafter")
    assert (answer.notes, answer.complete) == ([], True)
    assert {home.recall.show(hit.ref).status for hit in found} == {"ok"}


RSS = """
import sys
from clawa_search.main import run
code = run(sys.argv[1:])
sys.stderr.write("RSS %d" % int([l.split()[1] for l in open("/proc/self/status") if l.startswith("VmHWM")][0]))
sys.exit(code)
"""


def measured(home, *argv):
    """Run the command line; return what it printed and its peak memory in MB."""
    ran = home.finish(home.start(*argv, program=("-c", RSS)))
    err, _, told = ran.err.rpartition("RSS ")
    return ran._replace(err=err), int(told) >> 10


def write_big(path, said, count, size):
    """Append *count* lines of *size* bytes each, made by *said*."""
    filler = "lorem ipsum dolor sit amet " * (size // 27)
    with path.open("ab") as file:
        for number in range(count):
            one = said(f"{filler} needle{number}q")
            file.write(lines(*chain(one, first=number + 50, prefix="c")))


def test_memory_does_not_grow_with_a_file_of_tool_output(tmp_path):
    home = Home(tmp_path)
    path = home.write("a.jsonl", user("sentinelbefore"))
    write_big(path, tool, 3000, 20_000)  # 60 MB
    path.write_bytes(path.read_bytes() + lines(*chain(user("sentinelafter"), first=9)))
    ran, rss = measured(home, "reindex", "--json")
    assert ran.json["entries"] == {"added": 2, "removed": 0, "skipped_lines": 0}
    assert rss < 150
    ran, rss = measured(home, "recall", "sentinelafter", "--json")
    assert ran.json["hits"][0]["line"] == 3003
    assert rss < 60


def test_memory_does_not_grow_with_what_was_said(tmp_path):
    home = Home(tmp_path)
    path = home.write("a.jsonl", user("sentinelbefore"))
    write_big(path, user, 600, 20_000)  # 12 MB
    ran, rss = measured(home, "reindex", "--json")
    assert ran.json["entries"]["added"] == 601
    assert rss < 400
    ran, rss = measured(home, "recall", "needle500q", "--json")
    assert ran.json["hits"][0]["line"] == 503
    assert rss < 80


def test_one_line_of_120_megabytes_of_base64_needs_no_memory(tmp_path):
    home = Home(tmp_path)
    blocks = [text("sentinelbig"), image("\ue000")]
    path = home.write("a.jsonl", user("sentinelbefore"), user(blocks), user("sentinelafter"))
    head, tail = path.read_bytes().split("\ue000".encode())
    block = b"QUJDREVG" * (MEGABYTE // 8)
    with path.open("wb") as file:
        file.write(head)
        for _ in range(120):
            file.write(block)
        file.write(tail)
    ran, rss = measured(home, "reindex", "--json")
    assert ran.json["entries"]["skipped_lines"] == 0
    assert rss < 80
    ran, rss = measured(home, "recall", "sentinelafter", "sentinelbig", "--json")
    found = [hit["line"] for hit in ran.json["hits"]]
    assert sorted(found) == [3, 4]
    assert rss < 80
    ran, rss = measured(home, "show", f"{path}:3", "--json")
    assert ran.json["status"] == "ok"
    assert rss < 80


def test_a_line_of_50_megabytes_of_words_is_counted_and_hides_nothing(tmp_path):
    home = Home(tmp_path)
    path = home.write("a.jsonl", user("sentinelbefore"))
    write_big(path, user, 1, 50 * MEGABYTE)
    with path.open("ab") as file:
        file.write(lines(*chain(user("sentinelafter"), first=9)))
    ran, rss = measured(home, "reindex", "--json")
    assert ran.json["entries"] == {"added": 2, "removed": 0, "skipped_lines": 1}
    assert ran.json["notes"] == [f"{path}: 1 unreadable line skipped, the first at line 3"]
    assert rss < 250
    ran, rss = measured(home, "recall", "sentinelafter", "--json")
    assert ran.json["hits"][0]["line"] == 4
    assert rss < 250


@pytest.mark.parametrize("limit", [resource.RLIMIT_DATA, resource.RLIMIT_AS])
def test_400_megabytes_are_enough_for_an_index(tmp_path, limit):
    home = Home(tmp_path)
    path = home.write("a.jsonl", user("sentinelbefore"))
    write_big(path, user, 300, 20_000)
    write_big(path, tool, 2, 20 * MEGABYTE)
    path.write_bytes(path.read_bytes() + lines(*chain(user("sentinelafter"), first=9)))
    ran = subprocess.run(
        [sys.executable, "-m", "clawa_search", "recall", "sentinelafter", "--json"],
        preexec_fn=lambda: resource.setrlimit(limit, (400_000 << 10,) * 2),
        env={**os.environ, **home.env, "PYTHONPATH": str(REPOSITORY)},
        cwd=home.project,
        capture_output=True,
        check=False,
    )
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["notes"], ran.stderr) == (0, [], b"")
    assert ["sentinelafter" in hit["excerpt"] for hit in told["hits"]] == [True]
