"""Does `apply` cost more than the `mapInArrow` that one would write by hand?

Bars: `apply` takes at most 1.10 of the time of `mapInArrow` with the same functions, and 1.02 with the same
`pyarrow.compute`.
Each case computes the whole result and throws it away (format noop), over rows that are cached in memory.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bench.interleaved import WALL_TIME, Case
from bench.rows import Bar, Family, Row
from bench.spark.data import short_flights
from reactivestreams import Pipeline, pipeline
from reactivestreams.spark import apply

ROWS = 1_000_000
OF_FUNCTIONS = Bar(1.10, "x")
OF_COLUMNS = Bar(1.02, "x")

RESULT = pa.schema([("carrier", pa.string()), ("speed", pa.float64()), ("late", pa.int64())])
SCHEMA = "carrier string, speed double, late bigint"


def is_long(flight: Any) -> bool:
    """Tell whether a flight took more than half an hour."""
    return bool(flight[2] > 30)


def with_speed(flight: Any) -> Any:
    """Return carrier, miles an hour and delay."""
    return flight[0], flight[1] / flight[2] * 60.0, flight[3]


def is_fast(flight: Any) -> bool:
    """Tell whether a flight was fast."""
    return bool(flight[1] > 200)


def with_lateness(flight: Any) -> Any:
    """Return the flight without early departures."""
    return flight[0], flight[1], max(0, flight[2])


def by_hand_in_rows(batches: Iterator[Any]) -> Iterator[Any]:
    """Do with functions over tuples what the pipeline does."""
    for batch in batches:
        flights = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        kept = [with_lateness(flight) for flight in map(with_speed, filter(is_long, flights)) if is_fast(flight)]
        columns = zip(*kept, strict=True) if kept else ([], [], [])
        arrays = [pa.array(column, field.type) for column, field in zip(columns, RESULT, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=RESULT)


def in_rows() -> Pipeline[Any, Any]:
    """Return the pipeline over tuples."""
    return pipeline().filter(is_long).map(with_speed).filter(is_fast).map(with_lateness)


def by_hand_in_batches(batches: Iterator[Any]) -> Iterator[Any]:
    """Do with pyarrow.compute what the pipeline over batches does."""
    for batch in batches:
        long = batch.filter(pc.greater(batch.column(2), 30))
        hours = pc.divide(pc.cast(long.column(2), pa.float64()), 60.0)
        speed = pc.divide(pc.cast(long.column(1), pa.float64()), hours)
        late = pc.if_else(pc.greater(long.column(3), 0), long.column(3), 0)
        yield pa.RecordBatch.from_arrays([long.column(0), speed, late], schema=RESULT).filter(pc.greater(speed, 200))


def in_batches() -> Pipeline[Any, Any]:
    """Return the pipeline of expressions."""
    hours = pc.field("minutes").cast("double") / 60
    late = pc.if_else(pc.field("delay") > 0, pc.field("delay"), 0)
    return (
        pipeline()
        .filter_batches(pc.field("minutes") > 30)
        .project("carrier", speed=pc.field("miles").cast("double") / hours, late=late)
        .filter_batches(pc.field("speed") > 200)
    )


def families(session: Any, folder: Path, scale: float) -> list[Family]:
    """Return what is compared.

    Args:
        session: A session with two threads.
        folder: Not used: the rows are in memory.
        scale: Factor of the amounts of data.
    """
    count = max(1, int(ROWS * scale))
    flights = short_flights(session, count)

    def case(name: str, frame: Any) -> Case:
        run: Callable[[], object] = frame.write.format("noop").mode("overwrite").save
        return Case(name, run, count, WALL_TIME)

    in_tuples = case("mapInArrow, the same functions by hand", flights.mapInArrow(by_hand_in_rows, SCHEMA))
    compute = case("mapInArrow, pyarrow.compute by hand", flights.mapInArrow(by_hand_in_batches, SCHEMA))
    tuples = apply(in_rows(), flights, schema=SCHEMA, as_="tuples")
    skipping = apply(in_rows(), flights, schema=SCHEMA, as_="tuples", on_error="skip").results
    batches = apply(in_batches(), flights, schema=SCHEMA)
    skipping_batches = apply(in_batches(), flights, schema=SCHEMA, on_error="skip").results
    return [
        [
            Row(case("apply, functions over tuples", tuples), in_tuples, OF_FUNCTIONS),
            Row(case("the same, on_error=skip", skipping), in_tuples),
            Row(case("the same, on_error=dead_letter", outcomes(flights)), in_tuples),
        ],
        [
            Row(case("apply, expressions over batches", batches), compute, OF_COLUMNS),
            Row(case("the same, on_error=skip", skipping_batches), compute),
        ],
    ]


def outcomes(flights: Any) -> Any:
    """Return results and dead letters of the pipeline over tuples."""
    return apply(in_rows(), flights, schema=SCHEMA, as_="tuples", on_error="dead_letter").combined
