"""Runs every row in turn and prints one table of ratios against the bars: python -m bench.table.

The exit status is 0 also where a bar is missed: a busy machine must not break a build. The last line counts the bars.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench.conditions import conditions, wrong_profile
from bench.interleaved import LEAST_ROUNDS, Case, OnRound, Ratio, compare, measure
from bench.picture import draw
from bench.rows import MILLISECOND, SHOWN_IN_MILLISECONDS, Family, Row, all_families, cases_of

ROUNDS = 31
HEADINGS = ("case", "baseline", "min ratio", "median ratio", "bar", "verdict", "ns", "baseline ns")
NUMERIC = frozenset(HEADINGS[2:5]) | frozenset(HEADINGS[6:])
NOT_RELEASE = 2
PICTURES = (".svg", ".png", ".pdf")


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured for a row: nanoseconds of one operation, and how they compare."""

    row: Row
    nanoseconds: float
    baseline_nanoseconds: float | None
    ratio: Ratio | None

    @property
    def measured(self) -> float:
        """What the bar is about: a multiple of the baseline, nanoseconds, or so many more than the baseline."""
        unit = "x" if self.row.bar is None else self.row.bar.unit
        if unit == "ns":
            return self.nanoseconds
        if self.ratio is None or self.baseline_nanoseconds is None:
            raise ValueError(f"{self.row.case.name!r} has a bar against a baseline, but no baseline")
        return self.ratio.of_minima if unit == "x" else self.nanoseconds - self.baseline_nanoseconds

    @property
    def verdict(self) -> str:
        """Whether the minimum met the bar; empty for a row that is only reported."""
        bar = self.row.bar
        return "" if bar is None else "met" if self.measured <= bar.at_most else "missed"

    def cells(self) -> tuple[str, ...]:
        """Return the row of the table."""
        ratio, baseline = self.ratio, self.row.baseline
        return (
            self.row.case.name,
            "-" if baseline is None else baseline.name,
            "-" if ratio is None else f"{ratio.of_minima:.3f}",
            "-" if ratio is None else f"{ratio.median_of_pairs:.3f}",
            "-" if self.row.bar is None else str(self.row.bar),
            self.verdict or "-",
            _shown(self.nanoseconds),
            "-" if self.baseline_nanoseconds is None else _shown(self.baseline_nanoseconds),
        )

    def as_json(self) -> dict[str, object]:
        """Return the same as numbers."""
        ratio, baseline, bar = self.ratio, self.row.baseline, self.row.bar
        return {
            "case": self.row.case.name,
            "baseline": None if baseline is None else baseline.name,
            "ratio_of_minima": None if ratio is None else ratio.of_minima,
            "median_of_ratios": None if ratio is None else ratio.median_of_pairs,
            "bar": None if bar is None else {"at_most": bar.at_most, "unit": bar.unit},
            "verdict": self.verdict or None,
            "nanoseconds": self.nanoseconds,
            "baseline_nanoseconds": self.baseline_nanoseconds,
        }


def _shown(nanoseconds: float) -> str:
    if nanoseconds < SHOWN_IN_MILLISECONDS:
        return f"{nanoseconds:.1f}"
    return f"{nanoseconds / MILLISECOND:.1f} ms"


def results(rounds: int, on_round: OnRound | None = None) -> list[Result]:
    """Measure every row of the table."""
    return results_of(all_families(), rounds, on_round)


def results_of(families: Sequence[Family], rounds: int, on_round: OnRound | None = None) -> list[Result]:
    """Measure rows."""
    timings = measure([cases_of(family) for family in families], rounds=rounds, on_round=on_round)
    return [_result(row, timings) for family in families for row in family]


def _result(row: Row, timings: dict[Case, list[float]]) -> Result:
    mine = timings[row.case]
    if row.baseline is None:
        return Result(row, min(mine), None, None)
    theirs = timings[row.baseline]
    return Result(row, min(mine), min(theirs), compare(mine, theirs))


def show_progress(number: int, rounds: int) -> None:
    """Tell on stderr how far the measurement is: in place on a terminal, else a few lines."""
    if sys.stderr.isatty():
        print(f"\rround {number} of {rounds}", end="\n" if number == rounds else "", file=sys.stderr, flush=True)
    elif number == rounds or number % max(1, rounds // 4) == 0:
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)


def print_table(measured: Sequence[Result]) -> None:
    """Print the table, with rich where it is installed."""
    rows = [result.cells() for result in measured]
    if find_spec("rich") is None:
        _print_plain(rows)
    else:
        _print_rich(rows)


def _print_plain(rows: Sequence[tuple[str, ...]]) -> None:
    lines = [HEADINGS, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    for line in lines:
        cells = zip(HEADINGS, line, widths, strict=True)
        print("  ".join(f"{cell:>{width}}" if name in NUMERIC else f"{cell:<{width}}" for name, cell, width in cells))


def _print_rich(rows: Sequence[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table()
    for name in HEADINGS:
        table.add_column(name, justify="right" if name in NUMERIC else "left", no_wrap=name != "baseline")
    colors = {"met": "green", "missed": "red"}
    verdict = HEADINGS.index("verdict")
    for row in rows:
        table.add_row(*row, style=colors.get(row[verdict]))
    # Where nobody looks on, e.g. in a log, the table must not be folded to 80 columns.
    console = Console()
    if not console.is_terminal:
        console = Console(width=200)
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.table", description="Measure every row, print the ratios.")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, help=f"how often each case runs, from {LEAST_ROUNDS} (default {ROUNDS})"
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the JSON object to a file, too")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw it, too: a file .svg, .png or .pdf")
    options = parser.parse_args(arguments)
    if options.picture is not None and options.picture.suffix not in PICTURES:
        parser.error(f"--picture {options.picture} is of no known kind; take one of {', '.join(PICTURES)}")
    if options.picture is not None and find_spec("matplotlib") is None:
        parser.error("--picture needs matplotlib, which is not installed; install the extra bench")
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds {options.rounds} is too few; take {LEAST_ROUNDS} or more")
    refusal = wrong_profile()
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return NOT_RELEASE
    where = conditions()
    measured = results(options.rounds, show_progress)
    with_bar = [result for result in measured if result.verdict]
    met = sum(result.verdict == "met" for result in with_bar)
    if options.picture is not None:
        draw(measured, where, options.picture)
        print(f"picture: {options.picture}", file=sys.stderr)
    rows = [result.as_json() for result in measured]
    figures = {"conditions": where, "rounds": options.rounds, "rows": rows, "met": met, "bars": len(with_bar)}
    if options.save is not None:
        options.save.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(f"figures: {options.save}", file=sys.stderr)
    if options.json:
        print(json.dumps(figures))
        return 0
    print_table(measured)
    for name, value in where.items():
        print(f"{name}: {value}")
    print(f"{met} of {len(with_bar)} bars met")
    return 0


if __name__ == "__main__":
    sys.exit(main())
