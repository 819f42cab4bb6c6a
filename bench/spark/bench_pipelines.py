"""Does `apply` cost more than the `mapInArrow` that one would write by hand?

Each case computes the whole result and throws it away (format noop), over rows that are cached in memory.
`python -m bench.spark.bench_pipelines` measures this file alone.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from bench.interleaved import LEAST_ROUNDS, WALL_TIME, Case, compare, measure
from bench.rows import Bar, Row
from reactivestreams import Pipeline, pipeline
from reactivestreams.spark import apply

ROWS = 1_000_000
PARTITIONS = 2
AT_MOST = 1.10

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


def rows(session: Any, folder: str, scale: float) -> list[Row]:
    """Return the rows of the table.

    Args:
        session: A session of classic Spark.
        folder: Not used: the rows are made in memory.
        scale: Multiple of a million rows.
    """
    count = int(ROWS * scale)
    flights = (
        session.range(0, count, 1, PARTITIONS)
        .selectExpr(
            "substring('UAAADLWNB6', 1 + 2 * CAST(id % 5 AS INT), 2) AS carrier",
            "100 + (id * 37) % 2400 AS miles",
            "20 + (id * 53) % 400 AS minutes",
            "(id * 17) % 90 - 20 AS delay",
        )
        .cache()
    )
    flights.count()

    def case(name: str, frame: Any) -> Case:
        run: Callable[[], object] = frame.write.format("noop").mode("overwrite").save
        return Case(name, run, count, WALL_TIME)

    return [
        Row(
            case("apply, functions over tuples", apply(in_rows(), flights, schema=SCHEMA, as_="tuples")),
            case("mapInArrow, the same functions by hand", flights.mapInArrow(by_hand_in_rows, SCHEMA)),
            Bar(AT_MOST, "x"),
        ),
        Row(
            case("apply, expressions over batches", apply(in_batches(), flights, schema=SCHEMA)),
            case("mapInArrow, pyarrow.compute by hand", flights.mapInArrow(by_hand_in_batches, SCHEMA)),
            Bar(AT_MOST, "x"),
        ),
        Row(
            case("apply, dead letters", outcomes(flights)),
            case("mapInArrow, the same functions by hand, no policy", flights.mapInArrow(by_hand_in_rows, SCHEMA)),
        ),
    ]


def outcomes(flights: Any) -> Any:
    """Return results and dead letters of the pipeline over tuples."""
    return apply(in_rows(), flights, schema=SCHEMA, as_="tuples", on_error="dead_letter").combined


def main() -> None:
    """Measure and print the rows of this file."""
    from reactivestreams.spark import session

    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    running = session("local[2]", config={"spark.driver.memory": "2g"})
    with tempfile.TemporaryDirectory() as folder:
        table = rows(running, folder, scale)
        pairs = [(row.case, row.baseline) for row in table if row.baseline is not None]
        timings = measure(pairs, rounds=LEAST_ROUNDS)
        for row, (case, baseline) in zip(table, pairs, strict=True):
            ratio = compare(timings[case], timings[baseline])
            bar = (
                ""
                if row.bar is None
                else f"  bar {row.bar}: {'met' if ratio.of_minima <= row.bar.at_most else 'missed'}"
            )
            print(
                f"{case.name:32} {1e3 / min(timings[case]):6.2f} M rows/s  {baseline.name:50} "
                f"{1e3 / min(timings[baseline]):6.2f} M rows/s  ratio {ratio.of_minima:.2f} "
                f"(median {ratio.median_of_pairs:.2f}){bar}"
            )
    running.stop()


if __name__ == "__main__":
    main()
