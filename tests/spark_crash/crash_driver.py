"""The driver that is killed: a streaming query from a source of numbers to a folder, until the numbers end.

usage: python -m tests.spark_crash.crash_driver FOLDER factory|log|keyed|keyed-2 SESSION BASE

SESSION are the arguments of `reactivestreams.spark.session`, as JSON. FOLDER is where all processes meet; files and
checkpoint are in BASE, which may be a URI.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from reactivestreams import Stream
from reactivestreams.spark import (
    PipelineError,
    SparkJobError,
    WriteAheadLog,
    apply,
    session,
    to_path,
    to_streaming_dataframe,
)
from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer
from reactivestreams.stream import Pipeline, pipeline
from tests.spark_crash.kill_points import KillPoints

SCHEMA = "id bigint not null"
RESULT = "id bigint not null, square bigint not null"
KEYED_RESULT = "id bigint, square bigint, rows bigint"
KEYS = 4
BATCH_ROWS = 200
PLACE_EVERY = 40
ENDLESS = 10**12
SHARED_WAIT_SECONDS = 0.05

CONFIG = {
    # A killed worker or executor costs a try of its task, and no run of it may end there.
    "spark.task.maxFailures": "1000",
    "spark.stage.maxConsecutiveAttempts": "1000",
    "spark.deploy.maxExecutorRetries": "-1",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
}

KEYED_CONFIG = {
    "keyed": {"spark.sql.streaming.stateStore.checkpointFormatVersion": "1"},
    "keyed-2": {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"},
}
"""By the kind of query with state what it sets more: each of Spark's formats of checkpoints."""


class Numbers:
    """The numbers from an offset up to the limit that the folder says; each process that reads them is told to die.

    Args:
        points: The places to die at.
    """

    def __init__(self, points: KillPoints) -> None:
        self.points = points

    def __call__(self, offset: int) -> Iterator[tuple[int]]:
        from pyspark import TaskContext

        is_planner = TaskContext.get() is None
        phase = "planning" if is_planner else "reading"
        limit = ENDLESS
        number = offset
        while number < limit:
            if number % PLACE_EVERY == 0:
                self.points.passing(phase)
                limit = self.limit()
                if is_planner:
                    (self.points.folder / "planned" / str(number)).touch()
            yield (number,)
            number += 1

    def limit(self) -> int:
        """Return where the numbers end; the test decides this while they flow."""
        path = self.points.folder / "limit"
        return int(path.read_text()) if path.exists() else ENDLESS


class Squares:
    """What the query computes.

    Args:
        points: The places to die at.
    """

    def __init__(self, points: KillPoints) -> None:
        self.points = points

    def __call__(self, batches: Any) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        schema = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("square", pa.int64(), nullable=False)])
        for batch in batches:
            self.points.passing("processing")
            ids = batch["id"]
            yield pa.RecordBatch.from_arrays([ids, pc.multiply(ids, ids)], schema=schema)
            self.points.passing("processing")


class NextSquare:
    """Squares the number that the row must have, by how many there were of its key: wrong where one counts not once.

    Args:
        points: The places to die at.
    """

    def __init__(self, points: KillPoints) -> None:
        self.points = points

    def __call__(self, state: tuple[int, int, int], row: tuple[int]) -> tuple[int, int, int]:
        number, rows = row[0], state[2]
        if number % PLACE_EVERY == 0:
            self.points.passing("processing")
        return number, (number % KEYS + KEYS * rows) ** 2, rows + 1


def keyed_squares(points: KillPoints) -> Pipeline[Any, Any]:
    """Return the pipeline that computes the same by state."""
    return pipeline().key_by(lambda row: row[0] % KEYS).scan(NextSquare(points), (0, 0, 0))


def note_written(module: Any, points: KillPoints) -> None:
    """Have each batch noted that is written."""
    write = module.write_batch

    def noted(dataframe: Any, folder: str, batch_id: int) -> None:
        write(dataframe, folder, batch_id)
        (points.folder / "written" / str(batch_id)).touch()

    module.write_batch = noted


def place_around(module: Any, name: str, points: KillPoints, phase: str, behind: str | None = None) -> None:
    """Put places before and after each call of a module's function, and one more of another phase behind it."""
    call = getattr(module, name)

    def placed(*arguments: Any, **named: Any) -> Any:
        points.passing(phase)
        result = call(*arguments, **named)
        points.passing(phase)
        if behind is not None:
            points.passing(behind)
        return result

    setattr(module, name, placed)


def main(folder: Path, kind: str, arguments: dict[str, Any], base: str) -> None:
    """Run the query until it has written all numbers."""
    points = KillPoints(folder)
    for name in ("planned", "written"):
        (folder / name).mkdir(exist_ok=True)
    to_path_module = sys.modules[to_path.__module__]
    config = {**CONFIG, **KEYED_CONFIG.get(kind, {}), **arguments.pop("config", {})}
    spark = session(app_name="crash test", config=config, **arguments)
    points.register(spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid())
    note_written(to_path_module, points)
    # A kill in the middle of a commit is one before or after a write; the log is written while a batch is planned.
    place_around(to_path_module, "write_batch", points, "commit", "written")
    place_around(WriteAheadLog, "append", points, "planning")
    place_around(LivePublisherBuffer, "read", points, "reading")
    log = WriteAheadLog(folder / "log") if kind == "log" else None
    numbers = Numbers(points)
    source: Any = numbers if log is None else Stream.from_iterable(numbers(log.end_offset))
    df = to_streaming_dataframe(
        source, SCHEMA, session=spark, max_rows=BATCH_ROWS, tasks=2, log=log, wait_seconds=SHARED_WAIT_SECONDS
    )
    squares = (
        apply(keyed_squares(points), df, schema=KEYED_RESULT, as_="tuples", order_by="id", buckets=3)
        if kind in KEYED_CONFIG
        else df.mapInArrow(Squares(points), RESULT)
    )
    print("running", flush=True)
    while True:
        # Where the planner alone was killed, the query is started again and the driver lives on.
        try:
            to_path(squares, f"{base}/out", checkpoint=f"{base}/checkpoint", trigger="available_now").await_end()
        except (PipelineError, SparkJobError) as error:
            print(f"query failed: {error}", flush=True)
            spark.range(1).count()  # fails where the JVM is dead
            continue
        break
    if not (folder / "limit").exists():
        raise SystemExit("the numbers ended, though they have no limit yet")
    pq.write_table(spark.read.parquet(f"{base}/out").select("id", "square").toArrow(), folder / "result.parquet")
    print("finished", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4])
