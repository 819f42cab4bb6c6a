"""Makes the data source of our streams known to a session."""

from typing import TYPE_CHECKING, TypeGuard

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.sessions.running_session import is_connect_session
from reactivestreams.spark.sessions.worker_path import share_path_with_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["checked_session", "is_classic", "register_source"]


def checked_session(value: object) -> "SparkSession":
    """Return a session that was given, or the running one.

    Raises:
        ArgumentTypeError: The value is no session.
        SparkUnavailableError: PySpark is missing or of an unsupported version.
    """
    require_spark()
    from pyspark.sql import SparkSession

    if value is None:
        from reactivestreams.spark.sessions.session import session

        return SparkSession.getActiveSession() or session()
    if is_classic(value) or is_connect_session(value):
        return value
    raise ArgumentTypeError(f"session must be a SparkSession, got {value!r:.200}; pass what session() returns")


def is_classic(session: object) -> "TypeGuard[SparkSession]":
    """Tell whether a session is one of classic Spark, whose driver is this process."""
    from pyspark.sql import SparkSession

    return isinstance(session, SparkSession) and hasattr(session, "_jvm")


def register_source(session: "SparkSession") -> None:
    """Make the data source known to a session, and this package to its workers."""
    from reactivestreams.spark.sinks.stream_data_source import StreamDataSource

    if is_classic(session):
        share_path_with_workers(session)
    session.dataSource.register(StreamDataSource)
