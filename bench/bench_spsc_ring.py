"""What does an element cost on its way through the ring? The baseline is `collections.deque`, which is not bounded."""

from collections import deque
from types import SimpleNamespace

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from rs_core.queues.spsc_ring import SpscRing

ELEMENTS = 100_000
CAPACITY = 1024


def append_and_popleft(queue: deque[None], elements: int = ELEMENTS) -> None:
    append, popleft = queue.append, queue.popleft
    for _ in range(elements):
        append(None)
        popleft()


def offer_and_poll(ring: SpscRing[None], elements: int = ELEMENTS) -> None:
    offer, poll = ring.offer, ring.poll
    for _ in range(elements):
        offer(None)
        poll()


def offer_and_drain_batches(ring: SpscRing[None], batch: int, elements: int = ELEMENTS) -> None:
    source = [None] * batch
    offer_batch, drain = ring.offer_batch, ring.drain
    for _ in range(elements // batch):
        offer_batch(source)
        drain()


def bench_spsc_ring__deque_append_popleft(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does an element cost in a deque?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(append_and_popleft, deque())


def bench_spsc_ring__offer_poll(benchmark: BenchmarkFixture) -> None:
    """What does an element cost when it is offered and polled from Python?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(offer_and_poll, SpscRing(CAPACITY))


@pytest.mark.parametrize("batch", [10, 100, 1000])
def bench_spsc_ring__offer_batch_drain(benchmark: BenchmarkFixture, batch: int) -> None:
    """What does an element cost in batches of this size?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(offer_and_drain_batches, SpscRing(CAPACITY), batch)


def bench_spsc_ring__push_pop_in_c(benchmark: BenchmarkFixture, native: SimpleNamespace) -> None:
    """What does an element cost without Python, offered and polled by one thread in batches of 64?"""
    benchmark.extra_info["operations"] = ELEMENTS
    ring = native.NumberRing(CAPACITY)
    benchmark(ring.push_and_pop, ELEMENTS, 64)
