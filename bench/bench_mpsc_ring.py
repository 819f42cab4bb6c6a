"""What does the ring of many producers cost above the ring of one? The baseline is `collections.deque`."""

from collections import deque
from types import SimpleNamespace

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_spsc_ring import CAPACITY, ELEMENTS, append_and_popleft
from rs_core.queues.mpsc_ring import MpscRing


def offer_and_poll(ring: MpscRing[None], elements: int = ELEMENTS) -> None:
    offer, poll = ring.offer, ring.poll
    for _ in range(elements):
        offer(None)
        poll()


def offer_and_drain_batches(ring: MpscRing[None], batch: int, elements: int = ELEMENTS) -> None:
    source = [None] * batch
    offer_batch, drain = ring.offer_batch, ring.drain
    for _ in range(elements // batch):
        offer_batch(source)
        drain()


def bench_mpsc_ring__deque_append_popleft(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does an element cost in a deque?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(append_and_popleft, deque())


def bench_mpsc_ring__offer_poll(benchmark: BenchmarkFixture) -> None:
    """What does an element cost when it is offered and polled from Python?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(offer_and_poll, MpscRing(CAPACITY))


@pytest.mark.parametrize("batch", [10, 100, 1000])
def bench_mpsc_ring__offer_batch_drain(benchmark: BenchmarkFixture, batch: int) -> None:
    """What does an element cost in batches of this size?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(offer_and_drain_batches, MpscRing(CAPACITY), batch)


def bench_mpsc_ring__push_pop_in_c(benchmark: BenchmarkFixture, native: SimpleNamespace) -> None:
    """What does an element cost without Python, offered and polled by one thread in batches of 64?"""
    benchmark.extra_info["operations"] = ELEMENTS
    ring = native.ManyProducerRing(CAPACITY)
    benchmark(ring.push_and_pop, ELEMENTS, 64)
