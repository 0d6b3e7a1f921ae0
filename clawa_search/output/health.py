"""What `status` and `doctor` found, as text or JSON fields."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clawa_search.doctor import Check

from clawa_search.output.clean import for_terminal
from clawa_search.output.text import when


def status_text(told: Mapping[str, object]) -> str:
    """Return one line a field, for people: times and sizes in words."""
    width = max(map(len, told))
    lines = [f"{_label(name):{width}}  {_plain(name, value)}" for name, value in told.items()]
    return for_terminal("\n".join(lines)) + "\n"


def _label(name: str) -> str:
    if name.endswith("_bytes"):
        name = f"{name.removesuffix('_bytes')}_size"
    return name.removesuffix("_ms").replace("_", " ")


def _plain(name: str, value: object) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if not isinstance(value, int):
        return str(value)
    if name == "lag_ms":
        return f"{value / 1000:,.0f} s"
    if name.endswith("_ms"):
        return when(value) or "-"
    return size(value) if "bytes" in name else f"{value:,}"


def size(count_bytes: int) -> str:
    """Return a size in the unit that suits it: `12 B`, `3.4 MB`."""
    value = float(count_bytes)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def doctor_fields(checks: Sequence[Check]) -> dict[str, object]:
    """Return the fields of `doctor --json`."""
    return {
        "ok": all(check.ok for check in checks),
        "checks": [
            {"name": check.name, "ok": check.ok, "detail": check.detail, "repair": check.repair}
            for check in checks
        ],
    }


def doctor_text(checks: Sequence[Check]) -> str:
    """Return one line a check; what mends it stands below."""
    lines = []
    for check in checks:
        lines.append(f"{'ok   ' if check.ok else 'WRONG'}  {check.name}: {check.detail}")
        if check.repair:
            lines.append(f"       {check.repair}")
    return for_terminal("\n".join(lines)) + "\n"
