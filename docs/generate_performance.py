"""Writes the page about performance from the figures of the last run of the benchmarks, and copies its picture.

`make bench` leaves both in the folder `bench`; they are committed, the page is not: it is written whenever the
documentation is built.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from written_pages import write_when_built

__all__ = ["pages", "render", "setup"]

RUN = Path(__file__).parents[1] / "bench/last_run"

HEAD = """\
# Performance

What does it cost to have demand, cancellation, errors with the line they come from, and state that can be saved,
between a source and a loop over it? This page compares the same work with and without streams. The baselines are what
one would write otherwise: built-in iterators, a loop, a queue, an asynchronous generator; where they exist, libraries
for the same purpose.

All figures are of one run, in which the cases take turns, so that what the machine does beside it hits all of them:

"""

READING = """\
A *ratio* is the time of the case divided by that of its baseline: below 1 the stream is faster. A *bar* is what this
project asks of itself. Not all are met: [measured floors](../decisions/0013-measured-floors.md) has, for each that is
missed, what an empty call costs on the same machine, and what was tried. To measure on a machine of yours: `make
bench`; `bench/README.md` says how to read what it prints.

![The ratios and times of all cases as bars, each with the bar that it has to meet](performance.svg)
"""

TABLE = ("| case | compared with | ratio | bar | | ns |", "|---|---|---:|---|---|---:|")


def render(run: Mapping[str, Any]) -> str:
    """Return the page for the figures of a run."""
    where = [f"- {name}: {value}" for name, value in run["conditions"].items()]
    rounds = f"- {run['rounds']} rounds; {run['met']} of {run['bars']} bars met"
    rows = [_row(row) for row in run["rows"]]
    return "\n".join([HEAD + "\n".join([*where, rounds]), "", READING, *TABLE, *rows, ""])


def _row(row: Mapping[str, Any]) -> str:
    ratio, bar = row["ratio_of_minima"], row["bar"]
    cells: Sequence[str] = (
        row["case"],
        row["baseline"] or "",
        "" if ratio is None else f"{ratio:.3f}",
        "" if bar is None else f"≤ {bar['at_most']:g}" + (" ns" if bar["unit"] == "ns" else ""),
        row["verdict"] or "",
        f"{row['nanoseconds']:,.0f}" if row["nanoseconds"] >= 100 else f"{row['nanoseconds']:.1f}",
    )
    escaped = [cell.replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def pages() -> dict[str, str]:
    """Return the page and its picture."""
    run = json.loads(RUN.with_suffix(".json").read_text(encoding="utf-8"))
    picture = RUN.with_suffix(".svg").read_text(encoding="utf-8")
    return {"explanation/performance.md": render(run), "explanation/performance.svg": picture}


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    return write_when_built(app, pages)
