"""The streaming query: files that are slices of scheduled time, a kill in mid-run, and a restart that goes on."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from reactivestreams import Stream
from reactivestreams.demo.comparison import Comparison, Reference
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import Result, Thresholds, flights_pipeline
from reactivestreams.demo.spark_run import write_parquet
from reactivestreams.demo.streaming_query import QuerySettings
from reactivestreams.demo.streaming_run import query_process, read_results
from tests.demo.flight_lines import flight_line, write_flights

parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra demo")

Place = tuple[str, int]


def places_in(file: Path) -> list[Place]:
    """Return the scheduled departure and the row number of each row of a file."""
    table = parquet.read_table(file, columns=["scheduled", "row"])
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_files_are_slices_of_scheduled_time_dated_in_their_order(flights_csv: Path, tmp_path: Path) -> None:
    rows = FlightRows(flights_csv, rows=30_000)

    count = write_parquet(rows, tmp_path, file_rows=8_000)

    files = sorted(tmp_path.iterdir(), key=lambda file: file.stat().st_mtime)
    slices = [places_in(file) for file in files]
    assert [len(places) for places in slices] == [8_000, 8_000, 8_000, 6_000]
    assert len({int(file.stat().st_mtime) for file in files}) == count == 4
    placed = [place for places in slices for place in places]
    assert placed == sorted(placed)
    assert [row for _, row in placed] != list(range(1, 30_001))


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_killed_query_goes_on_by_scheduled_time_and_gives_what_a_thread_gives(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="needs the extra spark")
    lines = [
        flight_line(
            month=1 + row * 5 % 12,
            day=1 + row * 11 % 28,
            sched_dep_time=100 * (row * 7 % 24) + row * 13 % 60,
            carrier=("UA", "9E", "B6")[row % 3],
            origin="corrupt" if row % 97 == 5 else "EWR",
            dep_delay="" if row % 41 == 0 else row * 7919 % 200 - 20,
        )
        for row in range(400)
    ]
    lines[200] = flight_line(sched_dep_time="soon")
    rows = FlightRows(write_flights(tmp_path / "flights.csv", lines))
    thresholds = Thresholds(5, 60, 30)
    source, target = tmp_path / "in", tmp_path / "out"
    for folder in (source, target):
        folder.mkdir()
    write_parquet(rows, source, file_rows=100)
    settings = QuerySettings(str(tmp_path), 2, "reject", thresholds, hold_at=1)

    with query_process(settings) as killed:
        killed.expect("ready")
        killed.expect("held")
    before = {file.name: file.stat().st_mtime_ns for file in target.iterdir()}
    with query_process(replace(settings, hold_at=None)) as restarted:
        restarted.expect("ready")
        restarted.expect_end()

    assert (killed.process.returncode, restarted.process.returncode) == (-signal.SIGKILL, 0)
    assert list(before) == ["000000.parquet"]
    assert (target / "000000.parquet").stat().st_mtime_ns == before["000000.parquet"]
    files = sorted(target.iterdir())
    assert [file.name for file in files] == [f"{number:06}.parquet" for number in range(4)]
    batches: list[list[Result]] = []
    for file, taken in zip(files, sorted(source.iterdir()), strict=True):
        batches.append([])
        read_results(file, lambda values, batch=batches[-1]: batch.append(Result._make(values)))
        assert {(result.scheduled, result.row) for result in batches[-1]} <= set(places_in(taken))
    pipeline = flights_pipeline(on_corrupt="reject", thresholds=thresholds)
    reference = Reference(len(rows))
    Stream.from_iterable(rows).through(pipeline).for_each(reference.add)
    comparison = Comparison("restarted", reference, ordered=True)
    for batch in batches:
        for result in batch:
            comparison.check(result)
    assert comparison.difference() is None
    assert [result.row for result in batches[0] if not result.scheduled] == [201]
    assert {result.alarm for result in reference.results()} == {0, 1}
