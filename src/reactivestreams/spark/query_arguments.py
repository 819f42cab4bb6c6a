"""What all functions share that start streaming queries: their arguments, state, and the end of a query.

A task commits the state of its partition after it has read the whole partition, and Spark commits the batch when the
batch function returns. If the function leaves rows unread, their state is missing and the query can never continue,
neither after this batch nor from the one before. So unread rows are computed before the function returns.

Spark does not stop queries with their session: a stream thread that waits for rows runs for ever, and the query remains
active. So the thread is interrupted through the JVM, because PySpark does not expose it.
"""

import os
import re
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.failures import failure_summary
from reactivestreams.spark.jvm_calls import has_jvm, stream_thread
from reactivestreams.spark.sessions.stopped_session import is_stopped_soon
from reactivestreams.spark.storage.file_system import file_system, require_answer
from reactivestreams.spark.storage.shared_storage import require_shared
from reactivestreams.spark.storage.spark_path import spark_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

__all__ = [
    "QueryArguments",
    "checked_arguments",
    "checked_folder",
    "compute",
    "end_query",
    "is_stateful",
    "source_names",
]

OUTPUT_MODES = ("append", "update", "complete")
"""Spark's output modes."""


@dataclass(frozen=True)
class QueryArguments:
    """The checked arguments that all functions share that start a query.

    Attributes:
        checkpoint: Folder of the checkpoint, as a URI.
        trigger: Arguments of Spark's `trigger`.
        name: Name of the query, or None.
        output_mode: Spark's output mode.
    """

    checkpoint: str
    trigger: dict[str, Any]
    name: str | None
    output_mode: str

    def writer(self, df: "DataFrame") -> "DataStreamWriter":
        """Return Spark's description of a query with these arguments, without its batch function."""
        writer = df.writeStream.outputMode(self.output_mode).trigger(**self.trigger)
        writer = writer.option("checkpointLocation", self.checkpoint)
        return writer if self.name is None else writer.queryName(self.name)


def checked_arguments(
    df: "DataFrame",
    *,
    checkpoint: object,
    trigger: object,
    name: object,
    output_mode: object,
    output_modes: Sequence[str] = OUTPUT_MODES,
) -> QueryArguments:
    """Check the arguments that all functions share that start a query.

    Args:
        df: The streaming DataFrame.
        checkpoint: As the user gave it.
        trigger: As the user gave it.
        name: As the user gave it.
        output_mode: As the user gave it.
        output_modes: The allowed output modes.

    Raises:
        ArgumentTypeError: One has the wrong type.
        ArgumentError: One has an invalid value, or the executors do not see the checkpoint.
    """
    return QueryArguments(
        checkpoint=checked_folder("checkpoint", checkpoint, df.sparkSession),
        trigger=checked_trigger(trigger, df),
        name=checked_name(name),
        output_mode=checked_choice("output_mode", output_mode, output_modes),
    )


def checked_folder(name: str, value: object, session: "SparkSession") -> str:
    """Check the path or the URI of a folder, and return its URI: an absolute path of this machine becomes `file:///...`.

    Raises:
        ArgumentTypeError: It is not a path.
        ArgumentError: It is empty, a file, not reachable by Spark, or on a disk that the executors do not see.
    """
    if not isinstance(value, str | os.PathLike):
        raise ArgumentTypeError(f"{name} must be a path, got {value!r}; pass a text or a pathlib.Path")
    text = os.fspath(value)
    if not isinstance(text, str) or not text:
        raise ArgumentError(f"{name} must be the path of a folder, got {value!r}; pass a text such as '/data/out'")
    scheme, mark, rest = text.partition(":/")
    if mark and len(scheme) > 1:
        if scheme != "file":
            uri = text.rstrip("/")
            try:
                require_answer(uri, session)
                files = file_system(uri, session)
                # A listing: a store that refuses one says why, and where a file is asked for no more than 403. Connect
                # reads where it lists.
                ask = files.names if has_jvm(session) else files.read
                ask(f"{uri}/metadata")
            except Exception as error:
                raise ArgumentError(
                    f"{name} must be on a file system that Spark reaches, got {text!r}: "
                    f"{failure_summary(error.__cause__ or error)}; correct the URI, or start the session with the "
                    "archive of that file system (spark.jars.packages) and with what it needs to log in"
                ) from error
            return uri
        text = urllib.parse.unquote("/" + rest.lstrip("/"))
    path = Path(text).resolve()
    if path.exists() and not path.is_dir():
        raise ArgumentError(f"{name} names {path}, which is a file; pass the path of a folder")
    require_shared(path, session, name=name)
    return spark_path(path)


def checked_trigger(trigger: object, df: "DataFrame") -> dict[str, Any]:
    """Check the argument `trigger` of a function that starts a query, and return the arguments of Spark's `trigger`.

    Args:
        trigger: None to start each micro-batch at once, `"available_now"`, or an interval such as `"5 seconds"`.
        df: The streaming DataFrame, whose Spark parses the interval.

    Raises:
        ArgumentTypeError: It is neither None nor a text.
        ArgumentError: Spark does not accept the text as an interval.
    """
    if trigger is None:
        return {"processingTime": "0 seconds"}
    if not isinstance(trigger, str):
        raise ArgumentTypeError(
            f"trigger must be None or a str, got {trigger!r}; pass 'available_now' or an interval such as '5 seconds'"
        )
    if trigger == "available_now":
        return {"availableNow": True}
    try:
        df.writeStream.trigger(processingTime=trigger)
    except Exception as error:
        raise ArgumentError(
            f"trigger must be None, 'available_now' or an interval, got {trigger!r}; write it such as '5 seconds'"
        ) from error
    return {"processingTime": trigger}


def checked_name(name: object) -> str | None:
    """Check the argument `name` of a function that starts a query, and return it; None means no name.

    Raises:
        ArgumentTypeError: It is neither None nor a text.
        ArgumentError: It is empty or blank.
    """
    if name is None:
        return None
    if not isinstance(name, str):
        raise ArgumentTypeError(f"name must be None or a str, got {name!r}; pass a text such as 'flights'")
    if not name.strip():
        raise ArgumentError(f"name must not be empty, got {name!r}; leave it out for a query without a name")
    return name


THREAD_TIMEOUT_SECONDS = 60.0
"""Longest wait for the stream thread of a stopped session, which may be running a batch function."""


def end_query(query: "StreamingQuery", session: "SparkSession") -> None:
    """Stop a query and wait until it has ended. Further calls do nothing.

    Args:
        query: Spark's handle.
        session: Its session.

    Raises:
        Exception: Spark could not stop a query of a running session.
    """
    try:
        query.stop()
    except Exception as error:
        if not is_stopped_soon(session, error):
            raise
        # stop() has marked the query as ending, and then failed to cancel jobs of a stopped context.
        await_thread(query)


def await_thread(query: "StreamingQuery") -> None:
    """Interrupt the stream thread of a query and wait for its end."""
    from py4j.protocol import Py4JError

    try:
        thread = stream_thread(query)
        if thread is not None:  # with Spark Connect the server ends queries together with their session
            thread.interrupt()
            thread.join(int(THREAD_TIMEOUT_SECONDS * 1000))
    except (Py4JError, OSError):
        return  # the JVM has ended, and its threads with it


SHOWN_SOURCE = re.compile(r"^[\s:+|~-]*(StreamingRelation\w*)", re.MULTILINE)
"""A streaming leaf in the text of a plan."""

STATE_MARK = "state info ["
"""What the physical plan shows for each operator with state, of Spark and of keyed pipelines."""


def is_stateful(plans: str) -> bool:
    """Return whether a streaming query has state that lasts over micro-batches.

    Args:
        plans: The result of `shown_plan`.
    """
    return STATE_MARK in plans


def source_names(plans: str) -> list[str]:
    """Return the kinds of the sources of a streaming query.

    Args:
        plans: The result of `shown_plan`.
    """
    _, _, analyzed = plans.partition("== Analyzed Logical Plan ==")
    return SHOWN_SOURCE.findall(analyzed.partition("\n== ")[0])


def compute(dataframe: "DataFrame") -> None:
    """Compute all rows and discard them."""
    dataframe.write.format("noop").mode("overwrite").save()
