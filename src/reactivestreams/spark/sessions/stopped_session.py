"""Detecting that a Spark session was stopped, which Spark reports late and in many ways."""

import time
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.jvm_calls import is_context_stopped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SESSION_STOPPED", "is_stopped", "is_stopped_soon"]

SESSION_STOPPED = "the Spark session of this DataFrame was stopped; make the DataFrame again in a running session"
"""The message for readers of a DataFrame."""

CHANNEL_CLOSED = "Channel closed!"
"""gRPC's message for running calls on a channel that is closed."""

SESSION_CLOSED = "[INVALID_HANDLE.SESSION_CLOSED]"
"""The answer of a Spark Connect server to calls and queries of a released session."""

CLOSING_SECONDS = 2.0
POLL_SECONDS = 0.02


def is_stopped(session: "SparkSession", error: BaseException | None = None) -> bool:
    """Return whether a session, classic or of Spark Connect, was stopped or is being stopped; may block shortly.

    Args:
        session: The session.
        error: The error of a call or of a query, if there is one.
    """
    from pyspark.sql.session import SparkSession as ClassicSession

    if not isinstance(session, ClassicSession):
        # stop() releases the session on the server, closes the channel, waits for the calls that run on it, and says
        # only then that the session is stopped.
        return bool(session.is_stopped) or SESSION_CLOSED in str(error) or is_of_closed_channel(error)
    return is_context_stopped(session)


def is_stopped_soon(session: "SparkSession", error: Exception) -> bool:
    """Return whether a call failed because its session is being stopped, which Spark Connect reports a little later.

    Args:
        session: The session of the call.
        error: The error of the call.
    """
    deadline = time.monotonic() + CLOSING_SECONDS
    while not is_stopped(session, error):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def is_of_closed_channel(error: BaseException | None) -> bool:
    """Return whether a call of Spark Connect failed because this process had closed the channel."""
    import grpc

    if type(error) is ValueError:
        return True  # the call began after the close; gRPC raises a plain ValueError only for this reason
    # The call ran during the close. PySpark raises its own error, without a cause, if it cannot repeat a call.
    call: Any = error if isinstance(error, grpc.Call) else error and error.__context__
    if not isinstance(call, grpc.Call):
        return False
    return call.code() is grpc.StatusCode.CANCELLED and CHANNEL_CLOSED in call.details()
