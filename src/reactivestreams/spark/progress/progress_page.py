"""A page with pictures of what streaming queries did: one HTML file without any outside reference."""

import os
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from reactivestreams.drawing.charts import Plot, svg, ticks
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.progress.progress_values import QueryProgress

__all__ = ["MAX_PICTURED_BATCHES", "progress_page"]

MAX_PICTURED_BATCHES = 500
"""How many micro-batches of a query are drawn, the latest ones: more bars than pixels say nothing."""

WIDTH, HEIGHT = 860.0, 220.0

STYLE = """
:root { color-scheme: light dark; --ink: #16202b; --muted: #556271; --rule: #dde3e9; --fill: #2467b3; --page: #f4f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7edf3; --muted: #9dabb9; --rule: #2b3744; --fill: #6cb0f5; --page: #0e141a; }
}
body { margin: 0 auto; max-width: 920px; padding: 16px; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
svg { max-width: 100%; height: auto; }
.tick, .axis-title { fill: var(--muted); font-size: 11px; }
.grid { stroke: var(--rule); } .axis { stroke: var(--muted); }
.bar { fill: var(--fill); }
table { border-collapse: collapse; } td, th { padding: 2px 14px 2px 0; text-align: right; }
td:first-child, th:first-child { text-align: left; }
"""


def progress_page(path: str | os.PathLike[str], history: Sequence[QueryProgress]) -> Path:
    """Write a page with the rows, the time and the pace of each micro-batch, a section for each query.

    Args:
        path: The file, ending in `.html`; folders that are missing are made.
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
    for progress in history:
        if not isinstance(progress, QueryProgress):
            raise ArgumentTypeError(
                f"history must hold QueryProgress values, got {progress!r:.200}; pass watch.history"
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
        '<meta name="viewport" content="width=device-width"><title>Progress of streaming queries</title>'
        f"<style>{STYLE}</style></head><body><h1>Progress of streaming queries</h1>{sections}</body></html>\n"
    )


def section(query: str, batches: list[QueryProgress]) -> str:
    """Return the part on one query."""
    rows, seconds = sum(batch.rows for batch in batches), sum(batch.seconds for batch in batches)
    pace = rows / seconds if seconds else 0.0
    summary = [
        ("micro-batches", f"{len(batches):,}"),
        ("rows", f"{rows:,}"),
        ("seconds in micro-batches", f"{seconds:,.1f}"),
        ("rows a second", f"{pace:,.0f}"),
        ("rows of state at the end", f"{batches[-1].state_rows:,}"),
    ]
    cells = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in summary)
    drawn = batches[-MAX_PICTURED_BATCHES:]
    pictures = (
        chart(drawn, lambda batch: float(batch.rows), "rows a micro-batch"),
        chart(drawn, lambda batch: batch.seconds, "seconds a micro-batch"),
        chart(drawn, lambda batch: batch.rows_per_second, "rows a second"),
    )
    return f"<section><h2>{escape(query)}</h2><table>{cells}</table>{''.join(pictures)}</section>"


def chart(batches: list[QueryProgress], value: Callable[[QueryProgress], float], name: str) -> str:
    """Return a picture with a bar for each micro-batch."""
    first, last = batches[0].batch_id, batches[-1].batch_id
    values = [value(batch) for batch in batches]
    plot = Plot(WIDTH, HEIGHT, (first - 0.5, 0.0), (max(last, first) + 0.5, max(values) or 1.0), left=72)
    x_marks = sorted({first, last, *(round(mark) for mark in ticks(first, last, count=8))})
    body = plot.axes(
        [(mark, f"{mark}") for mark in x_marks if first <= mark <= last],
        [(mark, f"{mark:,g}") for mark in ticks(0.0, plot.high[1], count=4)],
        x_title="micro-batch",
        y_title=name,
    )
    for batch, height in zip(batches, values, strict=True):
        label = f"micro-batch {batch.batch_id}: {height:,.2f} {name}"
        body.append(plot.bar(batch.batch_id - 0.4, batch.batch_id + 0.4, height, label, css="value"))
    return svg(WIDTH, HEIGHT, body, label=f"{name}, from {first} to {last}", kind="progress")
