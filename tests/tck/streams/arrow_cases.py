"""The operators over Arrow batches as the last stage of a publisher under the kit."""

from collections.abc import Callable
from typing import Any

from reactivestreams import Stream
from tests.tck.streams.publisher_case import PublisherCase, failed_source, numbers_failing_at


def one_row(number: int) -> Any:
    """Return a batch of one row."""
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"number": [number]})


def field() -> Any:
    """Return the expression of the column."""
    import pyarrow.compute as pc

    return pc.field("number")


def batch_case(name: str, operator: str, add: Callable[[Any], Any]) -> PublisherCase:
    """Return a case for an operator on top of a stream of batches."""
    return PublisherCase(
        name,
        (f"operators.{operator}", f"Stream.{name.partition(' ')[0]}"),
        lambda elements, workers: add(Stream.range(elements).map(one_row)),
        lambda workers: add(failed_source()),
        lambda position, workers: add(numbers_failing_at(position).map(one_row)),
    )


ARROW_CASES = [
    batch_case("map_batches", "MapBatches", lambda stream: stream.map_batches(lambda batch: batch.slice(0))),
    batch_case("filter_batches", "FilterBatches", lambda stream: stream.filter_batches(field() >= 0)),
    batch_case(
        "filter_batches by a function",
        "FilterBatches",
        lambda stream: stream.filter_batches(lambda batch: batch["number"].is_valid()),
    ),
    batch_case("project", "Project", lambda stream: stream.project("number", twice=field() * 2)),
    batch_case("with_columns", "WithColumns", lambda stream: stream.with_columns(twice=field() * 2)),
]
