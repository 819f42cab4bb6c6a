"""Metrics and spans of OpenTelemetry, with its SDK: what is exported, and what exporters cannot do to a stream."""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, MissingExtraError
from reactivestreams.metrics import OpenTelemetryMetrics
from reactivestreams.subscriber import DefaultSubscriber
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

pytest.importorskip("opentelemetry.sdk", reason="needs opentelemetry-sdk")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from reactivestreams.metrics import open_telemetry

WAIT_SECONDS = 30.0


class Sdk:
    """An SDK of its own, and metrics that report to it."""

    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader], shutdown_on_exit=False)
        self.spans = InMemorySpanExporter()
        self.tracers = TracerProvider(shutdown_on_exit=False)
        self.tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        self.metrics = self.new_metrics()

    def new_metrics(self) -> OpenTelemetryMetrics:
        return OpenTelemetryMetrics(meter_provider=self.meters, tracer_provider=self.tracers)

    def points(self, name: str) -> dict[tuple[Any, ...], Any]:
        """Return the values of an instrument by the values of their attributes, that of the name first."""
        data = self.reader.get_metrics_data()
        found: dict[tuple[Any, ...], Any] = {}
        for scope in data.resource_metrics[0].scope_metrics if data is not None else ():
            for metric in scope.metrics:
                if metric.name == f"reactivestreams.{name}":
                    for point in metric.data.data_points:
                        attributes = dict(point.attributes or {})
                        key = (
                            attributes.pop("reactivestreams.stream"),
                            *(attributes[key] for key in sorted(attributes)),
                        )
                        found[key] = point.count if hasattr(point, "count") else point.value
        return found

    def ended_spans(self) -> list[ReadableSpan]:
        assert self.metrics.flush(timeout_seconds=WAIT_SECONDS)
        return list(self.spans.get_finished_spans())


@pytest.fixture
def sdk() -> Iterator[Sdk]:
    sdk = Sdk()
    yield sdk
    sdk.meters.shutdown()
    sdk.tracers.shutdown()


def test_counts_of_running_and_of_ended_runs_add_up(sdk: Sdk) -> None:
    numbers = Stream.range(1000).tap(sdk.metrics, name="numbers")
    numbers.run()
    subscriber = RecordingSubscriber(first_request=10)
    numbers.subscribe(subscriber)
    assert sdk.points("elements") == {("numbers",): 1010}
    assert sdk.points("requests") == {("numbers",): 2}
    assert sdk.points("requested") == {("numbers",): 10}
    assert sdk.points("waits") == {("numbers",): 2}
    assert sdk.points("wait.time")[("numbers",)] > 0
    assert sdk.points("runs.active") == {("numbers",): 1}
    subscriber.request(5)
    subscriber.cancel()
    assert sdk.points("elements") == {("numbers",): 1015}
    assert sdk.points("runs.active") == {("numbers",): 0}
    assert sdk.points("runs") == {("numbers", "completed"): 1, ("numbers", "cancelled"): 1}


def test_failed_runs_are_counted_by_the_class_of_their_error(sdk: Sdk) -> None:
    for error in (OSError(), OSError(), KeyError()):
        Stream.error(error).tap(sdk.metrics, name="lost").on_error_resume(Stream.empty()).run()
    assert sdk.points("runs") == {("lost", "OSError", "failed"): 2, ("lost", "KeyError", "failed"): 1}
    assert sdk.metrics.flush(timeout_seconds=WAIT_SECONDS)
    assert sdk.points("run.duration") == {("lost", "OSError", "failed"): 2, ("lost", "KeyError", "failed"): 1}


def test_span_of_a_run_is_a_child_of_the_current_one_and_has_its_times(sdk: Sdk) -> None:
    with sdk.tracers.get_tracer("test").start_as_current_span("outer") as outer:
        Stream.range(7).tap(sdk.metrics, name="numbers").run()
    (span,) = [span for span in sdk.ended_spans() if span.name == "numbers"]
    assert span.parent is not None
    assert span.parent.span_id == outer.get_span_context().span_id
    assert span.status.status_code is StatusCode.UNSET
    assert span.attributes is not None
    assert dict(span.attributes) == {
        "reactivestreams.stream": "numbers",
        "reactivestreams.outcome": "completed",
        "reactivestreams.elements": 7,
        "reactivestreams.requested": 0,
    }
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.start_time < span.end_time


def test_span_of_a_failed_run_has_the_status_and_the_exception(sdk: Sdk) -> None:
    Stream.just(1, 0).map(lambda n: 1 // n).tap(sdk.metrics, name="quotients").on_error_resume(Stream.empty()).run()
    Stream.range(9).tap(sdk.metrics, name="numbers").take(2).run()
    failed, cancelled = sdk.ended_spans()
    assert failed.status.status_code is StatusCode.ERROR
    assert (failed.status.description or "").startswith("ZeroDivisionError: ")
    assert [event.name for event in failed.events] == ["exception"]
    assert cancelled.status.status_code is StatusCode.UNSET
    assert (cancelled.attributes or {})["reactivestreams.outcome"] == "cancelled"


def test_metrics_of_one_provider_share_its_instruments(sdk: Sdk) -> None:
    for metrics in (sdk.metrics, sdk.new_metrics()):
        Stream.range(5).tap(metrics, name="numbers").run()
    assert sdk.points("elements") == {("numbers",): 10}


def test_abandoned_run_is_counted_and_forgotten(sdk: Sdk) -> None:
    def abandon() -> None:
        handle = Stream.range(9).tap(sdk.metrics, name="numbers").bind(DefaultSubscriber())
        handle.initialize()
        handle.request(2)

    abandon()
    gc.collect()
    assert sdk.points("elements") == {("numbers",): 2}
    assert sdk.points("runs") == {("numbers", "abandoned"): 1}
    book = sdk.metrics.book
    abandon()
    gc.collect()
    book._sweep_at = 1
    abandon()
    assert len(book._series["numbers"].running) == 1


def test_names_beyond_the_bound_share_a_series(sdk: Sdk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_telemetry, "MAX_SERIES", 2)
    for number in range(5):
        Stream.range(number).tap(sdk.metrics, name=str(number)).run()
    assert sdk.metrics.flush(timeout_seconds=WAIT_SECONDS)
    assert sdk.points("elements") == {("0",): 0, ("1",): 1, (open_telemetry.OVERFLOW,): 2 + 3 + 4}
    assert sdk.points("run.duration") == {
        ("0", "completed"): 1,
        ("1", "completed"): 1,
        (open_telemetry.OVERFLOW, "completed"): 3,
    }


class Hanging(SpanProcessor):
    """A span processor that hangs until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def on_end(self, span: ReadableSpan) -> None:
        self.reached.set()
        self.let_go.wait(WAIT_SECONDS)


def test_exporter_that_hangs_stops_no_stream_and_its_queue_is_bounded(
    sdk: Sdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_telemetry, "MAX_WAITING", 3)
    hanging = Hanging()
    sdk.tracers.add_span_processor(hanging)
    numbers = Stream.range(10).tap(sdk.metrics, name="numbers")
    with recorded_drops() as drops:
        numbers.run()
        assert hanging.reached.wait(WAIT_SECONDS)
        for _ in range(9):
            assert numbers.to_list() == list(range(10))
        assert not sdk.metrics.flush(timeout_seconds=0)
        assert sdk.points("elements") == {("numbers",): 100}
        assert sdk.points("runs") == {("numbers", "completed"): 10}
    ((signal, trouble, origin),) = drops
    assert (signal, origin) == ("run_ended", "OpenTelemetryMetrics")
    assert "3 ended runs wait to be reported" in str(trouble)
    hanging.let_go.set()
    assert len(sdk.ended_spans()) == 4


class Raising(SpanProcessor):
    """A span processor that raises."""

    def on_end(self, span: ReadableSpan) -> None:
        raise OSError("the exporter")


def test_exporter_that_raises_is_reported_once_and_loses_no_element(sdk: Sdk) -> None:
    sdk.tracers.add_span_processor(Raising())
    numbers = Stream.range(10).tap(sdk.metrics, name="numbers")
    with recorded_drops() as drops:
        for _ in range(3):
            assert numbers.to_list() == list(range(10))
        assert sdk.metrics.flush(timeout_seconds=WAIT_SECONDS)
    assert [(signal, str(error), origin) for signal, error, origin in drops] == [
        ("run_ended", "the exporter", "OpenTelemetryMetrics")
    ]
    assert sdk.points("run.duration") == {("numbers", "completed"): 3}


def test_counts_never_go_back_while_streams_start_and_end(sdk: Sdk) -> None:
    numbers = Stream.range(100).tap(sdk.metrics, name="numbers")

    def run_often() -> None:
        for _ in range(200):
            numbers.run()

    threads = [threading.Thread(target=run_often) for _ in range(3)]
    seen = [0]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen.append(sdk.points("elements").get(("numbers",), 0))
    for thread in threads:
        thread.join()
    assert seen == sorted(seen)
    assert sdk.points("elements") == {("numbers",): 60_000}


def test_request_without_a_limit_does_not_add_to_the_requested_elements(sdk: Sdk) -> None:
    subscriber = RecordingSubscriber(first_request=3)
    Stream.never().tap(sdk.metrics, name="never").subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    assert (sdk.points("requested"), sdk.points("requests")) == ({("never",): 3}, {("never",): 2})
    subscriber.cancel()


def printed(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=WAIT_SECONDS
    ).stdout


def test_without_an_sdk_nothing_is_reported() -> None:
    program = """
from reactivestreams import Stream
from reactivestreams.metrics import OpenTelemetryMetrics
metrics = OpenTelemetryMetrics()
print(Stream.range(10).tap(metrics, name="numbers").sum(), metrics.flush())
"""
    assert printed(program) == "45 True\n"


def test_sdk_may_be_set_up_later_and_the_end_of_the_program_reports_what_is_left() -> None:
    program = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter
from reactivestreams import Stream
from reactivestreams.metrics import OpenTelemetryMetrics
numbers = Stream.range(10).tap(OpenTelemetryMetrics(), name="numbers")
tracers = TracerProvider()
tracers.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter(formatter=lambda span: span.name)))
trace.set_tracer_provider(tracers)
numbers.run()
"""
    assert printed(program) == "numbers"


def test_missing_api_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rs_core.errors.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "reactive-streams-core\[opentelemetry\]"'):
        OpenTelemetryMetrics()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_child_reports_its_own_runs_and_not_those_of_its_parent() -> None:
    program = """
import os
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from reactivestreams import Stream
from reactivestreams.metrics import OpenTelemetryMetrics
tracers = TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(formatter=lambda span: span.name + "\\n")))
metrics = OpenTelemetryMetrics(tracer_provider=tracers)
Stream.range(10).tap(metrics, name="parent").run()
metrics.flush()
child = os.fork()
Stream.range(10).tap(metrics, name="child" if child == 0 else "again").run()
if child:
    os.waitpid(child, 0)
"""
    assert sorted(printed(program).split()) == ["again", "child", "parent"]


def test_timeout_is_checked(sdk: Sdk) -> None:
    with pytest.raises(ArgumentError, match="timeout_seconds"):
        sdk.metrics.flush(timeout_seconds=-1)
