"""The batch function of a query of Spark Connect alone, with views that the test makes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle

from reactivestreams.spark.sources import connect_batches as module
from reactivestreams.spark.sources.connect_batches import batch_function

pytestmark = pytest.mark.spark

WAIT_SECONDS = 60.0
BATCH, READER, WORKER = "view_7", "view_reader", "view_worker"


class Frame:
    """A DataFrame with the names of its columns, made and shown by a server.

    Args:
        server: What makes it, and is its session.
        columns: The names.
    """

    def __init__(self, server: "Server", *columns: str) -> None:
        self.sparkSession = server
        self.columns = [*columns]

    def toDF(self, *columns: str) -> "Frame":  # noqa: N802 - Spark's name
        return Frame(self.sparkSession, *columns)

    def createOrReplaceGlobalTempView(self, name: str) -> None:  # noqa: N802 - Spark's name
        self.sparkSession.views[name] = self.columns
        self.sparkSession.said.append((name, *self.columns))


class Server:
    """A session with global temporary views, which is its own catalog.

    Args:
        step: Called with the server and the number of the look before each look at what the reader says.
    """

    def __init__(self, step: "Callable[[Server, int], None]") -> None:
        self.catalog = self
        self.step = step
        self.looks = 0
        self.views: dict[str, list[str]] = {}
        self.said: list[Any] = []

    def range(self, count: int) -> Frame:
        return Frame(self)

    def dropGlobalTempView(self, name: str) -> None:  # noqa: N802 - Spark's name
        self.views.pop(name, None)

    def table(self, name: str) -> Frame:
        self.looks += 1
        self.step(self, self.looks)
        return Frame(self, *self.views[name.removeprefix("temp.")])


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("FIRST_POLL_SECONDS", 0.001), ("POLL_SECONDS", 0.001), ("READER_SECONDS", 0.1)):
        monkeypatch.setattr(module, name, seconds)


def call(step: Callable[[Server, int], None]) -> Server:
    """Call the batch function and return the server."""
    server = Server(step)
    try:
        batch_function("temp", "view", "secret")(Frame(server, "id"), 7)
    finally:
        assert server.said == [(BATCH, "id"), (WORKER, "shows_7"), (WORKER, "shows_none")]
        assert BATCH not in server.views
    return server


def test_batch_function_returns_when_its_batch_was_read() -> None:
    def step(server: Server, look: int) -> None:
        assert (server.views[BATCH], server.views[WORKER]) == (["id"], ["shows_7"])
        server.views[READER] = [f"lives_{look}", "read_7_secret" if look == 300 else "read_6_secret"]

    server = call(step)  # for longer than READER_SECONDS

    assert (server.looks, [*server.views]) == (300, [WORKER, READER])


@pytest.mark.parametrize("other", ["read_6_secret", "read_7_guess", "read_7", "read_7_secret_", "read_none"])
def test_another_word_does_not_let_the_batch_function_return(other: str) -> None:
    with pytest.raises(ConnectionError, match="the reader of this query has ended"):
        call(lambda server, look: server.views.update({READER: ["lives_1", other]}))


def test_batch_function_misses_a_reader_that_shows_no_life() -> None:
    servers: list[Server] = []

    def step(server: Server, look: int) -> None:
        servers.append(server)
        if look < 10:
            server.views[READER] = [f"lives_{look}", "read_none"]
        elif look == 20:
            del server.views[READER]

    with pytest.raises(ConnectionError, match="the reader of this query has ended, or was held up for more than"):
        call(step)
    assert servers[0].views == {}


def test_batch_function_notices_the_end_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = iter([5, 5, 5])
    # A process whose parent has ended gets another one.
    monkeypatch.setattr(os, "getppid", lambda: next(parents, 1))

    with pytest.raises(ConnectionError, match="the Spark server of this query has ended"):
        call(lambda server, look: None)


def test_batch_function_needs_nothing_of_this_project(tmp_path: Path) -> None:
    (tmp_path / "function").write_bytes(cloudpickle.dumps(batch_function("temp", "view", "secret")))
    code = """
import sys
sys.modules["reactivestreams"] = sys.modules["rs_core"] = None
from pyspark import cloudpickle
from unittest.mock import Mock
frame = Mock()
frame.sparkSession.table.return_value.columns = ["lives_1", "read_3_secret"]
cloudpickle.loads(open("function", "rb").read())(frame, 3)
print(*(called.args[0] for called in frame.sparkSession.catalog.dropGlobalTempView.mock_calls))
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )

    assert (done.returncode, done.stderr, done.stdout) == (0, "", "view_3\n")
