"""Pictures of reports, by matplotlib (extra `bench`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bench.quality import PRODUCT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_OURS, _THEIRS = "#1f6f8b", "#b8c4cc"


def draw(command: str, report: dict[str, Any], folder: Path) -> list[Path]:
    """Write the pictures of *report* into *folder*; return their paths, none without matplotlib."""
    try:
        import_module("matplotlib").use("Agg")
    except ModuleNotFoundError:
        return []
    return _DRAW[command](report, folder) if command in _DRAW else []


def _quality(report: dict[str, Any], folder: Path) -> list[Path]:
    paths = []
    for part in report["sets"]:
        if part["scope"] == "one index":
            continue
        level = "turn" if part["engines"][0]["turn"] else "session"
        bars = {one["engine"]: one[level]["R@10"] for one in part["engines"]}
        count = part["engines"][0]["questions"]
        title = f"{part['set']}: evidence found in the first ten, % ({count} questions)"
        paths.append(_bars(folder / f"quality-{part['set']}.png", title, bars))
    return paths


def _speed(report: dict[str, Any], folder: Path) -> list[Path]:
    if "cold" not in report:
        return []
    rows = report["cold"]["commands"]
    bars = {name: row["cpu_ms"] for name, row in rows.items()}
    title = f"CPU of one process, ms ({report['corpus']['bytes'] / 1e6:,.0f} MB of history)"
    return [_bars(folder / "speed-cold.png", title, bars, ours="recall", log=True)]


def _compare(report: dict[str, Any], folder: Path) -> list[Path]:
    size = f"{report['corpus']['bytes'] / 1e6:,.0f} MB of history"
    asked = {row["name"]: row["wall_ms"] for row in report["rows"]}
    right = {row["name"]: row["right_line"] or row["right_file"] for row in report["rows"]}
    return [
        _bars(folder / "compare-ask.png", f"One question, wall ms ({size})", asked, log=True),
        _bars(folder / "compare-right.png", "Right line (or file, where none is given), %", right),
    ]


def _memory(report: dict[str, Any], folder: Path) -> list[Path]:
    rows = [row for row in report["rows"] if "line" not in row["history"]]
    sizes = [row["bytes"] / 1e6 for row in rows]

    def lines(key: str) -> dict[str, list[float]]:
        return {name: [row["commands"][name][key] for row in rows] for name in rows[0]["commands"]}

    resident = {"reindex": [row["reindex_rss_mb"] for row in rows]} | lines("rss_mb")
    return [
        _curves(folder / "memory.png", "Largest resident set, MB", sizes, resident),
        _curves(folder / "latency.png", "CPU of one cold process, ms", sizes, lines("cpu_ms")),
    ]


def _curves(path: Path, title: str, sizes_mb: list[float], curves: dict[str, list[float]]) -> Path:
    plt = import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(figsize=(7, 4))
    for name, values in curves.items():
        axes.plot(sizes_mb, values, marker="o", label=name)
    axes.set(xlabel="history, MB", xscale="log", ylim=(0, None))
    axes.set_title(title, fontsize=10, loc="left")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)
    return path


def _bars(
    path: Path, title: str, bars: dict[str, float], *, ours: str = PRODUCT, log: bool = False
) -> Path:
    plt = import_module("matplotlib.pyplot")
    names = list(reversed(bars))
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.34 * len(names)))
    colours = [_OURS if name.startswith(ours) else _THEIRS for name in names]
    drawn = axes.barh(names, [bars[name] for name in names], color=colours)
    axes.bar_label(drawn, fmt="%.1f", padding=3, fontsize=8)
    if log:
        axes.set_xscale("log")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=10, loc="left")
    figure.savefig(path, dpi=120, bbox_inches="tight")
    plt.close(figure)
    return path


_DRAW: dict[str, Callable[[dict[str, Any], Path], list[Path]]] = {
    "quality": _quality,
    "speed": _speed,
    "memory": _memory,
    "compare": _compare,
}
