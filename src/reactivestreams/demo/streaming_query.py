"""The streaming query of the demo, as a separate program, so that it can be killed.

`python -m reactivestreams.demo.streaming_query SETTINGS`, where SETTINGS is JSON: the fields of `QuerySettings`.
"""

import json
import os
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reactivestreams.demo.flights_parsing import ROW_SCHEMA
from reactivestreams.demo.flights_pipeline import ORDER_COLUMNS, RESULT_SCHEMA, OnCorrupt, Thresholds, flights_pipeline

__all__ = ["QuerySettings", "main"]

MASTER = "local[2]"
HOLD_SECONDS = 120.0
"""How long a query waits to be killed."""

NOT_KILLED = 3
"""The exit status of a query that was not killed."""


@dataclass(frozen=True)
class QuerySettings:
    """The settings of a run of the query.

    Attributes:
        folder: Contains `in`, the Parquet files of the flights, each a slice of scheduled time, and receives `out` and
            `checkpoint`.
        buckets: The number of buckets of keys.
        on_corrupt: As for `flights_pipeline`.
        thresholds: As for `flights_pipeline`.
        hold_at: The micro-batch that waits to be killed after it has computed its results; None for none.
    """

    folder: str
    buckets: int
    on_corrupt: OnCorrupt
    thresholds: tuple[int, int, int]
    hold_at: int | None

    def text(self) -> str:
        """Return the settings as the argument of the program."""
        return json.dumps(asdict(self))


def main(arguments: Sequence[str]) -> int:
    """Run the query until all files are read. It prints `ready` when Spark has started and `held` when it waits."""
    settings = QuerySettings(**json.loads(arguments[0]))
    folder, hold_at = Path(settings.folder), settings.hold_at
    from reactivestreams import spark

    session = spark.session(MASTER, app_name="flights demo, streaming", fast=True)
    tell("ready")
    stream = session.readStream.schema(ROW_SCHEMA).option("maxFilesPerTrigger", 1)
    stages = flights_pipeline(on_corrupt=settings.on_corrupt, thresholds=Thresholds(*settings.thresholds))
    results = spark.apply(
        stages,
        stream.parquet(str(folder / "in")),
        schema=RESULT_SCHEMA,
        as_="tuples",
        order_by=ORDER_COLUMNS,
        buckets=settings.buckets,
    )

    def write(batch: Any, number: int) -> None:
        """Write the results of a micro-batch; a repeated one replaces its file."""
        from pyarrow import parquet

        table = batch.toArrow()
        if number == hold_at:
            tell("held")
            threading.Event().wait(HOLD_SECONDS)
            os._exit(NOT_KILLED)
        unfinished = folder / "out" / f"unfinished-{number:06}"
        parquet.write_table(table, unfinished)
        unfinished.replace(folder / "out" / f"{number:06}.parquet")

    query = (
        results.writeStream.foreachBatch(write)
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    session.stop()
    return 0


def tell(word: str) -> None:
    """Print a line for the process that started this one."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
