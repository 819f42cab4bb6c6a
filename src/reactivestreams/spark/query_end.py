"""Ending a streaming query, also after its session was stopped.

Spark does not stop queries with their session: a stream thread that waits for rows runs for ever, and the query remains
active. So the thread is interrupted through the JVM, because PySpark does not expose it.
"""

from typing import TYPE_CHECKING

from reactivestreams.spark.jvm_calls import stream_thread
from reactivestreams.spark.sessions.stopped_session import is_stopped_soon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = ["end_query"]

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
