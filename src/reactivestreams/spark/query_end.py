"""The end of a streaming query, also of one whose session was stopped before.

Spark does not stop queries with their session: a stream thread that waits for rows goes on for good, and the query
calls itself active. Here it is ended through its thread, which PySpark does not show.
"""

from typing import TYPE_CHECKING

from reactivestreams.spark.sessions.stopped_session import is_stopped_soon

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = ["end_query"]

THREAD_TIMEOUT_SECONDS = 60.0
"""Longest wait for the stream thread of a stopped session, which may be in the midst of a batch function."""


def end_query(query: "StreamingQuery", session: "SparkSession") -> None:
    """Stop a query and wait until it has ended; may be called again.

    Args:
        query: Spark's handle.
        session: Its session.

    Raises:
        Exception: What Spark raises where it cannot stop a query of a session that runs.
    """
    try:
        query.stop()
    except Exception as error:
        if not is_stopped_soon(session, error):
            raise
        # The query has noted that it is to end, and then failed to cancel jobs of a context that is gone.
        await_thread(query)


def await_thread(query: "StreamingQuery") -> None:
    """Interrupt the stream thread of a query and wait for its end."""
    from py4j.protocol import Py4JError

    wrapper = getattr(query, "_jsq", None)
    if wrapper is None:
        return  # of Spark Connect: the server ends the queries of a session with it
    try:
        thread = wrapper.streamingQuery().queryExecutionThread()
        thread.interrupt()
        thread.join(int(THREAD_TIMEOUT_SECONDS * 1000))
    except (Py4JError, OSError):
        return  # the JVM has ended, and its threads with it
