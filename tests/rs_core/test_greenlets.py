"""Greenlets take turns in one thread, wherever a callback waits: nothing is lost, and none waits for another.

What gevent and SQLAlchemy's asyncio do. While a greenlet waits, the C frames below its callback are copied away and
another one's lie in their place; so each case runs at many depths of the C stack.
"""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import WouldDeadlockError
from rs_core.build_profile import PROFILE
from tests.rs_core.callback_points import HERE
from tests.rs_core.recording_subscriber import RecordingSubscriber

greenlet = pytest.importorskip("greenlet")

# A switch copies frames of the C stack, and with them the zones that the sanitizer has put between variables.
pytestmark = pytest.mark.skipif(PROFILE == "asan", reason="the address sanitizer refuses each switch of greenlets")

DEPTHS = range(40)
EVERY_DEPTH = pytest.mark.parametrize("depth", DEPTHS)


def deeper(depth: int, act: Callable[[], Any]) -> Any:
    """Call `act` below as many C frames of the interpreter."""
    if depth == 0:
        return act()
    return functools.reduce(lambda _, left: deeper(left, act), [None, depth - 1])


def switching(stream: Stream[Any], *, at: int, to: Callable[[], Any]) -> Stream[Any]:
    """Switch to another greenlet at an element."""
    return stream.do(on_next=lambda element: to().switch() if element == at else None)


def queued(stream: Stream[Any]) -> Stream[Any]:
    """Add owners of demand, which become ready one in the run of the other."""
    return stream.flat_map(lambda element: [element], prefetch=2).observe_on(HERE, prefetch=2)


@EVERY_DEPTH
def test_streams_of_two_greenlets_that_take_turns_are_complete(depth: int) -> None:
    def first_run() -> list[Any]:
        source = switching(Stream.range(6), at=1, to=lambda: second)
        result: list[Any] = switching(queued(source), at=3, to=lambda: second).to_list(timeout_seconds=30)
        second.switch()
        return [result, queued(Stream.range(3)).to_list(timeout_seconds=30)]

    def second_run() -> list[Any]:
        source = switching(Stream.range(6), at=2, to=lambda: first)
        result: list[Any] = switching(queued(source), at=4, to=lambda: first).to_list(timeout_seconds=30)
        return [result, queued(Stream.range(3)).to_list(timeout_seconds=30)]

    ends: list[Any] = []
    main = greenlet.getcurrent()
    first = greenlet.greenlet(lambda: (ends.append(deeper(depth, first_run)), main.switch()))
    second = greenlet.greenlet(lambda: (ends.append(second_run()), first.switch()))
    first.switch()
    for other in (first, second):
        while not other.dead:
            other.switch()
    assert ends == [[[0, 1, 2, 3, 4, 5], [0, 1, 2]]] * 2


@EVERY_DEPTH
def test_a_stream_goes_on_after_the_greenlet_that_ran_it_ended_first(depth: int) -> None:
    """The run that began first ends first, and what the other one leaves behind must not be its memory."""
    subscriber = RecordingSubscriber(demand=2)

    def outer_run() -> None:
        queued(Stream.range(2).do(on_next=lambda _: inner.switch())).to_list(timeout_seconds=30)

    def inner_run() -> None:
        queued(switching(Stream.range(4), at=1, to=lambda: outer)).subscribe(subscriber)

    main = greenlet.getcurrent()
    outer = greenlet.greenlet(lambda: (deeper(depth, outer_run), main.switch()))
    inner = greenlet.greenlet(lambda: (inner_run(), main.switch()), parent=main)
    outer.switch()
    while not inner.dead:
        inner.switch()
    subscriber.subscription.request(2)
    assert subscriber.elements == [0, 1, 2, 3]
    assert queued(Stream.range(3)).to_list(timeout_seconds=30) == [0, 1, 2]


@EVERY_DEPTH
def test_a_callback_that_waits_is_not_waited_for_by_who_brings_what_it_waits_for(depth: int) -> None:
    """One greenlet waits inside of a callback for an element that another one sends into the same stream's queue."""
    emitters: list[Any] = []
    arrived: list[int] = []
    subscriber = RecordingSubscriber(demand=None)

    def run() -> None:
        queue = Stream.create(emitters.append, on_overflow="error").do(on_next=arrived.append)
        stream = queue.observe_on(HERE, prefetch=4).do(on_next=lambda _: waits.switch())
        stream.observe_on(HERE, prefetch=1).subscribe(subscriber)
        emitters[0].emit(0)

    def wait() -> None:
        emitters[0].emit(1)  # as an event loop would, while the callback waits
        assert arrived == [0, 1]

    main = greenlet.getcurrent()
    waits = greenlet.greenlet(lambda: (wait(), runs.switch(), runs.switch()), parent=main)
    runs = greenlet.greenlet(lambda: deeper(depth, run), parent=main)
    runs.switch()
    subscriber.subscription.request(2)
    assert subscriber.elements == [0, 1]


def test_an_emitter_is_full_for_all_greenlets_of_the_thread_that_drains_it() -> None:
    """A greenlet that blocks the thread blocks the one that would free capacity as well."""
    emitters: list[Any] = []
    refused: list[WouldDeadlockError] = []

    def overflow() -> None:
        emitters[0].emit(1)
        try:
            emitters[0].emit(2)
        except WouldDeadlockError as error:
            refused.append(error)
        runs.switch()

    stream: Stream[int] = Stream.create(emitters.append, capacity=1, on_overflow="block", block_timeout_seconds=30)
    stream.do(on_next=lambda element: overflows.switch() if element == 0 else None).subscribe(RecordingSubscriber())
    overflows = greenlet.greenlet(overflow)
    runs = greenlet.greenlet(lambda: emitters[0].emit(0))
    runs.switch()
    assert len(refused) == 1
