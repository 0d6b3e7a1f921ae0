"""Decide when one compaction cycle's memory pass is due, and say what the model should do in it.

The host alone compacts. Just before it would, the model gets one hidden turn in the current
session to carry what is new and true into the shared memories.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

CUSTOM_TYPE = "clawa-memory-pass"
SHARE_PERCENT = 90
DEFAULT_RESERVE = 16_384  # tokens that Pi keeps free when its user has set nothing
RECENT = 5
NEW_AT_MOST = 5

_MARGIN_PERCENT = 3  # of the window: room for the turn that ends between our look and the host's
_EARLIEST_PERCENT = 50

PROMPT = f"""CLAWA MEMORY PASS (hidden; the human did not type it). The context is nearly full and \
will soon be compacted. Before that, and only once:
1. Call `recall` with {{"source": "memory", "limit": {RECENT}}} and no query: the {RECENT} latest \
shared memories.
2. Where this run has changed the truth of one of them, update it with `remember` (its id and the \
whole new text), or delete it (its id and empty text).
3. `remember` at most {NEW_AT_MOST} genuinely new pieces from the current run: what the human \
wants, decided or corrected, a fact that was hard to find, a spark worth carrying. One short \
self-contained text each, with tags.
Leave out routine completion, temporary work, anything the living files already own, and what a \
memory already says. Zero new memories is a good result.
Use no other tool, change no file, do not go on with the task. End with one short line about what \
changed."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the host knows at the end of a run.

    Attributes:
        tokens: tokens in the context; None when the host does not know (just after a compaction).
        window: the active model's context window in tokens.
        reserve: tokens that the host keeps free: it compacts above `window - reserve`. None: Pi's
            default; 0: the host never compacts by itself.
        cycle: number of compactions on the current branch.
        done: cycles that already had their pass on this branch.
        stop_reason: how the last answer ended, in the host's words.
        has_ui: whether a human sees the session. Without one, the pass would replace the printed
            answer.
    """

    tokens: int | None
    window: int
    reserve: int | None = None
    cycle: int = 0
    done: Collection[int] = ()
    stop_reason: str = "stop"
    has_ui: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the pass is due now, from how many tokens on it is, and for which cycle."""

    due: bool
    threshold: int
    cycle: int


def threshold(window: int, reserve: int | None = None) -> int:
    """Return from how many tokens on a pass is due in a context *window* of so many tokens.

    That is 90 % of the window, or a little before the host's own compaction where that comes
    first (Pi: below about 164,000 tokens with its default reserve), but never less than half of
    the window.
    """
    share = window * SHARE_PERCENT // 100
    if reserve == 0:
        return share
    host = (
        window - (DEFAULT_RESERVE if reserve is None else reserve) - window * _MARGIN_PERCENT // 100
    )
    return min(share, max(host, window * _EARLIEST_PERCENT // 100))


def decide(now: Situation) -> Decision:
    """Return whether the pass is due: once a cycle, near the window's end, after a good run."""
    limit = threshold(now.window, now.reserve)
    due = (
        now.has_ui
        and now.window > 0
        and now.tokens is not None
        and now.tokens >= limit
        and now.cycle not in now.done
        and now.stop_reason not in ("aborted", "error")
    )
    return Decision(due, limit, now.cycle)


def as_json(tokens: int, window: int, reserve: int | None = None) -> dict[str, object]:
    """Return the `memory-pass --json` object, which gets its version when it is written."""
    decision = decide(Situation(tokens, window, reserve))
    return {"due": decision.due, "threshold": decision.threshold, "prompt": PROMPT}
