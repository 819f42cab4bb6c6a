"""Whether a Spark session was stopped, which Spark's own parts tell late and in many ways."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SESSION_STOPPED", "is_stopped", "is_stopped_soon"]

SESSION_STOPPED = "the Spark session of this DataFrame was stopped; make the DataFrame again in a running session"
"""What who reads a DataFrame is told."""

CLOSING_SECONDS = 2.0
POLL_SECONDS = 0.02


def is_stopped(session: "SparkSession") -> bool:
    """Tell whether a session, classic or of Spark Connect, was stopped, or is just being stopped; may block shortly."""
    from py4j.protocol import Py4JError
    from pyspark.sql.session import SparkSession as ClassicSession

    if not isinstance(session, ClassicSession):
        return bool(session.is_stopped)
    # PySpark forgets its context when the JVM's has ended; the jobs that end with it fail before that.
    context = session.sparkContext._jsc
    if context is None:
        return True
    try:
        return bool(context.sc().isStopped())
    except (Py4JError, OSError):
        return True  # nobody answers: the JVM has ended


def is_stopped_soon(session: "SparkSession") -> bool:
    """Tell whether a call has failed because its session is being stopped, which Spark Connect says a little later."""
    deadline = time.monotonic() + CLOSING_SECONDS
    while not is_stopped(session):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
