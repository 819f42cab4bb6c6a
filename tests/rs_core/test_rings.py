import copy
import inspect
from collections.abc import Callable, Sequence

import pytest

from rs_core.errors import ArgumentError, ArgumentTypeError
from rs_core.queues.bounded_ring import BoundedRing
from rs_core.queues.spsc_ring import EMPTY, MAX_CAPACITY_ELEMENTS, Empty
from tests.contracts.ring_classes import Ring, RingClass


def ring_with(ring_class: RingClass, *elements: object, capacity: int | None = None) -> Ring:
    ring = ring_class(capacity or len(elements))
    assert ring.offer_batch(elements) == len(elements)
    return ring


class Index:
    def __index__(self) -> int:
        return 3


def test_elements_leave_in_the_order_in_which_they_came(ring_class: RingClass) -> None:
    ring = ring_with(ring_class, "a", "b", "c")
    assert [ring.poll(), ring.poll(), ring.poll(), ring.poll()] == ["a", "b", "c", EMPTY]


@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 5, 7, 8, 9, 1000])
def test_a_ring_holds_exactly_its_capacity(ring_class: RingClass, capacity: int) -> None:
    ring = ring_class(capacity)
    accepted = [ring.offer(element) for element in range(capacity + 2)]
    assert (accepted, len(ring), ring.capacity) == ([True] * capacity + [False] * 2, capacity, capacity)


@pytest.mark.parametrize("capacity", [1, 3, 4, 5])
def test_order_and_capacity_hold_over_many_rounds(ring_class: RingClass, capacity: int) -> None:
    ring = ring_class(capacity)
    polled = []
    for element in range(10 * capacity):
        while not ring.offer(element):
            polled.append(ring.poll())
    assert polled + ring.drain() == list(range(10 * capacity))


def test_none_and_false_are_ordinary_elements(ring_class: RingClass) -> None:
    ring = ring_with(ring_class, None, False, 0)
    assert [ring.poll(), ring.poll(), ring.poll(), ring.poll()] == [None, False, 0, EMPTY]


def test_peek_leaves_the_element_in_the_ring(ring_class: RingClass) -> None:
    ring = ring_with(ring_class, "a", "b")
    assert (ring.peek(), ring.peek(), len(ring), ring.poll(), ring.peek()) == ("a", "a", 2, "a", "b")


def test_peek_and_poll_of_an_empty_ring_answer_empty(ring_class: RingClass) -> None:
    ring = ring_class(1)
    assert (ring.peek(), ring.poll()) == (EMPTY, EMPTY)


def test_length_and_the_two_ends_are_observable(ring_class: RingClass) -> None:
    ring = ring_class(2)
    observed = [(len(ring), ring.is_empty, ring.is_full)]
    for element in (1, 2):
        ring.offer(element)
        observed.append((len(ring), ring.is_empty, ring.is_full))
    assert observed == [(0, True, False), (1, False, False), (2, False, True)]


def test_empty_is_refused_as_an_element(ring_class: RingClass) -> None:
    ring = ring_class(2)
    with pytest.raises(ArgumentError, match="EMPTY cannot be an element"):
        ring.offer(EMPTY)
    assert (len(ring), repr(EMPTY), type(EMPTY)) == (0, "EMPTY", Empty)


def test_a_batch_of_a_list_stops_at_a_full_ring(ring_class: RingClass) -> None:
    elements, ring = [*range(7)], ring_class(3)
    rounds = []
    while elements:
        accepted = ring.offer_batch(elements)
        del elements[:accepted]
        rounds.append((accepted, ring.drain()))
    assert rounds == [(3, [0, 1, 2]), (3, [3, 4, 5]), (1, [6])]


@pytest.mark.parametrize("elements", [(1, 2), [1, 2], (), []])
def test_a_batch_may_be_a_list_or_a_tuple(ring_class: RingClass, elements: Sequence[int]) -> None:
    ring = ring_class(2)
    assert (ring.offer_batch(elements), ring.drain()) == (len(elements), [*elements])


def test_a_batch_offered_to_a_full_ring_is_refused_whole(ring_class: RingClass) -> None:
    ring = ring_with(ring_class, "a")
    assert (ring.offer_batch(["b", "c"]), ring.drain()) == (0, ["a"])


def test_empty_inside_a_batch_is_refused_and_what_came_before_stays(ring_class: RingClass) -> None:
    ring = ring_class(4)
    with pytest.raises(ArgumentError, match="EMPTY cannot be an element"):
        ring.offer_batch([1, EMPTY, 2])
    assert ring.drain() == [1]


@pytest.mark.parametrize("elements", [5, None])
def test_a_batch_of_what_is_not_iterable_is_refused(ring_class: RingClass, elements: object) -> None:
    ring = ring_class(1)
    with pytest.raises(ArgumentTypeError, match=f"offer_batch.* got {elements!r}"):
        ring.offer_batch(elements)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, [1, 2, 3]), (0, []), (2, [1, 2]), (3, [1, 2, 3]), (10**30, [1, 2, 3])]
)
def test_drain_takes_up_to_the_limit(ring_class: RingClass, limit: int | None, expected: list[int]) -> None:
    ring = ring_with(ring_class, 1, 2, 3, capacity=5)
    assert (ring.drain(limit), len(ring)) == (expected, 3 - len(expected))


def test_drain_to_passes_each_element_in_order(ring_class: RingClass) -> None:
    passed: list[object] = []
    ring = ring_with(ring_class, 1, 2, 3)
    assert (ring.drain_to(passed.append), passed, ring.is_empty) == (3, [1, 2, 3], True)


def test_drain_to_stops_at_its_limit(ring_class: RingClass) -> None:
    passed: list[object] = []
    ring = ring_with(ring_class, 1, 2, 3)
    assert (ring.drain_to(passed.append, limit=2), passed, ring.drain()) == (2, [1, 2], [3])


def test_drain_to_ends_although_the_receiver_offers_again(ring_class: RingClass) -> None:
    ring = ring_with(ring_class, 1, 2, 3)
    assert (ring.drain_to(ring.offer), ring.drain()) == (3, [1, 2, 3])


def test_a_receiver_may_poll_the_ring_it_is_fed_from(ring_class: RingClass) -> None:
    passed: list[object] = []
    ring = ring_with(ring_class, 1, 2, 3, 4)
    assert (ring.drain_to(lambda element: passed.append((element, ring.poll()))), passed) == (2, [(1, 2), (3, 4)])


def test_a_receiver_that_raises_keeps_its_element_and_leaves_the_others(ring_class: RingClass) -> None:
    def receiver(element: object) -> None:
        if element == 2:
            raise LookupError("not this one")

    ring = ring_with(ring_class, 1, 2, 3)
    with pytest.raises(LookupError, match="not this one"):
        ring.drain_to(receiver)
    assert ring.drain() == [3]


def test_a_receiver_that_is_not_callable_is_refused(ring_class: RingClass) -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a callable, got 5 \(int\)"):
        ring_with(ring_class, 1).drain_to(5)


@pytest.mark.parametrize(
    "drain", [lambda ring, limit: ring.drain(limit), lambda ring, limit: ring.drain_to(id, limit=limit)]
)
@pytest.mark.parametrize(
    ("limit", "error"),
    [(-1, ArgumentError), ("1", ArgumentTypeError), (1.0, ArgumentTypeError), (True, ArgumentTypeError)],
)
def test_a_bad_limit_is_refused_and_nothing_is_taken(
    ring_class: RingClass, drain: Callable[[Ring, object], object], limit: object, error: type[Exception]
) -> None:
    ring = ring_with(ring_class, 1, 2)
    with pytest.raises(error, match=f"limit needs .* got {limit!r}"):
        drain(ring, limit)
    assert len(ring) == 2


@pytest.mark.parametrize("capacity", [0, -1, 2**40, MAX_CAPACITY_ELEMENTS + 1, -(10**30)])
def test_a_capacity_out_of_bounds_is_refused(ring_class: RingClass, capacity: int) -> None:
    with pytest.raises(ArgumentError) as refused:
        ring_class(capacity)
    assert (
        str(refused.value) == f"capacity needs 1 to 16777216 elements, got {capacity}; pass a count within these bounds"
    )


@pytest.mark.parametrize("capacity", ["8", 8.0, None, True, False, b"1"])
def test_a_capacity_that_is_no_integer_is_refused_by_type(ring_class: RingClass, capacity: object) -> None:
    with pytest.raises(ArgumentTypeError) as refused:
        ring_class(capacity)
    shown = f"{capacity!r} ({type(capacity).__name__})"
    assert str(refused.value) == f"capacity needs an integer, got {shown}; pass a count from 1 to 16777216"


def test_a_capacity_may_be_anything_with_an_index(ring_class: RingClass) -> None:
    assert ring_class(Index()).capacity == 3


def test_the_largest_capacity_is_the_documented_one(ring_class: RingClass) -> None:
    assert (ring_class(MAX_CAPACITY_ELEMENTS).capacity, MAX_CAPACITY_ELEMENTS) == (2**24, 2**24)


def test_repr_shows_fill_and_capacity(ring_class: RingClass) -> None:
    assert repr(ring_with(ring_class, "a", "b", capacity=5)) == f"{ring_class.__name__}(2 of 5 elements)"


def test_signatures_are_visible(ring_class: RingClass) -> None:
    signatures = [
        str(inspect.signature(method)) for method in (ring_class.offer, ring_class.drain, ring_class.drain_to)
    ]
    assert signatures == ["(self, element, /)", "(self, /, limit=None)", "(self, receiver, /, *, limit=None)"]


def test_a_ring_is_generic_for_annotations(ring_class: RingClass) -> None:
    assert ring_class[int].__origin__ is ring_class


def test_a_ring_cannot_be_subclassed_or_copied(ring_class: RingClass) -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Subclass", (ring_class,), {})
    with pytest.raises(TypeError, match="cannot pickle"):
        copy.copy(ring_class(1))


def test_what_the_rings_have_in_common_cannot_be_made(ring_class: RingClass) -> None:
    with pytest.raises(TypeError, match="make an SpscRing or an MpscRing"):
        BoundedRing()
    assert isinstance(ring_class(1), BoundedRing)


def test_a_class_derived_from_what_the_rings_have_in_common_is_a_ring_without_room() -> None:
    class Derived(BoundedRing[int]):
        pass

    ring = Derived()
    assert (ring.capacity, len(ring), ring.drain(), ring.drain_to(print), ring.is_full) == (0, 0, [], 0, True)
