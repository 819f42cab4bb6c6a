"""Metrics and traces of a service: what OpenTelemetry exports of two streams, one of which fails.

`tap` counts at the place where it stands. The program sets up the SDK, with readers in memory that stand for exporters;
a service takes `PeriodicExportingMetricReader(OTLPMetricExporter())` and `BatchSpanProcessor(OTLPSpanExporter())`.

Prints:
    taken: 5 elements, completed
    priced: 3 elements, failed: KeyError
    priced is a child of checkout, with status ERROR
"""

import asyncio

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from reactivestreams import Stream
from reactivestreams.metrics import OpenTelemetryMetrics

PRICES = {"pear": 3, "fig": 5, "plum": 2}

reader, spans = InMemoryMetricReader(), InMemorySpanExporter()
metrics.set_meter_provider(MeterProvider([reader]))
tracers = TracerProvider()
tracers.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(tracers)

streams = OpenTelemetryMetrics()


async def price(fruit: str) -> int:
    await asyncio.sleep(0.001)
    return PRICES[fruit]


async def serve() -> None:
    with trace.get_tracer("shop").start_as_current_span("checkout"):
        taken = Stream.just("pear", "fig", "plum", "kiwi", "pear").tap(streams, name="taken")
        fruits = await taken.to_list_async()
        priced = Stream.from_iterable(fruits).map_async(price, concurrency=1).tap(streams, name="priced")
        await priced.on_error_resume(Stream.empty()).run_async()


def show() -> None:
    streams.flush()  # durations and spans come from a thread of their own
    (scope,) = (scope for scope in reader.get_metrics_data().resource_metrics[0].scope_metrics)
    points = {metric.name: metric.data.data_points for metric in scope.metrics}
    ended = {point.attributes["reactivestreams.stream"]: point.attributes for point in points["reactivestreams.runs"]}
    for point in points["reactivestreams.elements"]:
        name = point.attributes["reactivestreams.stream"]
        error = ended[name].get("error.type")
        outcome = ended[name]["reactivestreams.outcome"] + (f": {error}" if error else "")
        print(f"{name}: {point.value} elements, {outcome}")
    ids = {span.context.span_id: span.name for span in spans.get_finished_spans()}
    for span in spans.get_finished_spans():
        if not span.status.is_ok:
            print(f"{span.name} is a child of {ids[span.parent.span_id]}, with status {span.status.status_code.name}")


if __name__ == "__main__":
    asyncio.run(serve())
    show()
