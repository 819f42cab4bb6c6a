"""A stream as a batch DataFrame."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark.bridge.failures import first_mismatch, schema_mismatch
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.plan.result_schema import checked_schema
from reactivestreams.spark.rows.row_encoding import RowEncoder
from reactivestreams.spark.sinks.register_source import checked_session, is_classic, register_source
from reactivestreams.spark.storage.shared_storage import require_shared, runs_on_one_machine
from reactivestreams.spark.storage.write_ahead_log import ELEMENT_FORMS
from reactivestreams.spec import Publisher
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["ELEMENTS_AHEAD", "MAX_SHIPPED_BYTES", "ROWS_A_FILE", "to_dataframe"]

ROWS_A_FILE = 250_000
"""Rows per file, and so per partition of the DataFrame; the last batch of a file may exceed it."""

ELEMENTS_AHEAD = 1_024
"""How many rows are prefetched; Arrow batches are requested one by one."""

MAX_SHIPPED_BYTES = 256 * 2**20
"""Most that a DataFrame without files may have, as Arrow: this process and Spark's driver both hold it."""

ENCODED_ROWS = 10_000


def to_dataframe(
    stream: "Publisher[Any]",
    schema: "str | StructType | type",
    *,
    session: "SparkSession | None" = None,
    as_: str = "rows",
    folder: str | os.PathLike[str] | None = None,
) -> "DataFrame":
    """Run a stream to its end and return its elements as a DataFrame.

    If the executors run on this machine, or `folder` names a folder that they see, the elements are written to Arrow
    files as they arrive, so memory holds at most some thousands of them. On a cluster and through Spark Connect they
    otherwise travel inside the DataFrame, and may have `MAX_SHIPPED_BYTES` at most. The rows of the DataFrame have the
    order of the elements.

    Args:
        stream: The stream, or another Publisher.
        schema: Columns of the rows, as a text such as `"id bigint, name string"`, a `StructType`, or a dataclass, named
            tuple, typed dict or model of pydantic, whose type hints are the columns.
        session: The session; None means the running session, or a new one.
        as_: `"rows"` if an element is one row (a tuple, list, dict, Row or object of a class as above), `"batches"` if
            it is an Arrow batch.
        folder: A folder that all executors can read; the files are written to a new folder inside it. On a cluster it
            must be declared with `spark.reactivestreams.sharedFolders`. None means the system's folder for temporary
            files if the executors run on this machine, else no files.

    Returns:
        A DataFrame, with one partition per file if there are files. They are removed when this process ends.

    Raises:
        ArgumentError: `as_`, the schema or the folder is not valid, or the executors do not see the folder.
        CapacityError: The elements are more than what a DataFrame without files may have.
        ArgumentTypeError: An argument has the wrong type.
        PipelineError: An element does not fit the schema; the message names its number and its column.
        Exception: The error of the stream.

    Demand: 1,024 rows are prefetched; Arrow batches are requested one by one.
    Errors: The files are removed when the stream fails.
    State: Nothing is saved.
    Threads: The caller runs the stream and waits for its end.

    Example:
        See the guide on sinks.
    """
    form = checked_choice("as_", as_, ELEMENT_FORMS)
    if not isinstance(stream, Publisher):
        raise ArgumentTypeError(
            f"stream must be a Stream or another Publisher, got {stream!r:.200} ({type(stream).__name__}); "
            "wrap an iterable with Stream.from_iterable"
        )
    parent = checked_parent(folder)
    spark = checked_session(session)
    columns = checked_schema(schema)
    if parent is not None:
        require_shared(Path(parent).resolve(), spark, name="folder")
    elif not (is_classic(spark) and runs_on_one_machine(spark)):
        return shipped(spark, elements_of(stream, form), columns, form)
    files = Path(tempfile.mkdtemp(prefix="reactivestreams-dataframe-", dir=parent))
    try:
        write_files(elements_of(stream, form), RowEncoder(columns), files, form)
        register_source(spark)
        df = spark.read.format("reactivestreams").schema(columns).option("folder", str(files)).load()
    except BaseException:
        shutil.rmtree(files, ignore_errors=True)
        raise
    atexit.register(shutil.rmtree, files, ignore_errors=True)
    return df


def checked_parent(folder: object) -> str | None:
    """Check the argument `folder`."""
    if folder is None:
        return None
    if not isinstance(folder, str | os.PathLike):
        raise ArgumentTypeError(f"folder must be a path, got {folder!r}; pass a text or a pathlib.Path")
    path = os.fspath(folder)
    if not isinstance(path, str) or not os.path.isdir(path):
        raise ArgumentError(f"folder names {path!r}, which is not a folder; make it, or leave the argument out")
    return path


def elements_of(stream: Any, form: str) -> Iterator[Any]:
    """Return an iterator over the elements of a publisher."""
    ahead = 1 if form == "batches" else ELEMENTS_AHEAD
    source: Stream[Any] = stream if isinstance(stream, Stream) else Stream.from_publisher(stream, prefetch=ahead)
    return source.iterate(prefetch=ahead)


def shipped(spark: "SparkSession", elements: Iterable[Any], columns: "StructType", form: str) -> "DataFrame":
    """Return a DataFrame that contains its elements.

    Raises:
        CapacityError: They have more than `MAX_SHIPPED_BYTES`.
    """
    import pyarrow as pa

    encoder = RowEncoder(columns)
    batches: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in encoded(elements, encoder, form):
        size += batch.nbytes
        rows += batch.num_rows
        if size > MAX_SHIPPED_BYTES:
            raise CapacityError(
                f"the first {rows} rows of the stream have {size} bytes, but without files a DataFrame takes at most "
                f"{MAX_SHIPPED_BYTES}, since the driver holds them; pass folder=, a folder that all executors can read"
            )
        batches.append(batch)
    return spark.createDataFrame(pa.Table.from_batches(batches, encoder.arrow), columns)


def write_files(elements: Iterable[Any], encoder: RowEncoder, folder: Path, form: str) -> None:
    """Write elements to files of bounded size, whose names sort in the order of the elements."""
    import pyarrow as pa

    batches = encoded(elements, encoder, form)
    batch = next(batches, None)
    number = 0
    while batch is not None:
        rows = 0
        path = folder / f"{number:08d}.arrow"
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, encoder.arrow) as writer:
            while batch is not None and rows < ROWS_A_FILE:
                writer.write_batch(batch)
                rows += batch.num_rows
                batch = next(batches, None)
        number += 1


def encoded(elements: Iterable[Any], encoder: RowEncoder, form: str) -> Iterator[Any]:
    """Yield the batches of elements; the error for an element that does not fit names its number."""
    size = 1 if form == "batches" else ENCODED_ROWS
    chunk: list[Any] = []
    first = 0
    for element in elements:
        chunk.append(element)
        if len(chunk) == size:
            yield from fitting(chunk, encoder, first)
            first += len(chunk)
            chunk = []
    yield from fitting(chunk, encoder, first)


def fitting(chunk: list[Any], encoder: RowEncoder, first: int) -> Iterator[Any]:
    """Yield the batches of a chunk."""
    try:
        yield from encoder.encode(chunk)
    except RowEncodingError as error:
        position, found = first_mismatch(encoder, chunk, error)
        raise schema_mismatch(first + position, found) from found
