"""An answer as JSON: the field names of the contract, one line, pure UTF-8.

Written by hand over the C encoder of strings: `import json` would cost a cold recall 6 ms.
"""

from __future__ import annotations

from _json import encode_basestring as quote

from clawa_search.output.clean import BIDI

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clawa_search.search.question import Answer, Hit

VERSION = 1


def encode(value: object) -> str:
    """Encode strings, numbers, booleans, None, lists and mappings as strict JSON."""
    if isinstance(value, str):
        return _safe(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_safe(str(k))}:{encode(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(encode, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no JSON form here")


def _safe(text: str) -> str:
    """Quote *text*; what would break a line or command a terminal stays escaped."""
    quoted: str = quote(text)
    if quoted.isascii() and quoted.isprintable():
        return quoted
    return quoted.translate(_ESCAPES)


_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(127, 160), 0x2028, 0x2029, *map(ord, BIDI))}
_ESCAPES.update(dict.fromkeys(range(0xD800, 0xE000), "\\ufffd"))


def _number(value: float) -> str:
    if not -1e308 < value < 1e308:  # NaN and the infinities have no JSON form
        return "null"
    return f"{value:.6g}" if abs(value) < 1e6 else repr(value)


def hit_fields(hit: Hit, excerpt: str | None = None) -> dict[str, object]:
    """Return the fields of a hit, in the order of the contract."""
    shown = hit.excerpt if excerpt is None else excerpt
    cut = hit.truncated or (excerpt is not None and excerpt != hit.excerpt)
    fields: dict[str, object] = {"kind": hit.kind, "ref": hit.ref}
    if hit.kind == "memory":
        fields |= {"id": hit.id, "tags": list(hit.tags), "ts": hit.ts_ms or None}
        fields |= {"score": hit.score, "excerpt": shown, "truncated": cut, "tier": hit.tier}
    else:
        fields |= {
            "path": hit.path,
            "line": hit.line,
            "entry_id": hit.entry_id or None,
            "session_id": hit.session_id or None,
            "role": hit.role,
            "ts": hit.ts_ms or None,
            "project": hit.project or None,
            "live": hit.live,
            "score": hit.score,
            "excerpt": shown,
            "truncated": cut,
            "copies": hit.copies,
            "also": hit.also,
            "edited": hit.edited,
            "tier": hit.tier,
            "context": [
                {"ref": ref, "role": role, "text": text} for ref, role, text in hit.context
            ],
        }
    if hit.explain:
        fields["explain"] = hit.explain
        fields["strength"] = hit.strength
    return fields


def answer_text(
    answer: Answer, hits: Iterable[tuple[Hit, str]] | None = None, notes: list[str] | None = None
) -> str:
    """Return the whole answer as one line of JSON; *hits* may carry shorter excerpts."""
    chosen = [(hit, hit.excerpt) for hit in answer.hits] if hits is None else hits
    return line(
        {
            "query": answer.query,
            "took_ms": round(answer.took_ms, 2),
            "complete": answer.complete,
            "notes": [*answer.notes, *(notes or [])],
            "hits": [hit_fields(hit, excerpt) for hit, excerpt in chosen],
        }
    )


def line(fields: Mapping[str, object]) -> str:
    """Return *fields* as one line of JSON that carries the version."""
    return encode({"version": VERSION, **fields}) + "\n"


def error_text(code: str, message: str, hint: str) -> str:
    return line({"error": {"code": code, "message": message, "hint": hint}})
