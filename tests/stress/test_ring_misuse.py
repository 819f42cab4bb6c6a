"""Two threads in a role of a ring that is for one: it may refuse, on free-threaded builds, but must lose nothing."""

from collections.abc import Hashable
from typing import Any

import pytest

from rs_core.errors import SignalOverlapError
from rs_core.queues.spsc_ring import EMPTY, SpscRing
from tests.contracts.ring_classes import RING_CLASSES, RingClass
from tests.together import many_switches, run_together

COUNT = 500

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ring_class", RING_CLASSES, ids=lambda ring_class: ring_class.__name__)
def test_two_consumers_share_the_elements_or_are_told_so(ring_class: RingClass) -> None:
    ring = ring_class(COUNT)
    ring.offer_batch(list(range(COUNT)))

    def consume() -> list[Any]:
        taken: list[Any] = []
        while not ring.is_empty:
            try:
                element = ring.poll()
            except SignalOverlapError:
                continue
            if element is not EMPTY:
                taken.append(element)
        return taken

    with many_switches():
        first, second = run_together(consume, consume)
    assert sorted(first + second) == list(range(COUNT))


def test_two_producers_fill_the_ring_exactly_or_are_told_so() -> None:
    ring: SpscRing[Hashable] = SpscRing(2 * COUNT)

    def produce(start: int) -> None:
        for number in range(start, start + COUNT):
            while True:
                try:
                    assert ring.offer(number)
                    break
                except SignalOverlapError:
                    continue

    with many_switches():
        run_together(lambda: produce(0), lambda: produce(COUNT))
    assert sorted(ring.drain()) == list(range(2 * COUNT))
