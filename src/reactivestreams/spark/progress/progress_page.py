"""A page with charts of streaming queries: one HTML file without external references."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from pathlib import Path

from reactivestreams.drawing.charts import Plot, svg, ticks
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.progress.query_display import QueryProgress

__all__ = ["MAX_PICTURED_BATCHES", "page", "progress_page"]

MAX_PICTURED_BATCHES = 500
"""How many of a query's latest micro-batches are drawn; more bars than pixels would be useless."""

WIDE_PIXELS, NARROW_PIXELS = 840.0, 300.0
"""Widths of the two versions of a chart; the style sheet shows one of them."""

HEIGHT_PIXELS = 190.0

LEAST_PLACES = 12
"""Least number of bars for which a chart has space, so that a single bar is not too wide."""

STYLE = """
:root { color-scheme: light dark; --page: #f4f6f8; --card: #ffffff; --ink: #16202b; --muted: #556271; --rule: #dde3e9;
  --fill: #2467b3; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0e141a; --card: #161e27; --ink: #e7edf3; --muted: #9dabb9; --rule: #2b3744; --fill: #6cb0f5; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 936px; padding: 20px 16px 40px; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 8px 0 0; font-size: 28px; line-height: 1.2; }
h2 { margin: 0; font-size: 20px; line-height: 1.3; }
h3 { margin: 22px 0 4px; font-size: 15px; }
p { margin: 2px 0; color: var(--muted); font-size: 14px; }
section { margin: 18px 0; padding: 22px 31px 24px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 14px; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px 14px; margin: 16px 0 0; }
dt { color: var(--muted); font-size: 13px; line-height: 1.3; }
dd { margin: 0; font-size: 20px; font-weight: 650; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--muted); }
.grid { stroke: var(--rule); } .axis { stroke: var(--muted); }
.bar { fill: var(--fill); }
.narrow { display: none; }
@media (max-width: 760px) {
  .wide { display: none; }
  .narrow { display: block; max-width: 440px; }
}
@media (max-width: 500px) {
  section { padding: 18px 15px 18px; }
  dl { grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); }
  dd { font-size: 17px; }
}
"""


@dataclass(frozen=True)
class Measure:
    """The value that a chart shows for each micro-batch."""

    name: str
    unit: str
    value: Callable[[QueryProgress], float]
    is_whole: bool = False


MEASURES = (
    Measure("Rows of each micro-batch", "rows", lambda batch: float(batch.rows), is_whole=True),
    Measure("Seconds of each micro-batch", "seconds", lambda batch: batch.seconds),
    Measure("Pace of each micro-batch", "rows a second", lambda batch: batch.rows_per_second),
)


def progress_page(path: str | os.PathLike[str], history: Sequence[QueryProgress]) -> Path:
    """Write a page with the rows, the time and the rate of each micro-batch, one section per query.

    Args:
        path: The file, ending in `.html`; missing folders are made.
        history: Micro-batches, such as `query_progress(...).history`.

    Returns:
        The path.

    Raises:
        ArgumentError: The path does not end in `.html`, or the history is empty.
        ArgumentTypeError: An argument has the wrong type.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"path must be a path, got {path!r}; pass such as 'progress.html'")
    target = Path(path)
    if target.suffix != ".html":
        raise ArgumentError(f"path must end in .html, got {str(target)!r}; pass such as 'progress.html'")
    if not isinstance(history, Sequence):
        raise ArgumentTypeError(
            f"history must be a list of QueryProgress values, got {history!r:.200}; pass watch.history"
        )
    for progress in history:
        if not isinstance(progress, QueryProgress):
            raise ArgumentTypeError(
                f"history must contain QueryProgress values, got {progress!r:.200}; pass watch.history"
            )
    if not history:
        raise ArgumentError("history is empty, so there is nothing to draw; wait for the end of a micro-batch")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(history), encoding="utf-8")
    return target


def page(history: Sequence[QueryProgress]) -> str:
    """Return the page's text."""
    by_query: dict[str, list[QueryProgress]] = {}
    for progress in history:
        by_query.setdefault(progress.query, []).append(progress)
    sections = "".join(section(query, batches) for query, batches in by_query.items())
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>Progress of streaming queries</title>"
        f"<style>{STYLE}</style></head><body><h1>Progress of streaming queries</h1>{sections}</body></html>\n"
    )


def section(query: str, batches: list[QueryProgress]) -> str:
    """Return the section of one query."""
    rows, seconds = sum(batch.rows for batch in batches), sum(batch.seconds for batch in batches)
    summary = [
        ("Micro-batches", f"{len(batches):,}"),
        ("Rows", f"{rows:,}"),
        ("Seconds in all", number_text(seconds)),
        ("Rows a second", number_text(rows / seconds if seconds else 0.0)),
        ("Rows of state", f"{batches[-1].state_rows:,}"),
    ]
    tiles = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in summary)
    drawn = batches[-MAX_PICTURED_BATCHES:]
    when = [escape(batch.started_at) for batch in (batches[0], batches[-1])]
    notes = [f"The first micro-batch began at {when[0]}, the last at {when[1]}."]
    if len(batches) == 1:
        notes = [f"The micro-batch began at {when[0]}."]
    if len(drawn) < len(batches):
        notes.append(f"The pictures show the last {len(drawn):,} of {len(batches):,}.")
    widest = max(len(number_text(mark)) for measure in MEASURES for mark in marks_of(drawn, measure))
    pictures = "".join(figure(drawn, measure, left=18 + 7 * widest) for measure in MEASURES)
    return f"<section><h2>{escape(query)}</h2><p>{' '.join(notes)}</p><dl>{tiles}</dl>{pictures}</section>\n"


def figure(batches: list[QueryProgress], measure: Measure, *, left: float) -> str:
    """Return a heading with a chart for wide and one for narrow screens, or a text if all values are 0.

    All charts of a query have the same left margin, so that a micro-batch has the same position in all of them.
    """
    if not any(map(measure.value, batches)):
        return f"<h3>{measure.name}</h3><p>0 {measure.unit} in all of them.</p>"
    drawings = "".join(
        f'<div class="{css}">{chart(batches, measure, width, left=left)}</div>'
        for css, width in (("wide", WIDE_PIXELS), ("narrow", NARROW_PIXELS))
    )
    return f"<h3>{measure.name}</h3>{drawings}"


def chart(batches: list[QueryProgress], measure: Measure, width: float, *, left: float) -> str:
    """Return a chart with one bar per micro-batch."""
    numbers = [batch.batch_id for batch in batches]
    first, last = min(numbers), max(numbers)
    values = [measure.value(batch) for batch in batches]
    marks = marks_of(batches, measure)
    end = max(last, first + LEAST_PLACES - 1) + 0.5
    plot = Plot(width, HEIGHT_PIXELS, (first - 0.5, 0.0), (end, marks[-1]), left=left)
    numbered = sorted({round(mark) for mark in ticks(first, last, count=8 if width == WIDE_PIXELS else 4)})
    body = plot.axes(
        [(mark, f"{mark}") for mark in numbered],
        [(mark, number_text(mark)) for mark in marks],
        x_title="micro-batch",
        y_title=measure.unit,
    )
    for batch, height in zip(batches, values, strict=True):
        label = f"micro-batch {batch.batch_id}: {number_text(height)} {measure.unit}"
        body.append(plot.bar(batch.batch_id - 0.4, batch.batch_id + 0.4, height, label, css="value"))
    return svg(width, HEIGHT_PIXELS, body, label=f"{measure.name}, from {first} to {last}", kind="progress")


def marks_of(batches: list[QueryProgress], measure: Measure) -> list[float]:
    """Return round values from 0 up to at least the greatest value."""
    greatest = max(map(measure.value, batches))
    if not greatest:
        return [0.0]
    step = ticks(0.0, greatest, count=4)[1]
    if measure.is_whole:
        step = float(ceil(step))
    return [index * step for index in range(ceil(greatest / step - 1e-9) + 1)]


def number_text(value: float) -> str:
    """Return a number as people write it: 1,500,000 and 12.3 and 0.004."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
