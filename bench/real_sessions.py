"""Check recall against a folder of real Pi sessions: `python -m bench.real_sessions DIR [--json]`.

A plain scan of its own (json.loads of every line) says what stands where. Then everything said
must be found by its rarest word at the right line, copies counted and not repeated, every hit
opened by `show`, and nothing that tools, shells, thinking or images hold may be found.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clawa_search import Hit, Recall

LIMIT = 100
SAMPLE = 400
"""Words looked for that only tools, shells or thoughts hold."""
WORD = re.compile(r"[^\W_]{3,}")
SPOKEN = {"user": "user", "assistant": "assistant", "custom": "custom", "hookMessage": "custom"}
HEADLESS = ("message", "compaction", "model_change", "thinking_level_change", "session_info")
OWN = ("clawa-hydration", "clawa-memory-pass")
SHOWN_MISSES = 20


class Said(NamedTuple):
    """What one line of a session file says aloud."""

    path: str
    line: int
    entry_id: str
    role: str
    text: str

    @property
    def ref(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def same(self) -> tuple[str, str]:
        """Equal for copies of one entry."""
        return self.role, " ".join(self.text.lower().split())


class Scan:
    """What the plain scan saw in all files.

    Attributes:
        said: by `path:line`.
        silent: words of tool output, shell output, thoughts, arguments, images, state.
    """

    def __init__(self) -> None:
        self.said: dict[str, Said] = {}
        self.silent: set[str] = set()
        self.files = 0
        self.not_sessions: list[str] = []
        self.bad_lines = 0

    def read(self, path: str) -> None:
        """Read one file; what is no session only counts."""
        with open(path, "rb") as file:
            raws = file.read().split(b"\n")
        begun = False
        for number, raw in enumerate(raws, 1):
            if not raw.strip():
                continue
            try:
                value = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8", "replace"))
            except (ValueError, RecursionError):
                self.bad_lines += 1
                continue
            if not isinstance(value, dict):
                continue
            if not begun and not _begins(value):
                self.not_sessions.append(path)
                return
            begun = True
            self._line(path, number, value)
        self.files += begun

    def _line(self, path: str, number: int, value: dict[str, Any]) -> None:
        role, texts, rest = _parts(value)
        text = "\n".join(filter(None, (part.strip() for part in texts)))
        if role and text:
            entry_id = value.get("id")
            said = Said(path, number, entry_id if isinstance(entry_id, str) else "", role, text)
            self.said[said.ref] = said
        self.silent.update(_words_in(rest))


def _begins(value: dict[str, Any]) -> bool:
    if value.get("type") == "session" or value.get("kind") == "header":
        return isinstance(value.get("id"), str)
    return value.get("type") in HEADLESS and isinstance(value.get("id"), str)


def _parts(value: dict[str, Any]) -> tuple[str, list[str], list[object]]:
    """Split an entry into role, texts said aloud, and everything else."""
    kind = value.get("type")
    if kind in ("compaction", "branch_summary"):
        role = "compaction" if kind == "compaction" else "branch"
        return role, [_string(value.get("summary"))], [value.get("details")]
    if kind == "session_info":
        return "custom", [_string(value.get("name"))], []
    if kind == "label":
        return "custom", [_string(value.get("label"))], []
    if kind not in ("message", "custom_message"):
        return "", [], [value]
    message = value if kind == "custom_message" else value.get("message")
    if not isinstance(message, dict):
        return "", [], [message]
    role = "custom" if kind == "custom_message" else SPOKEN.get(str(message.get("role")), "")
    content = message.get("content")
    if not role or message.get("customType") in OWN:
        return "", [], [message]
    texts, rest = _blocks(content)
    if role == "custom" and texts and message.get("customType"):
        texts[0] = f"[{message['customType']}] {texts[0].strip()}"
    return role, texts, [rest, message.get("details")]


def _blocks(content: object) -> tuple[list[str], list[object]]:
    if isinstance(content, str):
        return [content], []
    texts: list[str] = []
    rest: list[object] = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("type") == "text":
            texts.append(_string(block.get("text")))
            rest.append({key: held for key, held in block.items() if key != "text"})
        else:
            rest.append(block)
    return texts, rest


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _words_in(value: object) -> Iterator[str]:
    """Yield the words of every string that *value* holds, at any depth."""
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield from words(item)
        elif isinstance(item, dict):
            left += item.values()
        elif isinstance(item, list):
            left += item


def words(text: str) -> list[str]:
    """Return the plain words of *text*, in lower case."""
    return [word.lower() for word in WORD.findall(text)]


class Report:
    """What was checked and what failed, by the name of the check."""

    def __init__(self) -> None:
        self.checked: dict[str, int] = {}
        self.failed: dict[str, list[str]] = {}

    def check(self, name: str, holds: bool, what: str) -> None:
        """Count one check; *what* names it should it fail."""
        self.checked[name] = self.checked.get(name, 0) + 1
        failures = self.failed.setdefault(name, [])
        if not holds:
            failures.append(what)

    def fields(self) -> dict[str, object]:
        return {
            name: {
                "checked": count,
                "ok": count - len(self.failed[name]),
                "failures": self.failed[name][:SHOWN_MISSES],
            }
            for name, count in self.checked.items()
        }


class Trial:
    """Asks the recall layer and compares its answers with the scan."""

    def __init__(self, recall: Recall, scan: Scan) -> None:
        self.recall = recall
        self.scan = scan
        self.report = Report()
        self.wordless = 0
        self._opened: set[str] = set()
        self._spread: dict[tuple[str, str], list[str]] = {}
        for said in scan.said.values():
            self._spread.setdefault(said.same, []).append(said.ref)
        self._df: dict[str, int] = {}
        for _, text in self._spread:
            for word in set(words(text)):
                self._df[word] = self._df.get(word, 0) + 1

    def everything_said(self) -> None:
        """Look for every entry by its rarest word."""
        asked: dict[str, list[Hit]] = {}
        for said in self.scan.said.values():
            if not any(map(str.isalnum, said.text)):  # a lone `/`: nothing to look for
                self.wordless += 1
                continue
            word = min(words(said.text), key=lambda w: (self._df[w], -len(w), w), default="")
            if not word:  # nothing but words of one or two letters: looked for as it is
                word = said.text
            if word not in asked:
                asked[word] = self._hits(word)
            hits = asked[word]
            if self._df.get(word, 0) > LIMIT // 2 and not _holds(hits, said.ref):
                hits = self._hits(said.text, said.path)
            self.report.check(
                f"found: {said.role}", _holds(hits, said.ref), f"{said.ref} by {word[:60]!r}"
            )

    def nothing_silent(self, sample: int) -> None:
        """Look for words that only tools, shells, thoughts or state hold."""
        only = sorted(self.scan.silent - self._df.keys())
        step = max(len(only) // sample, 1)
        for word in only[::step]:
            shown = [hit.ref for hit in self._hits(word) if word in words(hit.excerpt)]
            self.report.check("silent words not shown", not shown, f"{word!r} at {shown}")

    def _hits(self, query: str, path: str = "") -> list[Hit]:
        from clawa_search import Question

        # Quotes, stars and `role:` mean something in a query; a word has none of them.
        plain = re.sub(r'["*~:]', " ", query)
        question = Question(plain, limit=LIMIT, sessions=None, source="session")
        question.session_files = (path,) if path else ()
        answer = self.recall.search(question)
        seen: set[tuple[str, str]] = set()
        for hit in answer.hits:
            self._check_hit(hit, seen, whole=not path)
        return answer.hits

    def _check_hit(self, hit: Hit, seen: set[tuple[str, str]], *, whole: bool) -> None:
        check = self.report.check
        said = self.scan.said.get(hit.ref)
        check("hits stand where something was said", said is not None, hit.ref)
        if said is None:
            return
        check("copies not repeated", said.same not in seen, hit.ref)
        seen.add(said.same)
        if hit.ref in self._opened and not whole:
            return
        if whole:
            copies = len(self._spread[said.same])
            check("copies counted", hit.copies == copies, f"{hit.ref}: {hit.copies}, not {copies}")
        if hit.ref not in self._opened:
            self._opened.add(hit.ref)
            self._open(hit, said)

    def _open(self, hit: Hit, said: Said) -> None:
        opened = self.recall.show(hit.ref)
        entry = opened.entry
        same = entry is not None and (entry.entry_id, entry.text) == (said.entry_id, said.text)
        self.report.check("opened by show", opened.status == "ok" and same, hit.ref)
        cited = (hit.entry_id, hit.role) == (said.entry_id, said.role)
        self.report.check("hits cite id and role", cited, hit.ref)


def _holds(hits: list[Hit], ref: str) -> bool:
    return any(hit.ref == ref or ref in hit.also for hit in hits)


def run(folder: str, sample: int, tell: Callable[[str], None]) -> dict[str, object]:
    """Check recall on the sessions below *folder* with an index of its own."""
    from clawa_search import Places, Recall

    folder = os.path.abspath(folder)  # the product is asked from another folder
    scan = Scan()
    for path in find_files(folder):
        scan.read(path)
    tell(f"{scan.files} sessions, {len(scan.said)} entries that say something")
    with tempfile.TemporaryDirectory() as scratch:
        places = Places(scratch, f"{scratch}/index", [folder], cwd=scratch, env={"HOME": scratch})
        with Recall(places) as recall:
            report = recall.reindex()
            trial = Trial(recall, scan)
            trial.report.check(
                "every session indexed",
                report.indexed == scan.files,
                f"{report.indexed} of {scan.files}",
            )
            trial.everything_said()
            trial.nothing_silent(sample)
    failed = sum(map(len, trial.report.failed.values()))
    return {
        "sessions": scan.files,
        "not_sessions": len(scan.not_sessions),
        "bad_lines": scan.bad_lines,
        "entries": len(scan.said),
        "wordless": trial.wordless,
        "failed": failed,
        "checks": trial.report.fields(),
    }


def find_files(folder: str) -> list[str]:
    """Return every `*.jsonl` below *folder*."""
    return sorted(
        os.path.join(parent, name)
        for parent, _, names in os.walk(os.path.abspath(folder))
        for name in names
        if name.endswith(".jsonl")
    )


def main() -> int:
    """Run the check; the exit status is 0 only if everything holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.real_sessions", description=__doc__)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="silent words looked for")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    made = run(asked.folder, asked.sample, lambda text: print(text, file=sys.stderr))
    if asked.json:
        print(json.dumps(made))
        return int(bool(made["failed"]))
    checks = made["checks"]
    assert isinstance(checks, dict)
    for name, told in checks.items():
        print(f"{told['ok']:>6} of {told['checked']:>6}  {name}")
        for failure in told["failures"]:
            print(f"               {failure}")
    return int(bool(made["failed"]))


if __name__ == "__main__":
    sys.exit(main())
