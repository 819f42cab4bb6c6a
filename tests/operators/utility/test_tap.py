"""tap: what a stream counts of itself, and whom it tells that a run starts and ends."""

import gc
import threading
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.inspection import explain
from reactivestreams.metrics import MemoryMetrics, Metrics, TappedRun
from reactivestreams.subscriber import DefaultSubscriber
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestTap(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().tap(MemoryMetrics(), name="numbers")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Told:
    """Metrics that write down what they are told, and may fail."""

    def __init__(self, *, start_error: BaseException | None = None, end_error: BaseException | None = None) -> None:
        self.calls: list[tuple[str, str, int, BaseException | None]] = []
        self.start_error = start_error
        self.end_error = end_error

    def run_started(self, run: TappedRun, /) -> None:
        self.calls.append(("started", run.outcome, run.elements, None))
        if self.start_error is not None:
            raise self.start_error

    def run_ended(self, run: TappedRun, error: BaseException | None, /) -> None:
        self.calls.append(("ended", run.outcome, run.elements, error))
        if self.end_error is not None:
            raise self.end_error


def test_each_run_is_told_when_it_starts_and_when_it_ends() -> None:
    told = Told()
    numbers = Stream.range(3).tap(told, name="numbers")
    assert (numbers.to_list(), numbers.take(2).to_list()) == ([0, 1, 2], [0, 1])
    assert told.calls == [
        ("started", "running", 0, None),
        ("ended", "completed", 3, None),
        ("started", "running", 0, None),
        ("ended", "cancelled", 2, None),
    ]


def test_failed_run_is_told_with_its_error_before_the_stream_below_gets_it() -> None:
    told = Told()
    error = OSError("lost")
    with pytest.raises(OSError, match="lost"):
        Stream.error(error).tap(told, name="lost").do(
            on_error=lambda _: told.calls.append(("below", "", 0, None))
        ).run()
    assert told.calls == [
        ("started", "running", 0, None),
        ("ended", "failed", 0, error),
        ("below", "", 0, None),
    ]


def test_counts_may_be_read_while_the_stream_runs() -> None:
    metrics = MemoryMetrics()
    subscriber = RecordingSubscriber(first_request=3)
    Stream.range(100).tap(metrics, name="numbers").subscribe(subscriber)
    run = metrics["numbers"]
    assert (run.elements, run.requested, run.requests, run.waits, run.outcome) == (3, 3, 1, 1, "running")
    assert 0 < run.waited_seconds == run.longest_wait_seconds < run.seconds
    subscriber.request(2)
    subscriber.request(UNBOUNDED)
    assert (run.elements, run.requested, run.requests, run.waits, run.is_unbounded) == (100, 5, 3, 3, True)
    assert run.longest_wait_seconds < run.waited_seconds
    assert (run.outcome, run.seconds == run.seconds, run.error_type) == ("completed", True, None)


def test_wait_goes_from_the_first_request_to_the_next_element() -> None:
    metrics = MemoryMetrics()
    emitters: list[Any] = []
    subscriber = RecordingSubscriber(first_request=1)
    Stream.create(emitters.append, on_overflow="error").tap(metrics, name="sent").subscribe(subscriber)
    subscriber.request(1)
    emitters[0].emit(1)
    emitters[0].emit(2)
    run = metrics["sent"]
    assert (run.elements, run.requests, run.waits) == (2, 2, 1)
    subscriber.request(1)
    subscriber.cancel()
    assert (run.requests, run.waits, run.outcome) == (3, 1, "cancelled")


def test_requests_are_counted_before_the_start_too() -> None:
    metrics = MemoryMetrics()
    handle = Stream.range(9).tap(metrics, name="numbers").bind(DefaultSubscriber())
    handle.request(4)
    assert metrics.runs == ()
    handle.initialize()
    assert (metrics["numbers"].requested, metrics["numbers"].elements) == (4, 4)
    handle.cancel()


def test_stream_that_never_started_is_not_told() -> None:
    told = Told()
    handle = Stream.range(3).tap(told, name="numbers").bind(DefaultSubscriber())
    handle.cancel()
    assert told.calls == []


def test_stream_that_was_dropped_is_abandoned_and_was_not_kept_alive() -> None:
    metrics = MemoryMetrics()
    handle = Stream.range(3).tap(metrics, name="numbers").bind(DefaultSubscriber())
    handle.initialize()
    assert metrics["numbers"].outcome == "running"
    del handle
    gc.collect()
    assert metrics["numbers"].outcome == "abandoned"


@pytest.mark.parametrize("method", ["run_started", "run_ended"])
def test_metrics_that_raise_are_reported_once_and_cost_no_element(method: str) -> None:
    error = RuntimeError("the exporter")
    told = Told(**{"start_error" if method == "run_started" else "end_error": error})
    with recorded_drops() as drops:
        assert Stream.range(3).tap(told, name="numbers").to_list() == [0, 1, 2]
        with pytest.raises(OSError, match="lost"):
            Stream.error(OSError("lost")).tap(told, name="lost").run()
        Stream.range(3).tap(told, name="numbers").take(1).run()
    assert drops == [(method, error, "rx://operators/tap")] * 3
    assert len(told.calls) == (3 if method == "run_started" else 6)


@pytest.mark.parametrize("method", ["run_started", "run_ended"])
@pytest.mark.parametrize("end", ["complete", "fail", "cancel"])
def test_interrupt_of_metrics_ends_the_stream(method: str, end: str) -> None:
    told = Told(**{"start_error" if method == "run_started" else "end_error": KeyboardInterrupt()})
    numbers: Stream[int] = Stream.error(OSError("lost")) if end == "fail" else Stream.range(3)
    tapped = numbers.tap(told, name="numbers")
    with recorded_drops() as drops, pytest.raises(KeyboardInterrupt):
        (tapped.take(1) if end == "cancel" else tapped).run()
    assert [drop[0] for drop in drops] == (["on_error"] if (method, end) == ("run_ended", "fail") else [])


def test_node_says_what_has_passed_and_under_which_name() -> None:
    handle = Stream.range(100).tap(MemoryMetrics(), name="numbers").bind(DefaultSubscriber())
    handle.initialize()
    handle.request(3)
    tapped = explain(handle).stages[1]
    assert (tapped.operator, tapped.name, tapped.delivered, tapped.requested) == (
        "rx://operators/tap",
        "numbers",
        3,
        0,
    )
    handle.request(UNBOUNDED)
    assert tapped.delivered == 3
    assert explain(handle).stages[1].requested == UNBOUNDED


def test_many_threads_read_and_request_while_elements_pass() -> None:
    metrics = MemoryMetrics()
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(20_000).tap(metrics, name="numbers").subscribe(subscriber)
    run = metrics["numbers"]
    seen: list[list[int]] = [[] for _ in range(3)]

    def request(own: list[int]) -> None:
        while run.outcome == "running":
            subscriber.request(7)
            own.append(run.elements)

    threads = [threading.Thread(target=request, args=(own,)) for own in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == sorted(own) for own in seen)
    assert run.elements == 20_000
    assert run.requested == 1 + 7 * (run.requests - 1)
    assert 1 <= run.waits <= run.requests


def test_call_is_written_as_one_would_write_it() -> None:
    shown = repr(Stream.just(1).tap(MemoryMetrics(), name="orders"))
    assert "tap(<MemoryMetrics of 0 runs>, name='orders')" in shown


@pytest.mark.parametrize("metrics", [None, print, MemoryMetrics, object()])
def test_what_are_no_metrics_is_refused_when_the_stream_is_built(metrics: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"tap\(metrics\) needs an object with the methods run_started and"):
        Stream.just(1).tap(metrics, name="orders")


def test_name_that_is_no_text_is_refused_when_the_stream_is_built() -> None:
    metrics: Metrics = MemoryMetrics()
    with pytest.raises(ArgumentTypeError, match=r"tap\(name\) needs a text, got 8 \(int\); pass a string such as"):
        Stream.just(1).tap(metrics, name=8)  # type: ignore[arg-type]  # what is tested
