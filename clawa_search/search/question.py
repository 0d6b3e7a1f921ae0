"""What is asked, and what is answered: the nouns of recall.

Plain slotted classes: `dataclasses` alone would cost a cold recall 15 ms of import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.word import Word

from clawa_search.memory.tags import several

SOURCES = ("memory", "session")
DEFAULT_LIMIT = 10
MAX_LIMIT = 100
DEFAULT_SESSIONS = 5
MAX_QUERY_CHARS = 20_000
NO_TIME = "since is later than until: nothing lies between them"


class Question:
    """A recall request, already checked.

    Attributes:
        query: the user's words; empty asks for the newest entries.
        limit: hits wanted, 1 to 100.
        source: `memory`, `session` or empty for both.
        tags: all must hold; they narrow memories only.
        sessions: how many of the most recent files of the current Clawa; None for all of them.
        everything: every known session of every project.
        project: only sessions whose cwd is this folder or below it; empty for any.
        session_files: only these files, when any are given.
        roles: only these roles (sessions), when any are given.
        since_ms, until_ms: inclusive bounds in Unix ms, or None.
        context: neighbouring entries to show with each hit, 0 to 20.
        explain: show the parts of each score.
        now_ms: the time of asking, for relative dates.
        visible: entry ids by file that the asker already sees and does not want again.
    """

    __slots__ = (
        "context",
        "everything",
        "explain",
        "limit",
        "now_ms",
        "project",
        "query",
        "roles",
        "session_files",
        "sessions",
        "since_ms",
        "source",
        "tags",
        "until_ms",
        "visible",
    )

    def __init__(
        self,
        query: str = "",
        *,
        limit: int = DEFAULT_LIMIT,
        source: str = "",
        tags: Iterable[str] = (),
        sessions: int | None = DEFAULT_SESSIONS,
        everything: bool = False,
        project: str = "",
        session_files: Iterable[str] = (),
        roles: Iterable[str] = (),
        since_ms: int | None = None,
        until_ms: int | None = None,
        context: int = 0,
        explain: bool = False,
        now_ms: int | None = None,
        visible: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.query = query
        self.limit = limit
        self.source = source
        self.tags = several(tags)
        self.sessions = sessions
        self.everything = everything
        self.project = project
        self.session_files = several(session_files)
        self.roles = several(roles)
        self.since_ms = since_ms
        self.until_ms = until_ms
        self.context = context
        self.explain = explain
        self.now_ms = now_ms
        self.visible = visible or {}

    @property
    def ends_before_it_begins(self) -> bool:
        """Can nothing lie in its time?"""
        since_ms, until_ms = self.since_ms, self.until_ms
        return since_ms is not None and until_ms is not None and since_ms > until_ms


class Hit:
    """One ranked result: a memory or a session entry. Field names are those of the contract.

    Attributes:
        kind: `memory` or `session`.
        ref: what `show` opens: `mem:12` or `path:line`.
        id: memory id, 0 for a session entry.
        line: 1-based physical line, 0 for a memory.
        ts_ms: Unix ms, 0 when unknown.
        live: the entry is on the branch that the session ended on.
        copies: places that say the same, this one included; `also` names others.
        edited: a later edit took the entry out of the model's context.
        tier: `match`, or `weak` when the evidence is thin: `strength` below 0.5.
        strength: 0 to 1, how much the hit can be trusted to answer.
        context: neighbouring entries as `(ref, role, text)`.
        explain: parts of the score by name; they add up to `score`.
    """

    __slots__ = (
        "also",
        "context",
        "copies",
        "edited",
        "entry_id",
        "excerpt",
        "explain",
        "id",
        "kind",
        "line",
        "live",
        "path",
        "project",
        "ref",
        "role",
        "score",
        "session_id",
        "strength",
        "tags",
        "tier",
        "truncated",
        "ts_ms",
    )

    def __init__(self, kind: str, ref: str, score: float, ts_ms: int) -> None:
        self.kind = kind
        self.ref = ref
        self.score = score
        self.ts_ms = ts_ms
        self.id = 0
        self.tags: tuple[str, ...] = ()
        self.path = ""
        self.line = 0
        self.entry_id = ""
        self.session_id = ""
        self.role = ""
        self.project = ""
        self.live = True
        self.excerpt = ""
        self.truncated = False
        self.copies = 1
        self.also: list[str] = []
        self.edited = False
        self.tier = "match"
        self.strength = 1.0
        self.context: list[tuple[str, str, str]] = []
        self.explain: dict[str, float] = {}


class Answer:
    """The ranked hits, and whether anything in scope could not be searched.

    Attributes:
        complete: everything in scope was searched.
        notes: what was not, what was odd, and why: `PATH: what: why`.
        words: what the hits were found by.
    """

    __slots__ = ("complete", "hits", "notes", "query", "took_ms", "words")

    def __init__(self, query: str) -> None:
        self.query = query
        self.hits: list[Hit] = []
        self.complete = True
        self.notes: list[str] = []
        self.took_ms = 0.0
        self.words: list[Word] = []
