"""Queries that wait for their source: the stream that stands still says so, whichever way it is asked."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import MAX_DEMAND, Stream, WorkerScheduler
from reactivestreams.cli import ExitStatus, main
from reactivestreams.inspection import allow_inspection
from reactivestreams.spark import close_bridge, for_each_batch, from_query, to_streaming_dataframe
from reactivestreams.subscriber import DefaultSubscriber
from tests.spark.stream_cases import SCHEMA

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no SIGUSR1"),
]

WAIT_SECONDS = 60.0
NO_ROWS = "the streaming query 'orders' runs, and Spark has found no new rows in its source; let something write to"


class Unbounded(DefaultSubscriber[Any]):
    """Requests all."""

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(MAX_DEMAND)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def orders(spark: Any, tmp_path: Path) -> Iterator[Stream[Any]]:
    """Return the stream of a query of which the source has no rows, in a thread of its own."""
    (tmp_path / "incoming").mkdir()
    frame = spark.readStream.schema("id long").json(str(tmp_path / "incoming"))
    with WorkerScheduler(name="reactivestreams-orders") as worker:
        yield from_query(frame, checkpoint=tmp_path / "checkpoint", name="orders").subscribe_on(worker)


def line_of(text: str, operator: str, cause: str) -> str | None:
    """Return the line that names an operator, a line of this file and a cause."""
    found = (line for line in text.splitlines() if line.startswith(f"{operator}, assembled at {__file__}"))
    return next((line for line in found if cause in line), None)


def assert_soon_said(ask: Callable[[], str], operator: str, cause: str) -> None:
    """Ask again and again, until Spark has begun."""
    deadline = time.monotonic() + WAIT_SECONDS
    while line_of(text := ask(), operator, cause) is None:
        assert time.monotonic() < deadline, text


def asked(capsys: pytest.CaptureFixture[str]) -> list[Callable[[], str]]:
    """Return the two ways to ask a process from outside."""

    def by_doctor() -> str:
        with allow_inspection(by_signal=False):
            assert main(["doctor", "--pid", str(os.getpid())]) == ExitStatus.SUCCESS
        return capsys.readouterr().out

    def by_signal() -> str:
        with allow_inspection():
            os.kill(os.getpid(), signal.SIGUSR1)  # close() ends the thread after it has printed
        return capsys.readouterr().err

    return [by_doctor, by_signal]


def test_stream_of_a_query_without_rows_says_so(orders: Stream[Any], capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        handle = orders.bind(Unbounded())
        stack.callback(handle.cancel)
        handle.initialize()
        for ask in asked(capsys):
            assert_soon_said(ask, "rx://spark/from_query", NO_ROWS)


def test_time_out_of_the_stream_of_a_query_without_rows_says_so(orders: Stream[Any]) -> None:
    seconds = count(2)

    def ask() -> str:
        with pytest.raises(TimeoutError) as caught:
            orders.to_list(timeout_seconds=next(seconds))
        return "\n".join(caught.value.__notes__)

    assert_soon_said(ask, "rx://spark/from_query", NO_ROWS)


def test_query_that_waits_for_a_stream_shows_why_that_stands_still(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = to_streaming_dataframe(Stream[Any].never(), SCHEMA, session=spark)
    with ExitStack() as stack:
        stack.callback(close_bridge, frame)
        stack.enter_context(for_each_batch(frame, lambda number, batches: None, checkpoint=tmp_path / "checkpoint"))
        for ask in asked(capsys):
            assert_soon_said(ask, "rx://sources/never", "it sends nothing and never ends; end it with take_until()")
