"""Who owns what lies in a ring: references are exact, the collector sees the elements, finalizers may use the ring."""

import contextlib
import gc
import sys
import weakref
from collections.abc import Callable

import pytest

from rs_core.queues.spsc_ring import EMPTY
from tests.contracts.finalized import Finalized
from tests.contracts.ring_classes import Ring, RingClass


class Node:
    """Something that can be referenced weakly and takes part in cycles."""

    ring: Ring | None = None


@pytest.fixture(autouse=True)
def without_garbage_of_others() -> None:
    gc.collect()


def references(element: object) -> int:
    return sys.getrefcount(element)


def test_a_ring_owns_one_reference_to_each_element(ring_class: RingClass) -> None:
    element = Node()
    before = references(element)
    ring = ring_class(8)
    ring.offer(element)
    ring.offer_batch([element, element])
    assert references(element) - before == 3


@pytest.mark.parametrize(
    "take",
    [
        lambda ring: [ring.poll() for _ in range(4)],
        lambda ring: ring.drain(),
        lambda ring: ring.drain_to(id),
        lambda ring: (ring.peek(), ring.drain(1), ring.drain_to(id, limit=1), ring.poll(), ring.poll()),
    ],
    ids=["poll", "drain", "drain_to", "mixed"],
)
def test_taking_the_elements_returns_every_reference(ring_class: RingClass, take: Callable[[Ring], object]) -> None:
    element = Node()
    ring = ring_class(3)
    before = references(element)
    ring.offer_batch([element] * 3)
    take(ring)
    assert references(element) - before == 0


def test_what_is_refused_keeps_no_reference(ring_class: RingClass) -> None:
    element = Node()
    ring = ring_class(1)
    ring.offer(element)
    before = references(element)
    for _ in range(10):
        assert not ring.offer(element)
        assert ring.offer_batch([element]) == 0
    assert references(element) - before == 0


def test_a_receiver_that_raises_keeps_no_reference(ring_class: RingClass) -> None:
    element = Node()
    before = references(element)
    ring = ring_class(1)
    ring.offer(element)
    with contextlib.suppress(ZeroDivisionError):
        ring.drain_to(lambda _: 1 / 0)
    assert references(element) - before == 0


def test_elements_are_dropped_with_their_ring(ring_class: RingClass) -> None:
    element = Node()
    before = references(element)
    ring = ring_class(5)
    ring.offer_batch([element] * 5)
    ring.drain(2)  # so that the elements lie across the end of the slots
    ring.offer_batch([element] * 2)
    del ring
    assert references(element) - before == 0


def test_a_ring_that_could_not_be_made_leaves_nothing_behind(ring_class: RingClass) -> None:
    class BadIndex:
        def __index__(self) -> int:
            return 0

    capacity = BadIndex()
    before = references(capacity)
    for _ in range(10):
        with pytest.raises(ValueError, match="capacity"):
            ring_class(capacity)
    assert references(capacity) - before == 0


def test_the_collector_sees_what_lies_in_a_ring(ring_class: RingClass) -> None:
    first, second, third = Node(), Node(), Node()
    ring = ring_class(2)
    ring.offer_batch([first, second])
    ring.poll()
    ring.offer(third)
    seen = [referent for referent in gc.get_referents(ring) if isinstance(referent, Node)]
    assert (seen, gc.is_tracked(ring)) == ([second, third], True)


def test_a_cycle_through_a_ring_is_collected(ring_class: RingClass) -> None:
    ring = ring_class(4)
    node = Node()
    node.ring = ring
    ring.offer(node)
    freed = [weakref.ref(ring), weakref.ref(node)]
    del ring, node
    assert [reference() is not None for reference in freed] == [True, True]
    gc.collect()
    assert [reference() for reference in freed] == [None, None]


def test_a_cycle_through_two_rings_is_collected(ring_class: RingClass) -> None:
    first = ring_class(1)
    second = ring_class(1)
    first.offer(second)
    second.offer(first)
    freed = [weakref.ref(first), weakref.ref(second)]
    del first, second
    gc.collect()
    assert [reference() for reference in freed] == [None, None]


def test_a_ring_that_is_reachable_keeps_its_elements_through_a_collection(ring_class: RingClass) -> None:
    ring = ring_class(2)
    ring.offer([])
    element = ring.peek()
    assert isinstance(element, list)
    element.append(element)  # garbage but for the ring
    reference = references(element)
    gc.collect()
    assert (ring.poll() is element, reference) == (True, references(element) + 1)


def test_a_finalizer_of_a_cycle_may_use_the_ring(ring_class: RingClass) -> None:
    class Owner:
        def __init__(self, ring: Ring) -> None:
            self.ring = ring

        def __del__(self) -> None:
            calls.append((self.ring.offer("again"), type(self.ring.poll()), len(self.ring)))

    calls: list[object] = []
    ring = ring_class(3)
    ring.offer_batch([Owner(ring), Owner(ring)])
    freed = weakref.ref(ring)
    del ring
    gc.collect()
    gc.collect()
    # Both finalizers run while the ring is whole; each takes an element out and offers another one.
    assert (calls, freed()) == ([(True, Owner, 2), (True, Owner, 2)], None)


def test_a_finalizer_that_runs_while_the_collector_clears_a_ring_finds_no_trace_of_it(ring_class: RingClass) -> None:
    class Untracked:
        """Has no attributes, so the collector does not know it: it is finalized only when its ring drops it."""

        __slots__ = ()

        def __del__(self) -> None:
            calls.append(reference())

    calls: list[object] = []
    ring = ring_class(3)
    ring.offer_batch([Untracked(), ring, Untracked()])
    reference = weakref.ref(ring)
    del ring
    gc.collect()
    assert calls == [None, None]


def test_a_finalizer_that_runs_when_an_element_is_taken_finds_the_ring_whole(ring_class: RingClass) -> None:
    ring = ring_class(2)
    found: list[object] = []
    ring.offer(Finalized(lambda: found.append((ring.offer("new"), len(ring), ring.peek()))))
    ring.offer("old")
    ring.poll()  # the result is dropped at once, which runs the finalizer
    assert (found, ring.drain()) == ([(True, 2, "old")], ["old", "new"])


def test_a_finalizer_cannot_reach_a_dying_ring_through_a_weak_reference(ring_class: RingClass) -> None:
    found: list[object] = []
    ring = ring_class(2)
    reference = weakref.ref(ring)
    ring.offer(Finalized(lambda: found.append(reference())))
    del ring
    assert found == [None]


def test_a_finalizer_that_raises_does_not_keep_the_next_element(
    ring_class: RingClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: raised.append(unraisable.exc_type))
    ring = ring_class(2)
    ring.offer(Finalized(lambda: 1 / 0))
    ring.offer(node := Node())
    before = references(node)
    del ring
    assert (raised, before - references(node)) == ([ZeroDivisionError], 1)


def test_rings_in_rings_are_freed_however_deep(ring_class: RingClass) -> None:
    depth = 100_000
    ring = ring_class(1)
    innermost = weakref.ref(ring)
    for _ in range(depth):
        outer = ring_class(1)
        outer.offer(ring)
        ring = outer
    del ring, outer
    gc.collect()
    assert innermost() is None


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="only up to 3.11 does making a list run the collector")
def test_drain_is_right_although_a_finalizer_polls_while_its_list_is_made(ring_class: RingClass) -> None:
    ring = ring_class(4)
    ring.offer_batch([0, 1, 2, 3])
    polled: list[object] = []

    def make_garbage() -> None:
        garbage = Finalized(lambda: polled.append(ring.poll()))
        garbage.itself = garbage  # type: ignore[attr-defined]

    threshold = gc.get_threshold()
    gc.disable()
    make_garbage()
    kept = [[] for _ in range(100)]  # the next list is a new one, none of those that the interpreter keeps for reuse
    gc.set_threshold(1)
    gc.enable()
    try:
        drained = ring.drain()
    finally:
        gc.set_threshold(*threshold)
    assert (polled, drained, ring.poll(), len(kept)) == ([0], [1, 2, 3], EMPTY, 100)


@pytest.mark.parametrize(("capacity", "slots"), [(1, 1), (3, 4), (1000, 1024), (1024, 1024), (1025, 2048)])
def test_the_size_counts_the_slots(ring_class: RingClass, capacity: int, slots: int) -> None:
    slot_bytes, fewest = {"SpscRing": (8, 1), "MpscRing": (16, 2)}[ring_class.__name__]
    header = sys.getsizeof(ring_class(1)) - slot_bytes * fewest
    assert sys.getsizeof(ring_class(capacity)) == header + slot_bytes * max(slots, fewest)
