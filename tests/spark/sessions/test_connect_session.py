"""Sessions of Spark Connect: a server of one's own, addresses, and what cannot be mixed."""

import importlib
import os
import socket
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import SessionKindError, SparkConnectionError, SparkUnavailableError, session
from reactivestreams.spark.requirements import require_connect
from reactivestreams.spark.sessions import connect_session
from reactivestreams.spark.sessions.connect_session import connected_session
from tests.spark.in_process import SparkProcess, run_in_process

pytestmark = pytest.mark.spark


def told(error: type[Exception], *arguments: Any, **more: Any) -> str:
    """Return what `session` says when it refuses."""
    try:
        session(*arguments, **more)
    except error as refused:
        return str(refused)
    return "nothing"


def lookups(spark: Any) -> dict[str, Any]:
    endpoint = spark.client._builder.endpoint
    again = session(connect=True, config={"spark.sql.shuffle.partitions": "3"})
    partitions = again.conf.get("spark.sql.shuffle.partitions")
    again.conf.set("spark.sql.shuffle.partitions", "1")
    return {
        "again": again is spark,
        "at_the_address": session(f"sc://{endpoint}") is spark,
        "partitions": partitions,
        "classic": told(SessionKindError),
    }


def test_running_session_of_connect_is_taken_and_no_classic_one_started(connect: SparkProcess) -> None:
    found = connect.run(lookups)

    classic = found.pop("classic")
    assert found == {"again": True, "at_the_address": True, "partitions": "3"}
    assert classic.startswith("a session of Spark Connect runs in this process")
    assert "session(..., connect=True)" in classic


def strangers(spark: Any) -> dict[str, Any]:
    endpoint = spark.client._builder.endpoint
    refusals = {}
    for name, parameters in (("wrong", "/;token=wrong"), ("none", "")):
        try:
            connected_session(f"sc://{endpoint}{parameters}", "stranger", {}, 10.0)
        except SparkConnectionError as error:
            refusals[name] = str(error)
    listed = subprocess.run(["ps", "-eww", "-o", "args"], capture_output=True, text=True, check=True).stdout
    return {
        "refusals": refusals,
        "host": endpoint.rpartition(":")[0],
        "token_is_listed": connect_session.token in listed,
        "server_is_listed": "org.apache.spark.sql.connect.SparkConnectPlugin" in listed,
        "still_works": spark.range(3).count(),
    }


def test_server_of_ones_own_refuses_strangers(connect: SparkProcess) -> None:
    found = connect.run(strangers)

    refusals = found.pop("refusals")
    assert found == {"host": "localhost", "token_is_listed": False, "server_is_listed": True, "still_works": 3}
    assert set(refusals) == {"wrong", "none"}
    assert all("refuses a session" in text and "wrong" not in text for text in refusals.values())


def endpoint_and_token(spark: Any) -> list[str]:
    return [spark.client._builder.endpoint, connect_session.token]


def after_a_refusal(_: None, endpoint: str, token: str) -> dict[str, Any]:
    refusal = told(SparkConnectionError, f"sc://{endpoint}/;token=wrong")
    running = session(f"sc://{endpoint}/;token={token}")
    again = session(f"sc://{endpoint}/;token={token}")
    found = {"refusal": refusal, "rows": running.range(3).count(), "again": again is running}
    running.stop()
    return found


def test_refused_session_is_not_taken_for_the_one_of_the_process(connect: SparkProcess) -> None:
    endpoint, token = connect.run(endpoint_and_token)

    found = run_in_process(after_a_refusal, endpoint, token, kind="none")

    assert "refuses a session" in found.pop("refusal")
    assert found == {"rows": 3, "again": True}


def one_after_the_other(_: None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, connect in (("first", True), ("classic", False), ("second", True)):
        running = session("local[1]", fast=True, connect=connect)
        found[name] = [running.range(4).count(), type(running).__module__]
        if name == "classic":
            found["mixed"] = told(SessionKindError, connect=True)
        running.stop()
    os.environ["SPARK_REMOTE"] = "sc://elsewhere"
    found["remote"] = told(SessionKindError)
    return found


def test_kinds_of_sessions_follow_each_other_in_one_process() -> None:
    found = run_in_process(one_after_the_other, kind="none")

    assert found["first"] == found["second"] == [4, "pyspark.sql.connect.session"]
    assert found["classic"] == [4, "pyspark.sql.session"]
    assert found["mixed"].startswith("a classic session runs in this process")
    assert found["remote"].startswith("SPARK_REMOTE is 'sc://elsewhere'")


def test_connect_is_refused_where_a_classic_session_runs(spark: Any) -> None:
    with pytest.raises(SessionKindError, match=r"a classic session runs in this process.*call its stop\(\)"):
        session("sc://127.0.0.1:15002")


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_address_where_nobody_listens_is_told_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    with pytest.raises(
        SparkConnectionError, match=rf"no Spark Connect server answers at 127.0.0.1:{port} within 0.3 s"
    ):
        connected_session(f"sc://127.0.0.1:{port}", "test", {}, 0.3)


def test_server_that_never_answers_is_told_in_time(silent_port: int) -> None:
    with pytest.raises(SparkConnectionError, match="session\\(connect=True\\)"):
        connected_session(f"sc://127.0.0.1:{silent_port}", "test", {}, 0.3)


@pytest.mark.parametrize("address", ["sc://", "sc://host:port", "sc://host/path", "sc://host/;token"])
def test_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ArgumentError, match=r"is not a Spark Connect address.*write it such as"):
        connected_session(address, "test", {}, 0.3)


def test_refused_address_does_not_show_its_token() -> None:
    with pytest.raises(ArgumentError) as caught:
        connected_session("sc://host/path;token=secret", "test", {}, 0.3)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"connect": 1}, ArgumentTypeError, "connect must be a bool, got 1"),
        (
            {"master": "spark://host:7077", "connect": True},
            ArgumentError,
            "pass its address, such as 'sc://host:15002'",
        ),
        ({"timeout_seconds": "1"}, ArgumentTypeError, "timeout_seconds must be a number, got '1'"),
        ({"timeout_seconds": 0}, ArgumentError, "timeout_seconds must be more than 0 and finite, got 0"),
        ({"timeout_seconds": float("inf")}, ArgumentError, "must be more than 0 and finite, got inf"),
        ({"timeout_seconds": float("nan")}, ArgumentError, "must be more than 0 and finite, got nan"),
    ],
)
def test_bad_argument_is_refused(arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        session(**arguments)


def test_missing_packages_of_connect_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def fail(name: str) -> Any:
        if name in ("grpc_status", "zstandard"):
            raise ModuleNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib, "import_module", fail)

    with pytest.raises(SparkUnavailableError, match=r"grpcio-status, zstandard; .*\[spark,connect\]"):
        require_connect()
