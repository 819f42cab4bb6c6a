"""The Python data source `reactivestreams`, with which Spark plans and reads a stream.

Importing this file imports PySpark. Its classes are sent to the workers by name; their parameters are in the options,
which are texts.
"""

import base64
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow

from reactivestreams.spark.bridge.bridge_server import BridgeClient
from reactivestreams.spark.bridge.failures import first_mismatch, schema_mismatch, stream_failure
from reactivestreams.spark.bridge.offset_tracker import OffsetTracker
from reactivestreams.spark.errors import PipelineError, ReplayError, RowEncodingError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.rows.arrow_stream import stream_buffer
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder
from reactivestreams.spark.sent_version import SentVersion
from reactivestreams.spark.worker_heap import freeze_heap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = [
    "AVAILABLE_NOW_WAIT_SECONDS",
    "MAX_CARRIED_BYTES",
    "SOURCE_NAME",
    "BridgeReader",
    "CarriedRange",
    "FactoryReader",
    "FilesReader",
    "Range",
    "StreamDataSource",
]

SOURCE_NAME = "reactivestreams"
AVAILABLE_NOW_WAIT_SECONDS = 2.0
"""How long a stream may be silent under the trigger availableNow before the silence counts as its end."""

MAX_CARRIED_BYTES = 64 * 2**20
"""On a cluster, the largest part of a micro-batch that a task brings to its executor; Spark refuses tasks of twice that
size (`spark.rpc.message.maxSize`)."""

OFFSET_KEY = "element"


class StreamDataSource(DataSource):
    """Returns the reader that the options name."""

    @classmethod
    def name(cls) -> str:
        """Return the name for `format()`."""
        return SOURCE_NAME

    def streamReader(self, schema: "StructType") -> "BridgeReader | FactoryReader":  # noqa: N802 - Spark's name
        """Return the reader of a live publisher or of a factory."""
        kind = BridgeReader if "port" in self.options else FactoryReader
        return kind(self.options, schema)

    def reader(self, schema: "StructType") -> "FilesReader":
        """Return the reader of files that contain a stream."""
        return FilesReader(self.options["folder"])


class Range(InputPartition):
    """The elements that one task reads."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__((start, end))
        self.start = start
        self.end = end


class CarriedRange(Range):
    """The elements that one task reads, and brings along."""

    def __init__(self, start: int, end: int, content: "pa.Buffer") -> None:
        super().__init__(start, end)
        self.content: bytes = content.to_pybytes()


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets and partitions of all streams; an offset is the number of elements before it."""

    def __init__(self, options: dict[str, str], schema: "StructType") -> None:
        # A copy that respects the case of names; Spark's mapping ignores it.
        self.max_rows: int = int(options["max_rows"])
        self.tasks: int = int(options["tasks"])
        self.wait_seconds: float = float(options["wait_seconds"])
        self.is_final: bool = False
        self.schema = schema
        self.version: SentVersion = SentVersion()

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
        """Return the offset of the first element."""
        return {OFFSET_KEY: 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """Return the limit of rows per micro-batch."""
        return ReadMaxRows(self.max_rows)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Treat the end of the stream, or a long silence, as the end of the data."""
        self.is_final = True
        self.wait_seconds = max(self.wait_seconds, AVAILABLE_NOW_WAIT_SECONDS)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, int]:  # noqa: N802 - Spark's name
        """Return the end of the next micro-batch.

        If Spark sets no limit, the limit of the stream applies, because the elements of a batch are held in memory.
        """
        most = limit.max_rows if isinstance(limit, ReadMaxRows) else self.max_rows
        return {OFFSET_KEY: self.plan(offset_in(start), most)}

    def plan(self, start: int, most_rows: int) -> int:
        """Return the end of a batch that starts at an offset."""
        raise NotImplementedError

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the parts of a batch, in order, one per task."""
        first, last = offset_in(start), offset_in(end)
        step = max(1, -(-(last - first) // self.tasks))
        return [Range(low, min(last, low + step)) for low in range(first, last, step)]

    def commit(self, end: dict[str, Any]) -> None:
        """Do nothing: a factory retains nothing."""

    def stop(self) -> None:
        """End the process without output if the query was stopped.

        Spark has closed the connection of this process, which has nothing else to do. Its attempts to report this to
        Spark would print three tracebacks.
        """
        if isinstance(sys.exc_info()[1], (EOFError, ConnectionError)):
            sys.excepthook = lambda *_: None


class BridgeReader(StreamReader):
    """Reads a live publisher through the driver's bridge.

    Only processes next to the driver reach the bridge. On a cluster the process that plans reads the elements, and the
    tasks carry them.
    """

    def __init__(self, options: dict[str, str], schema: "StructType") -> None:
        super().__init__(options, schema)
        self.port: int = int(options["port"])
        self.token: str = options["token"]
        self.is_carried: bool = "carried" in options
        self.planner: BridgeClient | None = None

    def connection(self) -> BridgeClient:
        """Return the connection of the process that plans."""
        if self.planner is None:
            self.planner = BridgeClient(self.port, self.token)
        return self.planner

    def plan(self, start: int, most_rows: int) -> int:
        """Request a plan from the driver."""
        planned: int = self.connection().call(
            "plan", start, most_rows, self.wait_seconds, self.is_final, allowed_seconds=self.wait_seconds
        )
        return planned

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the parts of a batch, with their elements if the tasks run on other machines."""
        parts = super().partitions(start, end)
        return [self.carried(part) for part in parts] if self.is_carried else parts

    def carried(self, part: InputPartition) -> InputPartition:
        """Return a part with its elements.

        Raises:
            PipelineError: They are too large for a task.
        """
        assert isinstance(part, Range)
        content = stream_buffer(self.connection().read(part.start, part.end), arrow_schema(self.schema))
        if content.size > MAX_CARRIED_BYTES:
            problem = (
                f"the elements {part.start} to {part.end - 1} have {content.size} bytes, but a task brings at most "
                f"{MAX_CARRIED_BYTES} to an executor on another machine; pass a smaller max_rows or more tasks to "
                "to_streaming_dataframe"
            )
            raise with_details(PipelineError(problem, operator="to_streaming_dataframe", cause=problem))
        return CarriedRange(part.start, part.end, content)

    def commit(self, end: dict[str, Any]) -> None:
        """Let the driver drop a batch."""
        self.connection().call("commit", offset_in(end))

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Yield the batches of a task."""
        assert isinstance(partition, Range)
        if isinstance(partition, CarriedRange):
            import pyarrow as pa

            yield from pa.ipc.open_stream(partition.content)
            return
        client = BridgeClient(self.port, self.token)
        try:
            yield from client.read(partition.start, partition.end)
        finally:
            client.close()

    def stop(self) -> None:
        """Close the connection of the process that plans."""
        super().stop()
        if self.planner is not None:
            self.planner.close()


class FactoryReader(StreamReader):
    """Reads a replayable factory, wherever Spark plans and runs tasks."""

    def __init__(self, options: dict[str, str], schema: "StructType") -> None:
        super().__init__(options, schema)
        from pyspark import cloudpickle

        self.form: str = options["form"]
        self.factory: Callable[[int], Iterable[Any]] = cloudpickle.loads(base64.b64decode(options["factory"]))
        self.counted: OffsetTracker | None = None

    def plan(self, start: int, most_rows: int) -> int:
        """Count the elements."""
        if self.counted is None:
            self.counted = OffsetTracker(self.factory, form=self.form)
        try:
            return self.counted.plan(start, most_rows, self.wait_seconds, is_final=self.is_final)
        except Exception as error:
            raise with_details(stream_failure(error, element=start), error) from error

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Yield the batches of a task."""
        assert isinstance(partition, Range)
        freeze_heap()
        taken = TakenElements(self.factory, partition.start, partition.end)
        encoder = RowEncoder(self.schema)
        try:
            yield from encoder.encode(taken)
        except RowEncodingError as error:
            position, found = first_mismatch(encoder, taken.recent, error)
            raise with_details(schema_mismatch(taken.number - len(taken.recent) + position, found)) from found
        except Exception as error:
            raise with_details(stream_failure(error, element=taken.number), error) from error

    def stop(self) -> None:
        """End the thread that counts."""
        super().stop()
        if self.counted is not None:
            self.counted.stop()


class TakenElements:
    """The elements of a range of a factory."""

    def __init__(self, factory: Callable[[int], Iterable[Any]], start: int, end: int) -> None:
        self.factory = factory
        self.start = start
        self.end = end
        self.number: int = start
        self.recent: deque[Any] = deque(maxlen=ENCODED_BATCH_ROWS)
        """Elements that the encoder may have taken and not yet encoded."""

    def __iter__(self) -> Iterator[Any]:
        for element in islice(self.factory(self.start), self.end - self.start):
            self.number += 1
            self.recent.append(element)
            yield element
        if self.number < self.end:
            raise ReplayError(
                f"the factory returned the elements {self.start} to {self.end - 1} when the batch was planned, but now "
                f"ends before element {self.number}; it must return the same elements for the same offset each time"
            )


class FilesReader(DataSourceReader):
    """Reads the Arrow files of `to_dataframe`, one per partition, in order."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.version: SentVersion = SentVersion()

    def partitions(self) -> list[InputPartition]:
        """Return the files."""
        return [InputPartition(str(path)) for path in sorted(Path(self.folder).glob("*.arrow"))]

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """Yield the batches of a file."""
        import pyarrow as pa

        if partition.value is None:
            # Spark replaces an empty list of partitions by this one: the stream was empty.
            return
        with pa.OSFile(partition.value) as file, pa.ipc.open_stream(file) as batches:
            yield from batches


def offset_in(offset: dict[str, Any]) -> int:
    """Return the number in an offset of Spark's checkpoint.

    Raises:
        PipelineError: The offset belongs to another source.
    """
    number = offset.get(OFFSET_KEY)
    if not isinstance(number, int):
        other = ReplayError(
            f"the checkpoint has the offset {offset!r}, which belongs to another kind of source; use the checkpoint of "
            "this query, or a new folder"
        )
        raise with_details(PipelineError(str(other), operator="to_streaming_dataframe", cause=str(other))) from other
    return number
