"""A thread that delivers is interrupted by something that is no Exception: whoever waits for its elements is told."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.dropped import set_hook
from reactivestreams.errors import StreamCancelledError
from reactivestreams.schedulers import WorkerScheduler


class Interrupt(BaseException):
    pass


def interrupt(element: int) -> int:
    if element == 3:
        raise Interrupt(element)
    return element


ENDS: dict[str, Callable[[Stream[int]], Any]] = {
    "to_list": lambda stream: stream.to_list(timeout_seconds=20),
    "run": lambda stream: stream.run(timeout_seconds=20),
    "for_each": lambda stream: stream.for_each(lambda _: None, timeout_seconds=20),
    "reduce": lambda stream: stream.reduce(max, 0, timeout_seconds=20),
    "iteration": list,
}


@pytest.mark.parametrize("end", ENDS)
def test_end_that_waits_for_an_interrupted_worker_raises(end: str) -> None:
    told: list[tuple[str, object, str]] = []
    previous = set_hook(lambda signal, value, *, origin: told.append((signal, value, origin)))
    try:
        with WorkerScheduler(name="worker") as worker:
            with pytest.raises(StreamCancelledError, match="interrupt"):
                ENDS[end](Stream.range(10).observe_on(worker).map(interrupt))
            assert Stream.just(1).observe_on(worker).to_list(timeout_seconds=20) == [1]
    finally:
        set_hook(previous)
    assert [(signal, type(value), origin) for signal, value, origin in told] == [("task", Interrupt, "worker")]


@pytest.mark.parametrize("end", ENDS)
def test_interrupt_in_the_calling_thread_is_raised_as_it_is(end: str) -> None:
    with pytest.raises(Interrupt):
        ENDS[end](Stream.range(10).map(interrupt))
