"""What does it cost to let many threads emit to one subscriber?

One thread: an emitter against a forwarder compiled like it, which calls the same subscriber and keeps no order and no
end. Four threads: the emitter, whose policy makes threads wait for room, against what one would write without it, the
same subscriber behind a `threading.Lock`. The subscriber is written in Python and does nothing.
"""

import threading
from collections.abc import Callable
from types import ModuleType

from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream, StreamEmitter
from rs_core.emitter import SerializedEmitter

ELEMENTS = 100_000
PRODUCERS = 4

Emit = Callable[[int], object]


class Silent:
    """Does nothing with what it gets."""

    def on_next(self, element: int) -> None:
        pass

    def on_error(self, error: Exception) -> None:
        raise error

    def on_complete(self) -> None:
        pass


class Locked:
    """Lets one thread at a time call the subscriber."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.on_next = Silent().on_next

    def emit(self, element: int) -> None:
        with self.lock:
            self.on_next(element)


def emit_all(emit: Emit, elements: int = ELEMENTS) -> None:
    for element in range(elements):
        emit(element)


def emit_from_threads(emit: Emit, elements: int = ELEMENTS, producers: int = PRODUCERS) -> None:
    threads = [threading.Thread(target=emit_all, args=(emit, elements // producers)) for _ in range(producers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def emitter(on_overflow: str = "error") -> SerializedEmitter[int]:
    return SerializedEmitter(Silent(), on_overflow=on_overflow)


def created(elements: int = ELEMENTS) -> None:
    """The same through a whole stream: demand is counted, and each element is sent past the queue, which is empty."""

    def callback(emitter: StreamEmitter[int]) -> None:
        emit_all(emitter.emit, elements)
        emitter.complete()

    Stream.create(callback, on_overflow="error").for_each(Silent().on_next)


def bench_emitter__forwarder(benchmark: BenchmarkFixture, forwarding: ModuleType) -> None:
    """The baseline: what does a call of something compiled cost that calls the subscriber?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_all, forwarding.Forwarder(Silent()).emit)


def bench_emitter__one_thread(benchmark: BenchmarkFixture) -> None:
    """What does an emission cost that no other thread is in the way of?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_all, emitter().emit)


def bench_emitter__one_thread_that_may_block(benchmark: BenchmarkFixture) -> None:
    """What does it cost with the policy block, which has to know who delivers?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_all, emitter("block").emit)


def bench_emitter__lock_one_thread(benchmark: BenchmarkFixture) -> None:
    """What does a lock cost in its place, when nobody contends for it?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_all, Locked().emit)


def bench_emitter__four_threads(benchmark: BenchmarkFixture) -> None:
    """What does an emission cost among four threads that wait for room?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_from_threads, emitter("block").emit)


def bench_emitter__lock_four_threads(benchmark: BenchmarkFixture) -> None:
    """What does a lock cost in its place?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(emit_from_threads, Locked().emit)


def bench_emitter__created_stream(benchmark: BenchmarkFixture) -> None:
    """What does an element of Stream.create cost?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(created)
