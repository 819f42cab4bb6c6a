"""Draws what was measured: each case against its baseline, and where its bar lies."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.table import Result

COLORS = {"met": "#2e7d32", "missed": "#c62828", "": "#78909c"}
ROW_INCHES = 0.34
LEAST_NANOSECONDS = 0.1
"""What a difference is drawn as that is less, or below 0: the axis is logarithmic."""
SVG_SETTINGS = {"svg.hashsalt": "bench", "svg.fonttype": "none"}  # text stays text, equal figures give equal files


def draw(results: Sequence["Result"], where: Mapping[str, str], path: Path) -> None:
    """Write the picture.

    Args:
        results: What was measured; those without a baseline and without a bar in nanoseconds are left out.
        where: The conditions, which stand under the picture.
        path: The file; its suffix says the format: .svg, .png or .pdf.
    """
    import matplotlib as mpl

    mpl.use("agg")  # no display is needed
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    ratios = [result for result in results if result.ratio is not None and _unit(result) == "x"]
    times = [result for result in results if _unit(result) != "x"]
    with mpl.rc_context(SVG_SETTINGS):
        figure, (upper, lower) = plt.subplots(
            2, 1, figsize=(11, 2.4 + ROW_INCHES * (len(ratios) + len(times))), layout="constrained",
            height_ratios=[max(1, len(ratios)), max(1, len(times))],
        )  # fmt: skip
        _bars(upper, ratios, [result.measured for result in ratios])
        upper.axvline(1, color="#37474f", linewidth=1)
        upper.set_title("Time of an operation, as a multiple of its baseline (less is better)", loc="left")
        _bars(lower, times, [max(result.measured, LEAST_NANOSECONDS) for result in times])
        lower.set_title("Nanoseconds of an operation, or how many more it takes", loc="left")
        marks = {"met": "bar met", "missed": "bar missed", "": "no bar"}
        legend = [Patch(color=COLORS[verdict], label=said) for verdict, said in marks.items()]
        legend.append(Line2D([], [], color="black", linewidth=2, label="the bar"))
        figure.legend(handles=legend, loc="outside upper left", ncols=len(legend), fontsize=8, frameon=False)
        figure.supxlabel("   ".join(where.values()), fontsize=7)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
        plt.close(figure)


def _unit(result: "Result") -> str:
    return "x" if result.row.bar is None else result.row.bar.unit


def _bars(axes: Any, results: Sequence["Result"], values: Sequence[float]) -> None:
    places = range(len(results))
    drawn = axes.barh(places, values, height=0.62, color=[COLORS[result.verdict] for result in results])
    shown = axes.bar_label(drawn, [_figure(value) for value in values], padding=4, fontsize=8)
    for label in shown:  # above the marks of the bars, not under them
        label.set(zorder=5, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8})
    for place, result in zip(places, results, strict=True):
        if result.row.bar is not None:
            axes.plot([result.row.bar.at_most] * 2, [place - 0.42, place + 0.42], color="black", linewidth=2)
    axes.set_yticks(places, [_label(result) for result in results], fontsize=8)
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(visible=True, axis="x", which="both", alpha=0.25)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _label(result: "Result") -> str:
    baseline = result.row.baseline
    return result.row.case.name if baseline is None else f"{result.row.case.name}\nagainst {baseline.name}"
