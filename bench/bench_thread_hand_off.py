"""What does an element cost on its way from one thread to another?

A thread makes the elements, another one calls `on_next` of an object written in Python with each. The baseline is what
one would write without streams: a thread that puts, a thread that gets and calls. `queue.SimpleQueue` never makes its
producer wait and grows without bound; `queue.Queue(1024)` is bounded like a stream is.

Streams are measured three ways. A source that one worker drains, observed on another worker, is the thread boundary
alone. A publisher with a thread of its own, which is not ours and is written in Python, costs more: it calls a checked
`on_next` for each element and takes requests. Its elements go to a worker by `observe_on`, or to a for loop.
"""

import os
import queue
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler

ELEMENTS = 50_000
BOUNDED_QUEUE_ELEMENTS = 5_000
CAPACITY = 1024
UNBOUNDED = 2**63 - 1
LONGEST_RUN_SECONDS = 60

HAS_AFFINITY = hasattr(os, "sched_setaffinity")


class Consumer:
    """Takes every element and forgets it; a Subscriber."""

    def __init__(self) -> None:
        self.has_ended = threading.Event()

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(UNBOUNDED)

    def on_next(self, element: int) -> None:
        pass

    def on_error(self, error: Exception) -> None:
        raise error

    def on_complete(self) -> None:
        self.has_ended.set()


class ThreadPublisher:
    """Sends range(elements) from a thread of its own, as many as were requested; Publisher and Subscription in one."""

    def __init__(self, elements: int) -> None:
        self.elements = elements
        self.requests: queue.SimpleQueue[int] = queue.SimpleQueue()

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        self.thread = threading.Thread(target=self.send)
        self.thread.start()

    def request(self, n: int) -> None:
        self.requests.put(n)

    def cancel(self) -> None:
        self.requests.put(0)

    def send(self) -> None:
        self.subscriber.on_subscribe(self)
        on_next = self.subscriber.on_next
        sent = 0
        while sent < self.elements and (requested := self.requests.get()):
            stop = min(sent + requested, self.elements)
            for element in range(sent, stop):
                on_next(element)
            sent = stop
        self.subscriber.on_complete()


def from_worker_to_worker(elements: int = ELEMENTS, capacity: int = CAPACITY) -> None:
    """A source that one worker drains, a subscriber in the thread of another."""
    consumer = Consumer()
    with WorkerScheduler(name="producer") as producer, WorkerScheduler(name="consumer") as worker:
        stream = Stream.range(elements).observe_on(worker, prefetch=capacity)
        stream.bind(consumer).initialize(SimpleNamespace(scheduler=producer))
        assert consumer.has_ended.wait(LONGEST_RUN_SECONDS)


def from_publisher_to_worker(elements: int = ELEMENTS) -> None:
    """A publisher's thread, observe_on, a subscriber in the thread of a worker."""
    publisher, consumer = ThreadPublisher(elements), Consumer()
    with WorkerScheduler(name="consumer") as worker:
        Stream.from_publisher(publisher, prefetch=CAPACITY).observe_on(worker, prefetch=CAPACITY).subscribe(consumer)
        assert consumer.has_ended.wait(LONGEST_RUN_SECONDS)
    publisher.thread.join()


def from_publisher_to_loop(elements: int = ELEMENTS) -> None:
    """A publisher's thread, a for loop in this one."""
    publisher, on_next = ThreadPublisher(elements), Consumer().on_next
    for element in Stream.from_publisher(publisher, prefetch=CAPACITY).iterate(prefetch=CAPACITY):
        on_next(element)
    publisher.thread.join()


def through_queue(hand_off: Any, elements: int = ELEMENTS) -> None:
    """Threads that put and get."""
    consumer = Consumer()

    def produce() -> None:
        put = hand_off.put
        for element in range(elements):
            put(element)
        put(None)

    def consume() -> None:
        get, on_next = hand_off.get, consumer.on_next
        while (element := get()) is not None:
            on_next(element)

    threads = [threading.Thread(target=produce), threading.Thread(target=consume)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def through_simple_queue(elements: int = ELEMENTS) -> None:
    through_queue(queue.SimpleQueue(), elements)


def through_bounded_queue(elements: int = BOUNDED_QUEUE_ELEMENTS) -> None:
    through_queue(queue.Queue(CAPACITY), elements)


def on_one_core(run: Callable[[], None]) -> Callable[[], None]:
    """Return the same run with this thread, and those that it starts, held on one processor."""

    def pinned() -> None:
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})
        try:
            run()
        finally:
            os.sched_setaffinity(0, allowed)

    return pinned


Placed = Callable[[Callable[[], None]], Callable[[], None]]


@pytest.fixture(params=["free", "one_core"])
def placed(request: pytest.FixtureRequest) -> Placed:
    """Return what puts the threads of a run where this parameter wants them."""
    if request.param == "free":
        return lambda run: run
    if not HAS_AFFINITY:
        pytest.skip("this system does not let a process choose its processor")
    return on_one_core


def bench_thread_hand_off__simple_queue(benchmark: BenchmarkFixture, placed: Placed) -> None:
    """The baseline: what does a queue without bound cost?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(placed(through_simple_queue))


def bench_thread_hand_off__bounded_queue(benchmark: BenchmarkFixture, placed: Placed) -> None:
    """The baseline with a bound: what does a queue cost that makes its producer wait?"""
    benchmark.extra_info["operations"] = BOUNDED_QUEUE_ELEMENTS
    benchmark(placed(through_bounded_queue))


@pytest.mark.parametrize("capacity", [16, 128, 1024, 4096])
def bench_thread_hand_off__worker_to_worker(benchmark: BenchmarkFixture, placed: Placed, capacity: int) -> None:
    """What does the thread boundary cost, and how much room does it need?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(placed(lambda: from_worker_to_worker(ELEMENTS, capacity)))


def bench_thread_hand_off__publisher_to_worker(benchmark: BenchmarkFixture, placed: Placed) -> None:
    """What does it cost with a publisher in front that is not ours?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(placed(from_publisher_to_worker))


def bench_thread_hand_off__publisher_to_loop(benchmark: BenchmarkFixture, placed: Placed) -> None:
    """What does it cost from such a publisher to a for loop?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(placed(from_publisher_to_loop))
