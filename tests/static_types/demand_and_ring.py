"""Types of demand and ring; read by the type checker only."""

from collections.abc import Iterator
from typing import Literal, assert_type

from rs_core.demand import Demand
from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import EMPTY, MAX_CAPACITY_ELEMENTS, Empty, SpscRing

demand = Demand()
assert_type(demand.add(1), bool)
assert_type(demand.take(True), int)
assert_type(demand.consume(2), int)
assert_type(demand.cancel(), bool)
assert_type(demand.value, int)
demand.add("3")  # type: ignore[arg-type]
demand.add(1.5)  # type: ignore[arg-type]
demand.value = 3  # type: ignore[misc]

ring = SpscRing[str](MAX_CAPACITY_ELEMENTS)
assert_type(ring, SpscRing[str])
assert_type(ring.offer("a"), bool)
assert_type(ring.offer_batch(["a"]), int)
assert_type(ring.drain(), list[str])
assert_type(ring.drain_to(print, limit=3), int)
assert_type(len(ring), int)
ring.offer(1)  # type: ignore[arg-type]
ring.offer(EMPTY)  # type: ignore[arg-type]
ring.drain_to(print, 3)  # type: ignore[call-arg]
SpscRing[int]("8")  # type: ignore[arg-type]

shared = MpscRing[str](8)
assert_type(shared, MpscRing[str])
assert_type(shared.offer_batch(["a"]), int)
assert_type(shared.offer_batch(("a", "b")), int)
assert_type(shared.drain(), list[str])
assert_type(shared.poll(), str | Literal[Empty.EMPTY])
shared.offer_batch(iter(["a"]))  # type: ignore[arg-type]
shared.offer(1)  # type: ignore[arg-type]


def elements_of(source: SpscRing[int | None]) -> Iterator[int | None]:
    # A comparison with EMPTY leaves the element's own type, None included.
    while (element := source.poll()) is not EMPTY:
        assert_type(element, int | None)
        yield element
    assert_type(element, Literal[Empty.EMPTY])
