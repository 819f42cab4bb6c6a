"""Draws what an element costs in each library, task by task, and how far sources run ahead."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.peers.libraries import BY_HAND, OURS
from bench.picture import ROW_INCHES, SVG_SETTINGS

COLORS = {OURS: "#2e7d32", BY_HAND: "#37474f"}
OTHERS = ("#1565c0", "#c62828", "#ef6c00", "#6a1b9a", "#00838f", "#ad1457", "#9e9d24", "#5d4037")
MARKS = "ovs^DP<X"
DRAWN = ("tasks", "memory")
"""The parts of a run that are drawn."""


def draw(run: Mapping[str, Any], path: Path) -> None:
    """Write the picture of a run, as it is saved.

    Args:
        run: The figures, of one of the parts in `DRAWN` at least.
        path: The file; its suffix says the format: .svg, .png or .pdf.
    """
    import matplotlib as mpl

    mpl.use("agg")  # no display is needed
    import matplotlib.pyplot as plt

    heights = [len(run[part]) for part in DRAWN if run[part]]
    with mpl.rc_context(SVG_SETTINGS):
        figure, panels = plt.subplots(
            len(heights), 1, figsize=(11, 2.6 + ROW_INCHES * sum(heights)), layout="constrained", squeeze=False,
            height_ratios=heights,
        )  # fmt: skip
        remaining = iter(panels.flat)
        if run["tasks"]:
            _tasks(next(remaining), run["tasks"], run["libraries"])
            figure.legend(loc="outside upper left", ncols=5, fontsize=8, frameon=False)
        if run["memory"]:
            _memory(next(remaining), run["memory"])
        for axes in panels.flat:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter("{x:,.0f}")
            axes.grid(visible=True, axis="x", which="both", alpha=0.25)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
        figure.supxlabel("   ".join(run["conditions"].values()), fontsize=7)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _tasks(axes: Any, tasks: Sequence[Mapping[str, Any]], libraries: Mapping[str, str | None]) -> None:
    shown = [OURS, BY_HAND, *(name for name, version in libraries.items() if version and name != OURS)]
    for number, name in enumerate(shown):
        found = [(task["nanoseconds"][name], place) for place, task in enumerate(tasks) if name in task["nanoseconds"]]
        label = f"{name} {libraries.get(name, '')}".strip()
        if name == BY_HAND:
            axes.plot(*zip(*found, strict=True), "|", color=COLORS[name], markersize=14, markeredgewidth=2, label=label)
        elif name == OURS:
            axes.plot(*zip(*found, strict=True), "o", color=COLORS[name], markersize=9, zorder=5, label=label)
        elif found:
            mark, color = MARKS[(number - 2) % len(MARKS)], OTHERS[(number - 2) % len(OTHERS)]
            axes.plot(*zip(*found, strict=True), mark, color=color, markersize=6, alpha=0.85, label=label)
    axes.set_yticks(range(len(tasks)), [task["task"] for task in tasks], fontsize=8)
    axes.set_ylim(len(tasks) - 0.4, -0.6)
    axes.set_title("Nanoseconds of an element, with the functions of the user in Python (less is better)", loc="left")


def _memory(axes: Any, memory: Sequence[Mapping[str, Any]]) -> None:
    places = range(len(memory))
    colors = [COLORS.get(row["library"], "#78909c") for row in memory]
    drawn = axes.barh(places, [row["elements"] + 1 for row in memory], height=0.62, color=colors)
    texts = [f"{row['elements']:,}" + ("" if row["is_bounded"] else ": all, without a bound") for row in memory]
    axes.bar_label(drawn, texts, padding=4, fontsize=8)
    axes.set_yticks(places, [f"{row['library']}\n{row['way']}" for row in memory], fontsize=8)
    axes.set_ylim(len(memory) - 0.4, -0.6)
    axes.set_xlim(left=1, right=30 * max(row["elements"] + 1 for row in memory))
    axes.set_title("Elements made ahead of a consumer that has stopped (less is better)", loc="left")
