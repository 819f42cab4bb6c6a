"""How long the functions of a running stream take, found by looking at the threads."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from reactivestreams import MAX_DEMAND, Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.inspection import explain
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.operators.python_operator import PythonStage

SECONDS = 0.5
A_GREAT_PART = 0.25


class Unbounded(DefaultSubscriber[Any]):
    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(MAX_DEMAND)


def wait(number: int) -> int:
    time.sleep(0.01)
    return number


def wait_with(longer: float, number: int) -> int:
    time.sleep(longer)
    return number


def keep(number: int) -> int:
    return number


class Waiting:
    def method(self, number: int) -> int:
        return wait_with(0.01, number)

    def __call__(self, number: int) -> int:
        return wait_with(0.01, number) + 1


class WaitingStage(PythonStage[int, int]):
    def on_next(self, element: int) -> None:
        time.sleep(0.01)
        self.emit(element)


def waiting_numbers() -> Iterator[int]:
    while True:
        time.sleep(0.01)
        yield 1


SLOW: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "rx://operators/map": lambda numbers: numbers.filter(keep).map(wait),
    "rx://operators/filter": lambda numbers: numbers.map(keep).filter(partial(wait_with, 0.01)),
    "rx://operators/do": lambda numbers: numbers.map(keep).do(Waiting().method),
    "rx://operators/scan": lambda numbers: numbers.map(keep).scan(lambda _, number: wait(number), 0),
    "rx://operators/take_while": lambda numbers: numbers.take_while(Waiting()),
    "rx://operators/lift": lambda numbers: numbers.map(keep).lift(WaitingStage),
    "rx://sources/from_iterable": lambda _: Stream.from_iterable(waiting_numbers()).map(keep),
}


@pytest.fixture
def started() -> Iterator[Callable[[Stream[Any]], Any]]:
    """Start streams, each in a thread of its own, and cancel them in the end."""
    handles: list[Any] = []
    threads: list[threading.Thread] = []

    def start(stream: Stream[Any]) -> Any:
        handles.append(stream.bind(Unbounded()))
        threads.append(threading.Thread(target=handles[-1].initialize))
        threads[-1].start()
        return handles[-1]

    yield start
    for handle in handles:
        handle.cancel()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("operator", SLOW)
def test_time_is_that_of_the_node_whose_function_takes_it(operator: str, started: Callable[[Stream[Any]], Any]) -> None:
    handle = started(SLOW[operator](Stream.range(1_000_000)))
    took = {stage.operator: stage.function_seconds for stage in explain(handle, sample_seconds=SECONDS).stages}
    named = took[operator]
    assert named is not None
    assert named > A_GREAT_PART * SECONDS
    others = [seconds for name, seconds in took.items() if name != operator and seconds is not None]
    assert all(seconds < named / 2 for seconds in others)


def test_nodes_with_one_function_share_its_time(started: Callable[[Stream[Any]], Any]) -> None:
    handle = started(Stream.range(1_000_000).map(wait).map(wait))
    took = [stage.function_seconds for stage in explain(handle, sample_seconds=SECONDS).stages]
    first, second = (seconds for seconds in took if seconds is not None)
    assert first == second > A_GREAT_PART / 2 * SECONDS


def test_function_that_waits_in_an_event_loop_takes_no_time_there() -> None:
    async def look() -> Any:
        async def later(number: int) -> int:
            await asyncio.sleep(10)
            return number

        handle = Stream.range(3).map_async(later).bind(Unbounded())
        handle.initialize()
        report = await asyncio.to_thread(explain, handle, sample_seconds=0.1)
        handle.cancel()
        return report

    report = asyncio.run(look())
    took = next(stage.function_seconds for stage in report.stages if stage.operator == "rx://operators/map_async")
    assert took == 0


def test_table_shows_it_and_functions_without_code_are_not_seen(
    started: Callable[[Stream[Any]], Any],
) -> None:
    handle = started(Stream.range(1_000_000).map(wait).map(str))
    report = explain(handle, sample_seconds=SECONDS)
    (shown,) = [line.strip() for line in str(report).splitlines() if " s in its functions" in line]
    assert shown.startswith("rx://operators/map")
    assert report.to_dict()["stages"][0]["function_seconds"] is None
    assert [stage.function_seconds for stage in explain(handle).stages] == [None] * len(report.stages)


def test_stream_that_ends_meanwhile_is_explained() -> None:
    handle = Stream.range(3).map(keep).bind(Unbounded())
    timer = threading.Timer(0.05, handle.initialize)
    timer.start()
    report = explain(handle, sample_seconds=0.2)
    timer.join()
    assert any(stage.is_terminated for stage in report.stages)


@pytest.mark.parametrize(
    ("seconds", "error", "message"),
    [
        (0, ArgumentError, "must be above 0 and at most 60, got 0; pass a second"),
        (61, ArgumentError, "must be above 0 and at most 60, got 61"),
        (float("nan"), ArgumentError, "got nan"),
        ("1", ArgumentTypeError, r"needs a number, got '1' \(str\)"),
    ],
)
def test_time_to_look_is_checked(seconds: Any, error: type[Exception], message: str) -> None:
    handle = Stream.range(3).bind(Unbounded())
    with pytest.raises(error, match=message):
        explain(handle, sample_seconds=seconds)
