"""Flags: what they are, and how words of a command line are split into flags and text.

One table serves all: the fast parser of `recall`, the verbs behind click, help and completion.
"""

from __future__ import annotations

from clawa_search.errors import InvalidInputError
from indexer.entry import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Values = Mapping[str, list[str]]

TEXT, NUMBER, SWITCH = "text", "number", "switch"
MAX_ID = (1 << 63) - 1


class Flag:
    """One flag.

    Attributes:
        names: as typed, the long one last.
        key: name of its value.
        kind: TEXT, NUMBER or SWITCH.
        many: may be repeated.
        choices: allowed values, or empty for any.
        low, high: bounds of a NUMBER, inclusive.
    """

    __slots__ = ("choices", "help", "high", "key", "kind", "low", "many", "metavar", "names")

    def __init__(
        self,
        names: tuple[str, ...],
        kind: str,
        text: str,
        *,
        metavar: str = "",
        many: bool = False,
        choices: tuple[str, ...] = (),
        low: int = 0,
        high: int = MAX_ID,
    ) -> None:
        self.names = names
        self.key = names[-1].lstrip("-").replace("-", "_")
        self.kind = kind
        self.help = text
        self.metavar = metavar or "|".join(choices)
        self.many = many
        self.choices = choices
        self.low = low
        self.high = high

    def check(self, name: str, value: str) -> str:
        """Return *value* if this flag, typed as *name*, allows it.

        Raises:
            InvalidInputError: it does not; the message says what is allowed.
        """
        if self.kind == NUMBER:
            if not is_number(value, self.low, self.high):
                upto = f" from {self.low} to {self.high}" if self.high < MAX_ID else ""
                upto = upto or (f" from {self.low} on" if self.low >= 0 else "")
                raise InvalidInputError(f"{name}: not a number{upto}: {value!r}")
        elif self.choices and value not in self.choices:
            raise InvalidInputError(f"{name}: not one of {', '.join(self.choices)}: {value!r}")
        elif not value:
            raise InvalidInputError(f"{name}: its value is empty", hint=f"{name} {self.metavar}")
        return value


HELP = Flag(("-h", "--help"), SWITCH, "Show this help.")
VERSION = Flag(("--version",), SWITCH, "Show the version.")
JSON = Flag(("--json",), SWITCH, "One JSON object on one line.")
PLACE_FLAGS = (
    Flag(("--home",), TEXT, "The agent's home (else CLAWA_HOME, or found upward).", metavar="DIR"),
    Flag(("--index-dir",), TEXT, "Where the index is kept (else CLAWA_INDEX_DIR).", metavar="DIR"),
    Flag(
        ("--sessions-dir",),
        TEXT,
        "Session files are here, and only here.",
        metavar="DIR",
        many=True,
    ),
)
TAKE_VALUE = [name for flag in PLACE_FLAGS for name in flag.names]
GLOBAL_FLAGS = (*PLACE_FLAGS, VERSION, HELP)
REINDEX_FLAGS = (
    Flag(("--rebuild",), SWITCH, "Make a new index, then swap."),
    Flag(("--watch",), SWITCH, "Go on: index whenever a session file changes."),
    JSON,
)
RECALL_FLAGS = (
    Flag(("-n", "--limit"), NUMBER, "Hits wanted (default 10).", metavar="N", low=1, high=100),
    Flag(("--source",), TEXT, "Only this source.", choices=("memory", "session")),
    Flag(("--tag",), TEXT, "Memories with this tag; all must hold.", metavar="T", many=True),
    Flag(
        ("--sessions",),
        TEXT,
        "How many of the most recent session files of this home (default 5), or all.",
        metavar="N|all",
    ),
    Flag(("--all",), SWITCH, "Every known session of every project."),
    Flag(("--project",), TEXT, "Sessions whose project is DIR or below it.", metavar="DIR"),
    Flag(("--session-file",), TEXT, "Of sessions, only this file.", metavar="FILE", many=True),
    Flag(("--role",), TEXT, "Of sessions, only what this role said.", choices=ROLES, many=True),
    Flag(
        ("--since",), TEXT, "Not before: 2026-05-01, 7d, yesterday, last tuesday.", metavar="WHEN"
    ),
    Flag(("--until",), TEXT, "Not after; a bare date counts whole.", metavar="WHEN"),
    Flag(("-C", "--context"), NUMBER, "Neighbouring entries to show.", metavar="N", high=20),
    Flag(
        ("--max-tokens",),
        NUMBER,
        "The whole answer fits in N o200k tokens.",
        metavar="N",
        low=1,
        high=10_000_000,
    ),
    Flag(("--explain",), SWITCH, "Show the parts of each score."),
    JSON,
)


class Split:
    """A command line after its flags were taken out.

    Attributes:
        values: what each flag was given, in order; a switch that is on has an empty list.
        words: the text that is left.
        ended: `--` ended the flags.
    """

    __slots__ = ("ended", "values", "words")

    def __init__(self) -> None:
        self.values: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.ended = False

    @property
    def from_stdin(self) -> bool:
        """Is the text to be read from stdin? A dash after `--` is a dash."""
        return self.words == ["-"] and not self.ended


def split(verb: str, argv: list[str], flags: Iterable[Flag]) -> Split:
    """Split *argv* into flag values and words.

    A word that looks like a flag but is none of ours is a mistake that is told, unless text
    came before it: then it belongs to the text (`git log -p`).

    Raises:
        InvalidInputError: an unknown flag, a missing value, or one that is not allowed.
    """
    known = {name: flag for flag in flags for name in flag.names}
    made = Split()
    rest = iter(argv)
    for word in rest:
        if word == "--":
            made.ended = True
            made.words += rest
            break
        name, flag, value = _match(word, known)
        if flag is None:
            if not made.words and looks_like_flag(word):
                raise unknown(verb, name, known)
            made.words.append(word)
        elif flag.kind == SWITCH:
            if value is not None:
                raise InvalidInputError(f"{name}: takes no value")
            made.values[flag.key] = []
        else:
            if value is None:
                value = next(rest, None)
            if value is None:
                raise InvalidInputError(f"{name}: needs a value", hint=f"{name} {flag.metavar}")
            made.values.setdefault(flag.key, []).append(flag.check(name, value))
    return made


def _match(word: str, known: Mapping[str, Flag]) -> tuple[str, Flag | None, str | None]:
    """Return the name, the flag and the value (`--limit=5`, `-n5`) that *word* holds."""
    if word[:1] != "-":
        return word, None, None
    name, equals, value = word.partition("=")
    if word[:2] == "--":
        return name, known.get(name), value if equals else None
    flag = known.get(word[:2])
    if flag is not None and len(word) > 2:
        digits = word[2:].removeprefix("=")
        if flag.kind == NUMBER and digits.isdigit():
            return word[:2], flag, digits
        return word, None, None
    return word, flag, None


def looks_like_flag(word: str) -> bool:
    """Tell `-p` and `--max-count=3` from text that begins with a dash: `-5`, `- a`, `-"no"`."""
    name = word.partition("=")[0]
    return name[:1] == "-" and name.lstrip("-")[:1].isalpha() and not any(map(str.isspace, name))


def unknown(verb: str, name: str, known: Iterable[str]) -> InvalidInputError:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    meant = f"did you mean {near[0]}? " if near else ""
    if not verb:
        return InvalidInputError(
            f"no such flag: {name}", hint=f"{meant}`clawa-search --help` lists them"
        )
    return InvalidInputError(
        f"{verb}: no such flag: {name}",
        hint=f"{meant}`clawa-search {verb} --help` lists them, `--` before text ends them",
    )


def mistaken(words: Iterable[str], flags: Iterable[Flag]) -> list[str]:
    """Return a note for each of *words* that stands in a text and was perhaps meant as a flag."""
    odd = [word for word in words if word[:2] == "--" and looks_like_flag(word)]
    if not odd:  # as good as always
        return []
    from difflib import get_close_matches

    names = [name for flag in flags for name in flag.names]
    near = {word: get_close_matches(word.partition("=")[0], names, 1, 0.8) for word in odd}
    return [
        f"{word}: looked for as a word; did you mean {found[0]}?"
        for word, found in near.items()
        if found
    ]


def find_verb(argv: list[str]) -> tuple[list[str], str, list[str]]:
    """Return the flags before the verb, the verb (empty: none there), and what follows it."""
    number = 0
    while number < len(argv):
        word = argv[number]
        if not looks_like_flag(word):
            return argv[:number], word, argv[number + 1 :]
        number += 2 if word in TAKE_VALUE else 1
    return argv, "", []


def is_number(text: str, low: int, high: int) -> bool:
    """Tell whether *text* is a whole number in plain digits from *low* to *high*."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 20 and low <= int(text) <= high


def last(values: Values, key: str) -> str:
    """Return the last value of a flag, or an empty string when it was not given."""
    return values[key][-1] if values.get(key) else ""


def wants_json(argv: list[str]) -> bool:
    """Tell whether errors are to be JSON, even when *argv* cannot be split."""
    return "--json" in (argv[: argv.index("--")] if "--" in argv else argv)
