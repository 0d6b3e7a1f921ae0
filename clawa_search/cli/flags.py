"""The flags of `recall`, once: the fast parser reads them here, click builds its help here."""

from __future__ import annotations

from indexer.entry import ROLES

TEXT, NUMBER, SWITCH, WHEN = "text", "number", "switch", "when"


class Flag:
    """One flag.

    Attributes:
        names: as typed, the long one last.
        key: name of its value.
        kind: TEXT, NUMBER, SWITCH or WHEN.
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
        high: int = 1 << 53,
    ) -> None:
        self.names = names
        self.key = names[-1].lstrip("-").replace("-", "_")
        self.kind = kind
        self.help = text
        self.metavar = metavar
        self.many = many
        self.choices = choices
        self.low = low
        self.high = high


GLOBAL_FLAGS = (
    Flag(("--home",), TEXT, "The agent's home (else CLAWA_HOME, or found upward).", metavar="DIR"),
    Flag(("--index-dir",), TEXT, "Where the index is kept (else CLAWA_INDEX_DIR).", metavar="DIR"),
    Flag(
        ("--sessions-dir",),
        TEXT,
        "Look for session files here, and only here.",
        metavar="DIR",
        many=True,
    ),
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
    Flag(("--session-file",), TEXT, "Only this session file.", metavar="FILE", many=True),
    Flag(("--role",), TEXT, "Only what this role said.", choices=ROLES, many=True),
    Flag(
        ("--since",), WHEN, "Not before: 2026-05-01, 7d, yesterday, last tuesday.", metavar="WHEN"
    ),
    Flag(("--until",), WHEN, "Not after; a bare date counts whole.", metavar="WHEN"),
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
    Flag(("--json",), SWITCH, "One JSON object on one line."),
)
