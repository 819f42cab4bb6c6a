"""The demo's page: one HTML file without external references, so that it opens offline."""

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from reactivestreams.demo.figures import (
    MEBIBYTE,
    alarms_by_week,
    buffer_fill,
    flow_close_up,
    killed_engine,
    memory_growth,
)
from reactivestreams.demo.graph import describe, pipeline_graph
from reactivestreams.demo.outcome import DemoOutcome, versions
from reactivestreams.demo.slow_consumer import BAR_GROWTH_BYTES, PREFETCH_ELEMENTS
from reactivestreams.demo.summary import Summary, Totals
from reactivestreams.drawing.graph import Node
from reactivestreams.errors import MissingExtraError

__all__ = ["render", "require_template_engine", "write_page"]

WIDE_PIXELS = 1040
NARROW_PIXELS = 326
"""The widths of the two drawings of a figure; the style sheet shows one of them."""

HEAT_LIMITS = (0, 5, 10, 15, 20, 30, 45)
"""The upper limits in minutes of the heat map's colors; the last color has none."""

REJECTED_SHOWN = 20
MINUS = "\N{MINUS SIGN}"


def require_template_engine() -> None:
    """Raise a `MissingExtraError` if the page cannot be made, before any work is done for it."""
    MissingExtraError.unless_installed("jinja2", extra="demo", purpose="the page")


def heat_class(totals: Totals | None) -> str:
    """Return the style class of a heat map cell."""
    if totals is None:
        return "none"
    return f"heat-{sum(totals.mean >= limit for limit in HEAT_LIMITS)}"


def heat_rows(summary: Summary) -> tuple[list[str], list[tuple[int, list[tuple[str, Totals | None]]]]]:
    """Return the carriers and, for each hour, the totals by carrier."""
    carriers = sorted({carrier for _, carrier in summary.by_hour_and_carrier})
    hours = sorted({hour for hour, _ in summary.by_hour_and_carrier})
    cells = summary.by_hour_and_carrier
    return carriers, [(hour, [(carrier, cells.get((hour, carrier))) for carrier in carriers]) for hour in hours]


def heat_legend() -> list[tuple[str, str]]:
    """Return the (class, label) pairs of the heat map's colors."""
    labels = [f"under {HEAT_LIMITS[0]}"]
    labels += [f"{low} to {high}" for low, high in pairwise(HEAT_LIMITS)]
    labels.append(f"{HEAT_LIMITS[-1]} and more")
    return [(f"heat-{index}", label) for index, label in enumerate(labels)]


def keys_by_origin(summary: Summary) -> list[tuple[str, list[tuple[str, Totals]]]]:
    """Return the origins, each with its carriers, the one with most flights first."""
    by_origin: dict[str, list[tuple[str, Totals]]] = {}
    for (origin, carrier), totals in sorted(summary.by_origin_and_carrier.items()):
        by_origin.setdefault(origin, []).append((carrier, totals))
    return [(origin, sorted(rows, key=lambda row: -row[1].flights)) for origin, rows in by_origin.items()]


def figures(outcome: DemoOutcome) -> dict[str, tuple[str, str]]:
    """Draw every figure twice, for a wide and for a narrow screen."""
    source = Node(
        "flights.csv", ("(row, scheduled, line)", f"{outcome.summary.rows:,} rows", "by scheduled time"), css="end"
    )
    results = outcome.summary.all.flights + len(outcome.summary.rejected)
    nodes = describe(
        outcome.pipeline, source=source, end=Node("results", (f"{results:,} tuples of", "int and str"), css="end")
    )
    widths = (WIDE_PIXELS, NARROW_PIXELS)
    wide, narrow = (
        {
            "graph": pipeline_graph(nodes, width=width),
            "kills": killed_engine(outcome.kills, width=width),
            "close_up": flow_close_up(outcome.flow, width=width),
            "fill": buffer_fill(outcome.flow, width=width),
            "memory": memory_growth(outcome.flow, width=width),
            "alarms": alarms_by_week(outcome.summary, width=width),
        }
        for width in widths
    )
    return {name: (drawing, narrow[name]) for name, drawing in wide.items()}


def render(outcome: DemoOutcome, *, made: datetime | None = None) -> str:
    """Return the page.

    Args:
        outcome: The outcome to show.
        made: The time of the demo; by default now.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("reactivestreams.demo", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["mean"] = lambda value: f"{value:.1f}".replace("-", MINUS)
    carriers, rows = heat_rows(outcome.summary)
    flow = outcome.flow
    growth = flow.growth_bytes
    fastest = max((run.rows_per_second for run in outcome.runs), default=0.0)
    page: str = environment.get_template("flights.html.j2").render(
        outcome=outcome,
        summary=outcome.summary,
        flow=flow,
        engine=next(run for run in outcome.runs if run.name == "engine"),
        fastest=fastest,
        growth_mebibytes=None if growth is None else growth / MEBIBYTE,
        bar_mebibytes=BAR_GROWTH_BYTES / MEBIBYTE,
        prefetch=PREFETCH_ELEMENTS,
        carriers=carriers,
        heat_rows=rows,
        heat_class=heat_class,
        legend=heat_legend(),
        keys=keys_by_origin(outcome.summary),
        most_flights=max((totals.flights for totals in outcome.summary.by_origin_and_carrier.values()), default=1),
        rejected_shown=outcome.summary.rejected[:REJECTED_SHOWN],
        figures={name: (Markup(wide), Markup(narrow)) for name, (wide, narrow) in figures(outcome).items()},
        versions=versions(),
        made=(made or datetime.now(UTC)).strftime("%d %B %Y, %H:%M UTC").lstrip("0"),
    )
    return page


def write_page(outcome: DemoOutcome, path: Path) -> None:
    """Write the page; missing folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(outcome), encoding="utf-8")
