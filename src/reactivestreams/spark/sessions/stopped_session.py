"""Whether a Spark session was stopped, which Spark's own parts tell late and in many ways."""

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SESSION_STOPPED", "is_stopped", "is_stopped_soon"]

SESSION_STOPPED = "the Spark session of this DataFrame was stopped; make the DataFrame again in a running session"
"""What who reads a DataFrame is told."""

CHANNEL_CLOSED = "Channel closed!"
"""What gRPC says of the calls that run on a channel when it is closed."""

SESSION_CLOSED = "[INVALID_HANDLE.SESSION_CLOSED]"
"""How a server of Spark Connect answers the calls, and ends the queries, of a session that it has released."""

CLOSING_SECONDS = 2.0
POLL_SECONDS = 0.02


def is_stopped(session: "SparkSession", error: BaseException | None = None) -> bool:
    """Tell whether a session, classic or of Spark Connect, was stopped, or is just being stopped; may block shortly.

    Args:
        session: The session.
        error: What a call to it has raised, or a query of it has failed with, if one has.
    """
    from py4j.protocol import Py4JError
    from pyspark.sql.session import SparkSession as ClassicSession

    if not isinstance(session, ClassicSession):
        # stop() releases the session on the server, closes the channel, waits for the calls that run on it, and says
        # only then that the session is stopped.
        return bool(session.is_stopped) or SESSION_CLOSED in str(error) or is_of_closed_channel(error)
    # PySpark forgets its context when the JVM's has ended; the jobs that end with it fail before that.
    context = session.sparkContext._jsc
    if context is None:
        return True
    try:
        return bool(context.sc().isStopped())
    except (Py4JError, OSError):
        return True  # nobody answers: the JVM has ended


def is_stopped_soon(session: "SparkSession", error: Exception) -> bool:
    """Tell whether a call has failed because its session is being stopped, which Spark Connect says a little later.

    Args:
        session: The session of the call.
        error: What the call has raised.
    """
    deadline = time.monotonic() + CLOSING_SECONDS
    while not is_stopped(session, error):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def is_of_closed_channel(error: BaseException | None) -> bool:
    """Tell whether a call of Spark Connect has raised an error because this process had closed the channel."""
    import grpc

    if type(error) is ValueError:
        return True  # the call began after that; gRPC raises no plain ValueError for another reason
    # The call ran. PySpark raises an error of its own, without a cause, where it could not call again.
    call: Any = error if isinstance(error, grpc.Call) else error and error.__context__
    if not isinstance(call, grpc.Call):
        return False
    return call.code() is grpc.StatusCode.CANCELLED and CHANNEL_CLOSED in call.details()
