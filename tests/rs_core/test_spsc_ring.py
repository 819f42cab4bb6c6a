"""What the ring of one producer has for itself: batches from any iterable."""

from collections.abc import Iterator

import pytest

from rs_core.errors import CapacityError
from rs_core.queues.spsc_ring import SpscRing


def test_a_batch_stops_at_a_full_ring_and_the_iterator_loses_nothing() -> None:
    elements = iter(range(7))
    ring: SpscRing[object] = SpscRing(3)
    rounds = [(ring.offer_batch(elements), ring.drain()) for _ in range(4)]
    assert rounds == [(3, [0, 1, 2]), (3, [3, 4, 5]), (1, [6]), (0, [])]


def test_a_batch_offered_to_a_full_ring_takes_nothing_from_the_iterator() -> None:
    elements = iter("ab")
    full: SpscRing[object] = SpscRing(1)
    full.offer("first")
    assert (full.offer_batch(elements), next(elements)) == (0, "a")


def test_an_iterator_that_raises_leaves_what_it_gave_before() -> None:
    def elements() -> Iterator[int]:
        yield 1
        yield 2
        raise LookupError("no more")

    ring: SpscRing[object] = SpscRing(4)
    with pytest.raises(LookupError, match="no more"):
        ring.offer_batch(elements())
    assert ring.drain() == [1, 2]


def test_a_consumer_may_poll_while_the_iterator_of_a_batch_runs() -> None:
    polled: list[object] = []

    def elements() -> Iterator[int]:
        for element in range(6):
            yield element
            polled.append(ring.poll())

    ring: SpscRing[object] = SpscRing(1)
    # After the first one the ring is full, so the iterator is asked no more, and polls no more.
    assert (ring.offer_batch(elements()), polled, ring.drain()) == (1, [], [0])


def test_an_iterator_that_fills_the_ring_itself_is_reported_with_the_lost_element() -> None:
    def elements() -> Iterator[str]:
        ring.offer("inner")
        yield "outer"

    ring: SpscRing[object] = SpscRing(1)
    with pytest.raises(CapacityError, match="filled the ring of 1 elements itself, so 'outer' is lost"):
        ring.offer_batch(elements())
    assert ring.drain() == ["inner"]
