"""The running Spark session of this process: classic, Spark Connect, or none."""

import os
import sys
from typing import TYPE_CHECKING, Any, TypeGuard

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import SessionKindError
from reactivestreams.spark.jvm_calls import default_connect_session, endpoint_of, running_context

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["channel_builder", "connect_session", "is_connect_session", "running_classic", "running_connect"]

CONNECT_MARKS = ("SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "SPARK_CONNECT_MODE_ENABLED")
"""Variables in which PySpark records that this process uses Spark Connect."""


def running_classic() -> "SparkSession | None":
    """Return the classic session of this process, or None.

    Raises:
        SessionKindError: This process uses Spark Connect.
    """
    from pyspark.sql import SparkSession

    if connect_session() is not None:
        raise SessionKindError(
            "a session of Spark Connect runs in this process, and PySpark supports one kind of session per process; "
            "get it with session(..., connect=True), call its stop() first, or start the classic session in another "
            "process"
        )
    if os.environ.get("SPARK_REMOTE"):
        raise SessionKindError(
            f"SPARK_REMOTE is {os.environ['SPARK_REMOTE']!r}, so every session of this process uses Spark "
            "Connect; pass that address to session(), or unset the variable"
        )
    # Variables of a stopped Connect session would send the builder to its server.
    for name in CONNECT_MARKS:
        os.environ.pop(name, None)
    # From the context, because the active session is stored per thread, and this may be another thread.
    return None if running_context() is None else SparkSession.builder.getOrCreate()


def running_connect(address: str | None = None) -> "SparkSession | None":
    """Return the Spark Connect session of this process, or None.

    Args:
        address: Ignore sessions of servers at other addresses.

    Raises:
        SessionKindError: A classic session runs in this process.
    """
    found = connect_session()
    if found is None and running_context() is not None:
        raise SessionKindError(
            "a classic session runs in this process, and PySpark supports one kind of session per process; call its "
            "stop() first, or use Spark Connect in another process"
        )
    if found is None or address is None or endpoint_of(found) == channel_builder(address).endpoint:
        return found
    return None


def is_connect_session(session: object) -> "TypeGuard[SparkSession]":
    """Return whether a session belongs to Spark Connect, without importing the packages of Connect."""
    module = sys.modules.get("pyspark.sql.connect.session")
    return module is not None and isinstance(session, module.SparkSession)


def connect_session() -> "SparkSession | None":
    """Return the Spark Connect session of this process, without importing the packages of Connect."""
    module = sys.modules.get("pyspark.sql.connect.session")
    if module is None:
        return None
    found: SparkSession | None = default_connect_session(module.SparkSession)
    return None if found is None or found.is_stopped else found


def channel_builder(address: str) -> Any:
    """Return PySpark's channel builder for an address.

    Raises:
        ArgumentError: It is not a Spark Connect address.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.client import DefaultChannelBuilder

    try:
        return DefaultChannelBuilder(address)
    except (PySparkException, ValueError) as error:
        raise ArgumentError(
            f"{without_secrets(address)!r} is not a Spark Connect address: {first_line(error)}; write it such as "
            "'sc://host:15002'"
        ) from error


def without_secrets(address: str) -> str:
    """Return an address without its parameters, which may contain a token."""
    return address.partition(";")[0]
