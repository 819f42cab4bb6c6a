"""The window over partitions, with jobs that the test runs by hand."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams.dropped import set_hook
from reactivestreams.spark import PipelineError, SparkJobError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.sources.partition_window import PartitionWindow

WAIT_SECONDS = 30.0


class ManualJobs:
    """Partitions that are computed when the test lets them; cancelling ends every job."""

    def __init__(self, partitions: int) -> None:
        self.partitions = partitions
        self.changed = threading.Condition()
        self.started: list[int] = []
        self.allowed: set[int] = set()
        self.failing: dict[int, BaseException] = {}
        self.prepare_failure: BaseException | None = None
        self.cancelled = 0
        self.stopped = False

    def prepare(self) -> int:
        if self.prepare_failure is not None:
            raise self.prepare_failure
        return self.partitions

    def fetch(self, index: int) -> list[Any]:
        with self.changed:
            self.started.append(index)
            self.changed.notify_all()
            done = self.changed.wait_for(lambda: index in self.allowed or self.cancelled > 0, WAIT_SECONDS)
        if self.cancelled or not done:
            raise RuntimeError(f"job {index} was cancelled")
        if index in self.failing:
            raise self.failing[index]
        return [f"batch {index}"]

    def cancel(self) -> None:
        with self.changed:
            self.cancelled += 1
            self.changed.notify_all()

    def is_stopped(self) -> bool:
        return self.stopped

    def allow(self, *indexes: int) -> None:
        with self.changed:
            self.allowed.update(indexes)
            self.changed.notify_all()

    def wait_started(self, count: int) -> list[int]:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.started) >= count, WAIT_SECONDS)
            return sorted(self.started)


@pytest.fixture
def make() -> Iterator[Callable[..., tuple[ManualJobs, PartitionWindow]]]:
    """Return a maker of jobs with their window; all windows are closed at the end."""
    windows = []

    def made(partitions: int, *, window: int = 2) -> tuple[ManualJobs, PartitionWindow]:
        jobs = ManualJobs(partitions)
        windows.append(PartitionWindow(jobs, window=window, name=f"test-window-{len(windows)}"))
        return jobs, windows[-1]

    yield made
    for window in windows:
        window.close()


Make = Callable[..., tuple[ManualJobs, PartitionWindow]]


def wait_idle(window: PartitionWindow, finished: int) -> None:
    """Wait until so many partitions lie finished; the workers that made them have nothing to do then but wait."""
    with window.changed:
        assert window.changed.wait_for(lambda: len(window.results) == finished, WAIT_SECONDS)


def test_nothing_is_prepared_before_the_first_next(make: Make) -> None:
    jobs, window = make(3)
    jobs.prepare_failure = AssertionError("planned too early")

    assert (jobs.started, window.threads) == ([], [])


def test_partitions_arrive_in_order_though_computed_in_another(make: Make) -> None:
    jobs, window = make(3, window=3)
    jobs.allow(0)
    assert next(window) == ["batch 0"]
    jobs.allow(2)
    wait_idle(window, 1)
    jobs.allow(1)

    assert list(window) == [["batch 1"], ["batch 2"]]


@pytest.mark.parametrize("size", [1, 2, 5])
def test_no_more_than_the_window_is_computed_beyond_the_delivered_one(make: Make, size: int) -> None:
    jobs, window = make(16, window=size)
    jobs.allow(*range(16))

    for delivered in range(1, 6):
        next(window)
        wait_idle(window, size)
        assert jobs.wait_started(delivered + size) == list(range(delivered + size))


def test_window_that_is_larger_than_the_partitions_starts_a_thread_for_each(make: Make) -> None:
    jobs, window = make(2, window=64)
    jobs.allow(0)

    next(window)

    assert len(window.threads) <= 2


def test_no_partitions_is_the_end(make: Make) -> None:
    _, window = make(0)

    assert list(window) == []


def test_failed_partition_raises_in_its_place(make: Make) -> None:
    jobs, window = make(3, window=3)
    jobs.failing[1] = ValueError("no such file\n\tat java.lang.Thread")
    jobs.allow(0, 1, 2)

    assert next(window) == ["batch 0"]
    with pytest.raises(SparkJobError, match="no such file") as caught:
        next(window)
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(StopIteration):
        next(window)


def test_failed_plan_raises_at_the_first_next(make: Make) -> None:
    jobs, window = make(3)
    jobs.prepare_failure = ValueError("no such table")

    with pytest.raises(SparkJobError, match="no such table"):
        next(window)


def test_pipeline_error_inside_a_job_comes_out_as_itself(make: Make) -> None:
    jobs, window = make(1)
    sent = with_details(PipelineError.of_row(operator="map", assembly="a.py:1 in f", row="(1,)", cause="KeyError: 'x'"))
    jobs.failing[0] = RuntimeError(f"Job aborted\nTraceback ...\n{sent}\n{sent.__notes__[0]}\n at java")
    jobs.allow(0)

    with pytest.raises(PipelineError) as caught:
        next(window)

    error = caught.value
    assert (str(error), error.operator, error.assembly, error.row, error.cause) == (
        str(sent), "map", "a.py:1 in f", "(1,)", "KeyError: 'x'",
    )  # fmt: skip


def test_close_cancels_running_jobs_and_joins_the_threads(make: Make) -> None:
    jobs, window = make(8)
    jobs.allow(0)
    next(window)
    jobs.wait_started(3)
    threads = list(window.threads)

    window.close()

    assert jobs.cancelled == 1
    assert [thread.is_alive() for thread in threads] == [False, False]


def test_close_from_another_thread_ends_a_waiting_next(make: Make) -> None:
    jobs, window = make(8)
    ended = threading.Event()

    def read() -> None:
        assert list(window) == []
        ended.set()

    reader = threading.Thread(target=read)
    reader.start()
    jobs.wait_started(2)

    window.close()

    assert ended.wait(WAIT_SECONDS)
    reader.join(WAIT_SECONDS)


def test_close_may_be_repeated_and_cancels_nothing_at_the_end(make: Make) -> None:
    jobs, window = make(2)
    jobs.allow(0, 1)

    assert len(list(window)) == 2
    window.close()
    window.close()

    assert jobs.cancelled == 0


def test_closed_window_starts_nothing(make: Make) -> None:
    jobs, window = make(2)
    window.close()

    assert (list(window), jobs.started) == ([], [])


def test_cancel_that_fails_is_reported_and_the_close_goes_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, window = make(8)
    jobs.allow(0)
    next(window)
    jobs.wait_started(3)
    ending = jobs.cancel

    def fail() -> None:
        ending()
        raise ConnectionError("the JVM is gone")

    monkeypatch.setattr(jobs, "cancel", fail)
    told: list[Any] = []
    previous = set_hook(lambda signal, value, *, origin: told.append((signal, str(value), origin)))
    try:
        window.close()
    finally:
        set_hook(previous)

    assert told == [("cancel", "the JVM is gone", "from_dataframe")]


def test_job_that_ended_with_its_session_is_told_as_such(make: Make) -> None:
    jobs, window = make(2)
    jobs.failing[0] = RuntimeError("Job 0 cancelled because SparkContext was shut down")
    jobs.stopped = True
    jobs.allow(0)

    with pytest.raises(SparkJobError, match="the Spark session of this DataFrame was stopped"):
        next(window)


def test_reader_does_not_wait_for_a_job_that_was_lost_with_its_session(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reactivestreams.spark.sources.partition_window.STOP_POLL_SECONDS", 0.01)
    jobs, window = make(3)
    jobs.allow(0)
    assert next(window) == ["batch 0"]

    jobs.stopped = True

    with pytest.raises(SparkJobError, match="the Spark session of this DataFrame was stopped"):
        next(window)
    assert jobs.cancelled == 1
    assert not any(thread.is_alive() for thread in window.threads)
