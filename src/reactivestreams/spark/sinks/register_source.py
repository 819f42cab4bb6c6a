"""Registers the data source `reactivestreams` in a session."""

from typing import TYPE_CHECKING, TypeGuard

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.jvm_calls import has_jvm
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.sessions.running_session import is_connect_session
from reactivestreams.spark.sessions.worker_path import share_path_with_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["checked_session", "is_classic", "register_source"]


def checked_session(value: object) -> "SparkSession":
    """Return the given session, or the running one.

    Raises:
        ArgumentTypeError: The value is not a session.
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
    """Return whether a session belongs to classic Spark, whose driver is this process."""
    from pyspark.sql import SparkSession

    return isinstance(session, SparkSession) and has_jvm(session)


def register_source(session: "SparkSession") -> None:
    """Register the data source in a session, and make this package importable in its workers."""
    from reactivestreams.spark.sinks.stream_data_source import StreamDataSource

    if is_classic(session):
        share_path_with_workers(session)
    session.dataSource.register(StreamDataSource)
