"""The batch function of a query of Spark Connect alone, with a reader that the test plays."""

import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle

from reactivestreams.spark.bridge.loopback_server import LENGTH, MAX_FRAME_BYTES, receive, send
from reactivestreams.spark.sources import remote_batches as module
from reactivestreams.spark.sources.remote_batches import remote_batch_function

pytestmark = pytest.mark.spark

WAIT_SECONDS = 60.0


class ReaderPort:
    """A port at which something answers a batch function with a few messages and closes, then or when it is told to."""

    def __init__(self, *answers: list[Any], is_silent: bool = False) -> None:
        self.answers = answers
        self.heard: list[Any] = []
        self.leave = threading.Event()
        if not is_silent:
            self.leave.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.answer)
        self.thread.start()

    def answer(self) -> None:
        accepted, _ = self.listener.accept()
        # Where the batch function has left without hearing all, each further step here is an error.
        with suppress(OSError), accepted, accepted.makefile("rwb") as pair:
            file: Any = pair
            for position, message in enumerate(self.answers):
                # The orders behind the welcome are not asked for.
                if position < 2:
                    self.heard.append(receive(file))
                send(file, message)
            self.leave.wait(WAIT_SECONDS)
            accepted.shutdown(socket.SHUT_WR)
            accepted.recv(1)

    def close(self) -> None:
        self.leave.set()
        self.thread.join(WAIT_SECONDS)
        self.listener.close()


class Frame:
    """A DataFrame of nothing, whose session is its catalog, too."""

    def __init__(self) -> None:
        self.sparkSession: Any = self  # Spark's name
        self.catalog: Any = self
        self.views: list[str] = []

    def createOrReplaceGlobalTempView(self, name: str) -> None:  # noqa: N802 - Spark's name
        self.views.append(name)

    def dropGlobalTempView(self, name: str) -> None:  # noqa: N802 - Spark's name
        self.views.remove(name)


def told(*answers: list[Any]) -> tuple[str, list[Any]]:
    """Return what a batch function raises, and what it said, where its reader answers this."""
    port = ReaderPort(*answers)
    frame, outcome = Frame(), "returned"
    try:
        remote_batch_function(port.port, "token", "secret", "view")(frame, 7)
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    finally:
        port.close()
    # The reader drops the view of a batch that it has finished.
    assert frame.views == (["view_7"] if outcome == "returned" else [])
    return outcome, port.heard


OK, WELCOME = ["ok", None], ["welcome", "secret"]


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ([OK, WELCOME, ["finish"]], "returned"),
        ([OK, WELCOME, ["fail", "no"]], "RuntimeError: no"),
        ([OK, WELCOME], "ConnectionError: the subscription of this query has ended"),
        ([OK], "ConnectionError: the subscription of this query has ended"),
        ([["refused", "why"]], "ConnectionError: the reader of this query refused the batch function: why"),
        (
            [OK, ["welcome", "guess"], ["finish"]],
            "ConnectionError: another program than the reader of this query answers",
        ),
        ([OK, ["finish"]], "ConnectionError: another program than the reader of this query answers"),
    ],
)
def test_batch_function_returns_only_where_its_reader_says_so(answers: list[list[Any]], outcome: str) -> None:
    raised, heard = told(*answers)

    assert raised.startswith(outcome)
    assert heard == ["token", ["batch", 7]][: len(answers)]


def test_batch_function_that_waits_notices_the_end_of_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ATTENTION_SECONDS", 0.01)
    parents = iter([5, 5, 5])
    # A process whose parent has ended gets another one.
    monkeypatch.setattr(os, "getppid", lambda: next(parents, 1))
    port = ReaderPort(OK, WELCOME, is_silent=True)

    with pytest.raises(ConnectionError, match="the Spark server of this query has ended"):
        remote_batch_function(port.port, "token", "secret", "view")(Frame(), 0)
    port.close()


def test_batch_function_that_waits_keeps_its_session_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ATTENTION_SECONDS", 0.01)
    monkeypatch.setattr(module, "KEEP_ALIVE_SECONDS", 0.0)
    port = ReaderPort(OK, WELCOME, is_silent=True)

    class Session:
        """A session that is asked for its settings; at the third time the reader leaves."""

        def __init__(self) -> None:
            self.conf = self
            self.asked: list[str] = []

        def get(self, name: str) -> str:
            self.asked.append(name)
            if len(self.asked) == 3:
                port.leave.set()
            raise LookupError("what is wrong with a session is told when it is used")

    frame = Frame()
    frame.sparkSession = session = Session()
    with pytest.raises(ConnectionError, match="the subscription of this query has ended"):
        remote_batch_function(port.port, "token", "secret", "view")(frame, 0)
    port.close()

    assert session.asked[:3] == [module.ASKED_SETTING] * 3


def test_message_that_is_too_long_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            accepted, _ = listener.accept()
            with suppress(OSError), accepted:
                accepted.sendall(LENGTH.pack(MAX_FRAME_BYTES + 1))
                while accepted.recv(1000):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ConnectionError, match="announced a message of 1048577 bytes"):
            remote_batch_function(port, "token", "secret", "view")(Frame(), 0)
        thread.join(WAIT_SECONDS)


def test_batch_function_says_that_its_reader_is_not_here() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with pytest.raises(ConnectionError, match=rf"cannot be reached at 127.0.0.1:{port} from the Spark server"):
        remote_batch_function(port, "token", "secret", "view")(Frame(), 0)


def test_batch_function_needs_nothing_of_this_project(tmp_path: Path) -> None:
    port = ReaderPort(OK, WELCOME, ["finish"])
    (tmp_path / "function").write_bytes(cloudpickle.dumps(remote_batch_function(port.port, "token", "secret", "view")))
    code = """
import sys
sys.modules["reactivestreams"] = sys.modules["rs_core"] = None
from pyspark import cloudpickle
from unittest.mock import Mock as Frame
cloudpickle.loads(open("function", "rb").read())(Frame(), 3)
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
    port.close()

    assert (done.returncode, done.stderr) == (0, "")
    assert port.heard == ["token", ["batch", 3]]
