"""The streaming data source that one would write for one set of elements: finite, in memory alone."""

from collections.abc import Iterator
from typing import Any

from bench.spark.data import ELEMENTS_SCHEMA, arrow_batches, tuples

NAME = "hand-written"


def hand_written(session: Any, kind: str, size: int, batches: int) -> Any:
    """Return the streaming DataFrame of the source.

    Args:
        session: A classic session, where `register` was called.
        kind: `"arrow"` for Arrow batches, `"tuples"` for rows.
        size: Rows in a micro-batch.
        batches: How many micro-batches there are.
    """
    return session.readStream.format(NAME).options(kind=kind, size=size, batches=batches).load()


def register(session: Any) -> None:
    """Make the source known to a session."""
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
    from pyspark.sql.streaming.datasource import ReadMaxRows, SupportsTriggerAvailableNow

    class Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
        def __init__(self, options: dict[str, str]) -> None:
            self.kind = options["kind"]
            self.size = int(options["size"])
            self.batches = int(options["batches"])

        def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"batch": 0}

        def getDefaultReadLimit(self) -> ReadMaxRows:  # noqa: N802 - Spark's name
            return ReadMaxRows(self.size)

        def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
            pass

        def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"batch": min(start["batch"] + 1, self.batches)}

        def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
            return [InputPartition((start["batch"], end["batch"]))]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            first, last = partition.value
            if self.kind == "arrow":
                return arrow_batches(first, last, self.size)
            return tuples(first * self.size, last * self.size)

    class HandWritten(DataSource):
        @classmethod
        def name(cls) -> str:
            return NAME

        def schema(self) -> str:
            return ELEMENTS_SCHEMA

        def streamReader(self, schema: Any) -> Reader:  # noqa: N802 - Spark's name
            return Reader(self.options)

    session.dataSource.register(HandWritten)
