"""What `show` opened, as text or JSON fields."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.search.show import Shown
    from clawa_search.show import Opened

from clawa_search.output.clean import for_terminal
from clawa_search.output.text import near, when
from clawa_search.places import working_folder
from clawa_search.secrets import masked


def as_fields(opened: Opened) -> dict[str, object]:
    """Return the fields of `show --json`."""
    entry: dict[str, object] | None = None
    if opened.memory is not None:
        memory = opened.memory
        entry = {
            "kind": "memory",
            "ref": f"mem:{memory.id}",
            "id": memory.id,
            "tags": list(memory.tags),
            "ts": memory.ts_ms or None,
            "text": masked(memory.text),
        }
    elif opened.entry is not None:
        entry = shown_fields(opened.entry)
    return {
        "ref": opened.ref,
        "status": opened.status,
        "entry": entry,
        "context": [shown_fields(shown) for shown in opened.context],
    }


def shown_fields(shown: Shown) -> dict[str, object]:
    return {
        "kind": "session",
        "ref": shown.ref,
        "path": shown.path,
        "line": shown.line,
        "entry_id": shown.entry_id or None,
        "role": shown.role,
        "ts": shown.ts_ms or None,
        "live": shown.live,
        "text": masked(shown.text),
        "tools": shown.tools,
    }


def as_text(opened: Opened) -> str:
    """Return what a person reads: the entry in full, its neighbours around it."""
    if opened.memory is not None:
        memory = opened.memory
        tags = f" [{', '.join(memory.tags)}]" if memory.tags else ""
        head = f"[mem #{memory.id}]{tags} · {when(memory.ts_ms)}"
        return f"{head}\n{masked(for_terminal(memory.text))}\n"
    if opened.entry is None:
        return f"{for_terminal(opened.ref)}: gone: the entry is no longer in that file\n"
    note = "" if opened.status == "ok" else f"({opened.status} from {for_terminal(opened.ref)})\n"
    before = [shown for shown in opened.context if shown.line < opened.entry.line]
    after = [shown for shown in opened.context if shown.line > opened.entry.line]
    blocks = [_block(shown, mark="  ") for shown in before]
    blocks.append(note + _block(opened.entry, mark="> " if opened.context else ""))
    blocks += [_block(shown, mark="  ") for shown in after]
    return "\n".join(blocks)


def _block(shown: Shown, *, mark: str) -> str:
    parts = [f"[{shown.role}] {near(shown.path, working_folder())}:{shown.line}"]
    parts += [part for part in (shown.entry_id, when(shown.ts_ms)) if part]
    if not shown.live:
        parts.append("other branch")
    if shown.tools:
        parts.append(f"tools: {', '.join(shown.tools)}")
    head = for_terminal(" · ".join(parts)).replace("\n", " ")
    text = masked(for_terminal(shown.text))
    return f"{mark}{head}\n{text}\n" if text else f"{mark}{head}\n"
