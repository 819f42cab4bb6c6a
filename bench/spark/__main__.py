"""Runs the Spark benchmarks in one session and prints one table of ratios against the bars: python -m bench.spark.

Every module bench/spark/bench_<part>.py has a function `families(session, folder, scale)`, which returns families of
rows; see bench/README.md. The exit status is 0 also where a bar is missed: a busy machine must not break a build.
"""

import argparse
import gc
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.conditions import conditions, wrong_profile
from bench.interleaved import Case, compare, turned
from bench.rows import Family, Row, cases_of
from bench.table import NOT_RELEASE, Result, print_table, show_progress

ROUNDS = 3
"""How often each case runs, besides to warm up: a case takes seconds, most of them in the JVM."""

QUICK_SECONDS = 10.0
QUICK_TIMES = 3
"""Families whose cases take fewer seconds in all run so many times a round: the JVM needs some runs to get quick."""

CONFIG = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "2"}


def parts() -> list[str]:
    """Return the names of the parts that exist."""
    return sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))


def measure(families: Sequence[Family], rounds: int) -> dict[Case, list[float]]:
    """Time every case in turn; return nanoseconds of one operation, a figure for each run."""
    timings: dict[Case, list[float]] = {case: [] for family in families for case in cases_of(family)}
    times = [QUICK_TIMES if seconds_of(family) < QUICK_SECONDS else 1 for family in families]
    for number in range(-1, rounds):
        for family, repeated in zip(families, times, strict=True):
            for run in range(repeated):
                for case in turned(cases_of(family), number + run):
                    gc.collect()
                    sample = case.sample()
                    if number >= 0:
                        timings[case].append(sample)
        show_progress(number + 1, rounds)
    return timings


def seconds_of(family: Family) -> float:
    """Return how long the cases of a family take, run for the first time."""
    began = time.monotonic()
    for case in cases_of(family):
        case.run()
    return time.monotonic() - began


def result(row: Row, timings: dict[Case, list[float]]) -> Result:
    """Return what was measured for a row."""
    mine = timings[row.case]
    if row.baseline is None:
        return Result(row, min(mine), None, None)
    theirs = timings[row.baseline]
    return Result(row, min(mine), min(theirs), compare(mine, theirs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench.spark", description="Compare with hand-written PySpark.")
    parser.add_argument("parts", nargs="*", help=f"what to measure, all by default: {', '.join(parts())}")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the amounts of data, above 0 (default 1)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each case runs (default {ROUNDS})")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the figures as JSON, too")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in parts()]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; take of {', '.join(parts())}")
    if options.scale <= 0 or options.rounds < 1:
        parser.error("--scale must be above 0 and --rounds 1 or more")
    refusal = wrong_profile()
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return NOT_RELEASE
    from reactivestreams.spark import session

    where = conditions()
    spark = session("local[2]", config=CONFIG)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            measured = run(spark, Path(folder), options)
    finally:
        spark.stop()
    with_bar = [row for row in measured if row.verdict]
    met = sum(row.verdict == "met" for row in with_bar)
    if options.save is not None:
        figures = {"conditions": where, "rounds": options.rounds, "rows": [row.as_json() for row in measured]}
        options.save.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print_table(measured)
    for name, value in where.items():
        print(f"{name}: {value}")
    print(f"{met} of {len(with_bar)} bars met")
    return 0


def run(spark: Any, folder: Path, options: argparse.Namespace) -> list[Result]:
    """Measure the parts one after the other."""
    measured: list[Result] = []
    for part in options.parts or parts():
        print(f"part {part}", file=sys.stderr, flush=True)
        place = folder / part
        place.mkdir()
        families = import_module(f"bench.spark.bench_{part}").families(spark, place, options.scale)
        timings = measure(families, options.rounds)
        measured += [result(row, timings) for family in families for row in family]
    return measured


if __name__ == "__main__":
    sys.exit(main())
