"""The runs on threads: equal results, a bounded buffer, and a comparison that notices one missing element."""

from pathlib import Path

import pytest

from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_parsing import CorruptRowError
from reactivestreams.demo.flights_pipeline import flights_pipeline
from reactivestreams.demo.flights_runs import run_in_caller, run_slow_consumer
from reactivestreams.errors import ArgumentError
from tests.demo.flight_lines import flight_line, write_flights

TOTAL = 5_000


class SeenProgress:
    """Keeps what a run told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.ended: list[str] = []
        self.title = ""

    def begin(self, title: str, *, total: int) -> None:
        self.title = title

    def advance(self, done: int) -> None:
        self.told.append((self.title, done))

    def note(self, text: str) -> None:
        pass

    def end(self) -> None:
        self.ended.append(self.title)


@pytest.fixture
def rows(tmp_path: Path) -> FlightRows:
    lines = [
        flight_line(
            day=1 + row * 28 // TOTAL,
            sched_dep_time=100 * (row * 31 % 24) + row * 17 % 60,
            carrier=("UA", "9E", "B6")[row % 3],
            dep_delay="NA" if row % 41 == 0 else row * 7919 % 200 - 20,
        )
        for row in range(TOTAL)
    ]
    return FlightRows(write_flights(tmp_path / "flights.csv", lines))


def both_runs(rows: FlightRows, *, progress: SeenProgress | None = None, remove: int | None = None):
    shown = progress or SeenProgress()
    pipeline = flights_pipeline()
    caller, reference = run_in_caller(pipeline, rows, total=TOTAL, progress=shown)
    slow, flow = run_slow_consumer(
        pipeline, rows, total=TOTAL, reference=reference, progress=shown, remove=remove, pause_seconds=0
    )
    return caller, slow, flow


def test_both_runs_give_equal_results(rows: FlightRows) -> None:
    caller, slow, flow = both_runs(rows)

    assert (caller.results, slow.results) == (TOTAL - 122, TOTAL - 122)
    assert slow.difference is None
    assert (flow.produced, flow.taken) == (TOTAL, TOTAL)


def test_source_is_never_more_than_the_bound_ahead(rows: FlightRows) -> None:
    _, _, flow = both_runs(rows)

    assert 1 < flow.fill_maximum <= flow.fill_bound == 1_025
    assert flow.is_bounded


def test_source_produces_no_more_than_was_requested(rows: FlightRows) -> None:
    _, _, flow = both_runs(rows)

    assert flow.overrun_maximum <= 0
    assert flow.requested >= flow.produced
    assert flow.close_up_requests[0].n == 1_024
    assert len(flow.close_up_requests) == flow.request_count
    assert sum(request.n for request in flow.close_up_requests) == flow.requested


@pytest.mark.parametrize("removed", [1, 1_000, TOTAL - 122])
def test_comparison_fails_with_one_result_removed(rows: FlightRows, removed: int) -> None:
    caller, slow, _ = both_runs(rows, remove=removed)

    assert slow.results == caller.results - 1
    assert slow.difference is not None
    assert (slow.difference.kind, slow.difference.count) == ("missing", 1)


def test_removing_a_result_that_is_not_there_is_refused(rows: FlightRows) -> None:
    with pytest.raises(ArgumentError, match="result 5,000 cannot be removed, the run has 4,878"):
        both_runs(rows, remove=TOTAL)


def test_progress_only_grows_and_every_run_ends(rows: FlightRows) -> None:
    progress = SeenProgress()
    both_runs(rows, progress=progress)

    assert progress.ended == ["Caller's thread", "Slow consumer"]
    for title in progress.ended:
        done = [count for run, count in progress.told if run == title]
        assert len(done) == (TOTAL - 122) // 1_024
        assert done == sorted(done)
        assert done[-1] <= TOTAL


def test_corrupt_row_fails_the_slow_run_with_its_message(rows: FlightRows, tmp_path: Path) -> None:
    _, reference = run_in_caller(flights_pipeline(), rows, total=TOTAL, progress=SeenProgress())
    corrupt = FlightRows(write_flights(tmp_path / "corrupt.csv", [flight_line(), flight_line(hour="x")]))

    with pytest.raises(CorruptRowError, match=r"row 2 \(line 3 of the file\), column hour"):
        run_slow_consumer(
            flights_pipeline(), corrupt, total=2, reference=reference, progress=SeenProgress(), pause_seconds=0
        )
