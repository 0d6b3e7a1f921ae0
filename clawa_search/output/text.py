"""An answer as text, for agents and people alike."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from clawa_search.search.question import Answer, Hit

from clawa_search.output.clean import for_terminal
from clawa_search.secrets import masked

NOTHING = "No matching memories or session entries found.\n"
DONE = {
    "created": "Remembered #{}.",
    "updated": "Updated memory #{}.",
    "deleted": "Deleted memory #{}.",
    "unchanged": "Memory #{} is unchanged.",
}
"""What `remember` and `forget` did, by the facade's word for it; the id goes in."""


def answer_text(
    answer: Answer,
    hits: Iterable[tuple[Hit, str]] | None = None,
    *,
    cwd: str = "",
    explain: bool = False,
) -> str:
    """Return the hits, one blank line between them; *hits* may carry shorter excerpts."""
    chosen = [(hit, hit.excerpt) for hit in answer.hits] if hits is None else hits
    blocks = [
        hit_text(number, hit, excerpt, cwd=cwd, explain=explain)
        for number, (hit, excerpt) in enumerate(chosen, 1)
    ]
    return "\n".join(blocks) if answer.hits else NOTHING


def hit_text(number: int, hit: Hit, excerpt: str, *, cwd: str = "", explain: bool = False) -> str:
    if hit.kind == "memory":
        tags = f" [{', '.join(hit.tags)}]" if hit.tags else ""
        head = f"{number}. [mem #{hit.id}]{tags}"
    else:
        parts = [f"{number}. [{hit.role}] {near(hit.path, cwd)}:{hit.line}"]
        parts += [part for part in (hit.entry_id, when(hit.ts_ms)) if part]
        if hit.copies > 1:
            parts.append(f"{hit.copies} copies")
        if not hit.live:
            parts.append("other branch")
        if hit.edited:
            parts.append("edited out")
        head = " · ".join(parts)
    if hit.tier == "weak":
        head += " · weak"
    # Masked once more: a sign that a terminal must not see may have stood inside of a secret.
    lines = [
        for_terminal(head).replace("\n", " "),
        _without_blank_lines(masked(for_terminal(excerpt))),
    ]
    for ref, role, text in hit.context:
        shown = masked(for_terminal(text)).replace("\n", " ")
        lines.append(for_terminal(f"   {near(ref, cwd)} [{role}] ").replace("\n", " ") + shown)
    if explain and hit.explain:
        told = " + ".join(f"{name} {value:.3f}" for name, value in hit.explain.items())
        lines.append(f"   score {hit.score:.3f} = {told}; strength {hit.strength:.2f}")
    return "\n".join(lines) + "\n"


def _without_blank_lines(text: str) -> str:
    """Return *text* as one block: a blank line ends a hit, and no text may forge the next one."""
    if "\n" not in text:
        return text
    return "\n".join([line for line in text.split("\n") if line and not line.isspace()])


def near(path: str, cwd: str) -> str:
    """Return *path* as it is written from *cwd*, where it lies below it."""
    return path[len(cwd) + 1 :] if cwd and cwd != "/" and path.startswith(cwd + "/") else path


def when(ts_ms: int) -> str:
    """Return local date and time to the minute; empty when unknown or beyond the calendar."""
    if not ts_ms:
        return ""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ts_ms / 1000))
    except (OverflowError, ValueError, OSError):
        return ""
