"""A stream as the source of a Spark streaming query."""

import atexit
import base64
import itertools
import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.bridge.bridge_server import BridgeServer
from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.errors import NotSerializableError
from reactivestreams.spark.guarantees import GUARANTEE_OPTION, SOURCE_GUARANTEES, mark_source
from reactivestreams.spark.plan.result_schema import checked_schema
from reactivestreams.spark.plan.serialization import why_not_picklable
from reactivestreams.spark.sinks.register_source import checked_session, register_source
from reactivestreams.spark.storage.shared_storage import has_driver_here, require_shared, runs_on_one_machine
from reactivestreams.spark.storage.write_ahead_log import ELEMENT_FORMS, WriteAheadLog
from reactivestreams.spec import Publisher
from rs_core.interp.deferred_functions import deferred_kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = [
    "DEFAULT_MAX_ROWS",
    "DEFAULT_WAIT_SECONDS",
    "LiveSource",
    "close_bridge",
    "to_streaming_dataframe",
]

DEFAULT_MAX_ROWS = 10_000
"""Maximum number of rows of a micro-batch."""

MOST_MAX_ROWS = 100_000_000
MAX_TASKS = 1_024

DEFAULT_WAIT_SECONDS = 0.1
"""How long a trigger waits for a full micro-batch."""

MAX_WAIT_SECONDS = 60.0

Factory = Callable[[int], Iterable[Any]]

numbers: "itertools.count[int]" = itertools.count(1)
open_sources: "dict[int, LiveSource]" = {}
"""The live sources of this process, by the id of the returned DataFrame, which each source references."""


def to_streaming_dataframe(
    stream_or_factory: "Publisher[Any] | Factory",
    schema: "str | StructType | type",
    *,
    session: "SparkSession | None" = None,
    max_rows: int = DEFAULT_MAX_ROWS,
    log: "str | os.PathLike[str] | WriteAheadLog | None" = None,
    as_: str = "rows",
    tasks: int = 1,
    wait_seconds: float = DEFAULT_WAIT_SECONDS,
) -> "DataFrame":
    """Return a streaming DataFrame whose rows are the elements of a stream.

    A *live* source, a Stream or any other Publisher, stays in this process; Spark's workers reach it over a local
    socket that requires a token. On a cluster only the worker that plans does, which runs next to this process, and the
    rows travel to the executors with the plan. A *factory* is a function that takes a number n and returns the elements
    from number n on, the same each time; it is sent to the workers, which call it themselves.

    An offset of the query is the number of elements before it.

    Args:
        stream_or_factory: The stream, or the factory: a function from an offset to a Stream or another iterable.
        schema: Columns of the rows, as a text such as `"id bigint, name string"`, a `StructType`, or a dataclass, named
            tuple, typed dict or model of pydantic, whose type hints are the columns.
        session: The session; None means the running session, or a new one.
        max_rows: Maximum number of rows of a micro-batch, from 1 to 100,000,000.
        log: The write-ahead log of a live source, or its folder. Without a log the elements of an unfinished batch are
            lost when this process dies.
        as_: `"rows"` if an element is one row (a tuple, list, dict, Row or object of a class as above), `"batches"` if
            it is an Arrow batch.
        tasks: Number of tasks that read a micro-batch, 1 to 1,024, in the order of the elements.
        wait_seconds: How long a trigger waits for a full micro-batch, above 0 and at most 60.

    Returns:
        A streaming DataFrame. A live source serves one query, started once; `close_bridge` ends the source.

    Raises:
        ArgumentError: A value is out of range, `log` is given with a factory, or is a folder that only this machine of
            a cluster has, or a live stream is given and the Spark Connect server runs on another machine.
        ArgumentTypeError: An argument has the wrong type.
        NotSerializableError: The factory cannot be sent to another process.
        FolderInUseError: The log is in use.
        WriteAheadLogError: The log is damaged, or belongs to another stream.

    Demand: A live source is subscribed once, when the first micro-batch is planned. From then on `request(n)` requests
        the free rows of the planned micro-batch and, without a log, also of the next one while Spark processes the
        planned one. Arrow batches are requested one by one.
    Errors: If the stream fails, the query fails with `PipelineError` after the elements before it. The query also fails
        on an element that does not fit the schema, which is named by number and column, and on an element beyond the
        demand (§1.1). If the publisher is silent, micro-batches contain what has arrived; under the trigger
        availableNow a silence of two seconds counts as the end.
    State: Memory holds the elements of the micro-batch that Spark processes, and those that have arrived for the next.
        A log holds those of the last two micro-batches. Without a log an unfinished batch cannot be read again after a
        restart. With a log a crash loses elements that were delivered and not yet logged, unless the publisher resumes
        at `WriteAheadLog.end_offset`.
    Threads: A live source is subscribed and requested in its own thread; its signals may arrive in any thread.

    Example:
        See the guide on sinks.
    """
    form = checked_choice("as_", as_, ELEMENT_FORMS)
    size = checked_count(
        max_rows, operator="to_streaming_dataframe", name="max_rows", at_least=1, at_most=MOST_MAX_ROWS
    )
    parts = checked_count(tasks, operator="to_streaming_dataframe", name="tasks", at_least=1, at_most=MAX_TASKS)
    wait = checked_wait(wait_seconds)
    is_live = isinstance(stream_or_factory, Publisher)
    if not is_live:
        require_factory(stream_or_factory, log)
    spark = checked_session(session)
    if is_live and not has_driver_here(spark):
        raise ArgumentError(
            "a live stream is read over the loopback address by a process next to the driver, but the driver is the "
            f"Spark Connect server on another machine, {spark.client.host}; pass a replayable factory, which the "
            "executors call, or use a classic session"
        )
    columns = checked_schema(schema)
    options = {"max_rows": str(size), "tasks": str(parts), "wait_seconds": repr(wait), "form": form}
    register_source(spark)
    if not is_live:
        from pyspark import cloudpickle

        options["factory"] = base64.b64encode(cloudpickle.dumps(stream_or_factory)).decode()
        return loaded(spark, columns, options, "factory")
    source = LiveSource(stream_or_factory, columns, form=form, log=log, session=spark)
    try:
        options |= {"port": str(source.server.port), "token": source.server.token}
        if not runs_on_one_machine(spark):
            options["carried"] = "yes"
        df = loaded(spark, columns, options, "live" if log is None else "log")
    except BaseException:
        source.close()
        raise
    source.dataframe = df
    open_sources[id(df)] = source
    return df


def loaded(spark: "SparkSession", schema: "StructType", options: dict[str, str], kind: str) -> "DataFrame":
    """Return a DataFrame of the data source with the given options."""
    reader = spark.readStream.format("reactivestreams").schema(schema).options(**options, **{GUARANTEE_OPTION: kind})
    df = reader.load()
    mark_source(df, SOURCE_GUARANTEES[kind])
    return df


class LiveSource:
    """A live publisher with its bridge and its log. Any thread may close it.

    Args:
        publisher: The publisher.
        schema: Schema of its rows.
        form: One of `ELEMENT_FORMS`.
        log: The log, its folder, or None.
        session: The session.
    """

    def __init__(
        self,
        publisher: Any,
        schema: "StructType",
        *,
        form: str,
        log: "str | os.PathLike[str] | WriteAheadLog | None",
        session: "SparkSession",
    ) -> None:
        self.dataframe: DataFrame | None = None
        self.guard: threading.Lock = threading.Lock()
        self.own_log: WriteAheadLog | None = None
        self.server: BridgeServer
        if log is not None and not isinstance(log, WriteAheadLog):
            log = self.own_log = WriteAheadLog(log)
        name = f"reactivestreams-bridge-{next(numbers)}"
        try:
            if log is not None:
                require_shared(log.folder, session, name="log")
            self.elements: LivePublisherBuffer = LivePublisherBuffer(
                publisher, schema, form=form, log=log, name=f"{name}-requests"
            )
            if log is not None:
                log.require_fit(self.elements.encoder.arrow, form)
            self.server = BridgeServer(self.elements, name=name)
        except BaseException:
            self.free_log()
            raise
        atexit.register(self.close)

    def close(self) -> None:
        """Cancel the publisher, end the bridge and release the log. Further calls do nothing."""
        atexit.unregister(self.close)
        if self.dataframe is not None:
            open_sources.pop(id(self.dataframe), None)
        self.elements.close()
        self.server.close()
        self.free_log()

    def free_log(self) -> None:
        """Close the log, unless the user opened it."""
        with self.guard:
            log, self.own_log = self.own_log, None
        if log is not None:
            log.close()


def close_bridge(df: "DataFrame") -> None:
    """End the live source of a DataFrame: cancel it, close its socket, release its log.

    The call does nothing for other DataFrames, and if the source was closed before. All sources are closed when the
    process ends.

    Args:
        df: The result of `to_streaming_dataframe`. A query that still reads it fails.

    Threads: May be called in any thread; it waits a few seconds at most.
    """
    source = open_sources.get(id(df))
    if source is not None:
        source.close()


def checked_wait(value: object) -> float:
    """Check the argument `wait_seconds`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(f"wait_seconds must be a number, got {value!r}; pass seconds, such as 0.1")
    if not 0 < value <= MAX_WAIT_SECONDS:
        raise ArgumentError(
            f"wait_seconds must be above 0 and at most {MAX_WAIT_SECONDS:g}, got {value}; pass seconds, such as 0.1"
        )
    return float(value)


def require_factory(value: object, log: object) -> None:
    """Check that an argument is a factory that can be pickled, and that it has no log."""
    if not callable(value):
        raise ArgumentTypeError(
            f"stream_or_factory must be a Stream, another Publisher, or a function from an offset to the elements from "
            f"there on, got {value!r:.200} ({type(value).__name__}); wrap an iterable with Stream.from_iterable"
        )
    kind = deferred_kind(value)
    if kind is not None:
        raise ArgumentTypeError(
            f"stream_or_factory must be a function that returns its elements, got the {kind} {value!r}; "
            "pass Stream.from_async_iterable(...) instead"
        )
    if log is not None:
        raise ArgumentError(
            f"log is for a live stream, got {log!r} with a factory, which can be read again; leave log out"
        )
    reason = why_not_picklable(value)
    if reason is not None:
        raise NotSerializableError(
            f"the factory {value!r:.200} cannot be sent to a worker: it is or contains an object that cannot be "
            f"pickled: {reason}; open files and connections inside the function, or pass the stream itself"
        )
