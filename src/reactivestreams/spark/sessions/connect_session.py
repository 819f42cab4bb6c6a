"""Sessions of Spark Connect, with a server at an address or a server of this process."""

import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import SparkConnectionError
from reactivestreams.spark.jvm_calls import connect_port, has_gateway
from reactivestreams.spark.sessions.launch import launch_environment
from reactivestreams.spark.sessions.running_session import channel_builder, connect_session, without_secrets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CONNECT_TIMEOUT_SECONDS", "connected_session", "served_session"]

CONNECT_TIMEOUT_SECONDS = 10.0
"""Longest wait until the server at an address answers."""

SERVER_SETTINGS: Mapping[str, str] = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.sql.artifact.isolation.enabled": "true",
    "spark.sql.artifact.isolation.alwaysApplyClassloader": "true",
    # Other machines cannot reach it, and several can run at the same time.
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
}
"""Options that make a session's JVM a Connect server."""

TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"

# One for the life of the process, because its JVM keeps its first environment.
token: str = secrets.token_hex(32)


def served_session(master: str, app_name: str, settings: Mapping[str, str]) -> "SparkSession":
    """Start a Connect server in a JVM of this process, and return a session of it. Its `stop()` stops both."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql.session import SparkSession as ClassicSession

    conf = SparkConf().setMaster(master).setAppName(app_name)
    for name, value in {**settings, **SERVER_SETTINGS}.items():
        conf.set(name, value)
    if has_gateway():
        # The JVM of an earlier session is used again. The token is not an option: lists of processes show options.
        conf.set("spark.connect.authenticate.token", token)
    with launch_environment(master, **{TOKEN: token}):
        server = ClassicSession(SparkContext(conf=conf))
    try:
        port = connect_port(server)
        # With this mark the stop() of a Connect session also stops the server.
        os.environ["SPARK_LOCAL_REMOTE"] = "1"
        runtime = {name: value for name, value in settings.items() if server.conf.isModifiable(name)}
        return connected_session(f"sc://localhost:{port}/;token={token}", app_name, runtime, CONNECT_TIMEOUT_SECONDS)
    except BaseException:
        os.environ.pop("SPARK_LOCAL_REMOTE", None)
        server.stop()
        raise


def connected_session(
    address: str, app_name: str, settings: Mapping[str, str], timeout_seconds: float
) -> "SparkSession":
    """Return a session of the Connect server at an address.

    Raises:
        ArgumentError: The address is not a Spark Connect address.
        SparkConnectionError: No server answers there in time, or it refuses.
    """
    import grpc
    from pyspark.errors import PySparkException
    from pyspark.sql.connect.session import SparkSession

    await_server(address, timeout_seconds)
    builder = SparkSession.builder.__class__().remote(address).appName(app_name)
    for name, value in settings.items():
        builder = builder.config(name, value)
    before, made = connect_session(), None
    try:
        made = builder.create()
        made.version  # noqa: B018  # the first call to the server
    except (PySparkException, grpc.RpcError) as error:
        # PySpark stores it as the session of this process, even if it is not returned.
        refused = connect_session() if made is None else made
        if refused is not None and refused is not before:
            discard(refused)
        raise SparkConnectionError(
            f"the server at {without_secrets(address)} refuses a session: {first_line(error)}; check the address, its "
            "token and its options"
        ) from error
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    session: SparkSession = made
    return session


def discard(session: Any) -> None:
    """Close a session that the server has refused, so that PySpark does not keep it as the session of this process."""
    session.release_session_on_close = False  # there is nothing to release, and PySpark would log the failure
    # With this mark the end of a session also ends the server of this process.
    mark = os.environ.pop("SPARK_LOCAL_REMOTE", None)
    try:
        session.stop()
    finally:
        if mark is not None:
            os.environ["SPARK_LOCAL_REMOTE"] = mark


def await_server(address: str, timeout_seconds: float) -> None:
    """Wait until a server answers at an address; PySpark would try for ten minutes.

    Raises:
        ArgumentError: The address is not a Spark Connect address.
        SparkConnectionError: No server answers there in time.
    """
    import grpc

    builder = channel_builder(address)
    with builder.toChannel() as channel:
        try:
            grpc.channel_ready_future(channel).result(timeout=timeout_seconds)
        except grpc.FutureTimeoutError:
            raise SparkConnectionError(
                f"no Spark Connect server answers at {builder.endpoint} within {timeout_seconds:g} s; start one there "
                "with Spark's sbin/start-connect-server.sh, correct the address, or start a server of this process "
                "with session(connect=True)"
            ) from None
