import copy
import inspect
from collections.abc import Callable, Iterator

import pytest

from rs_core.errors import ArgumentError, ArgumentTypeError, CapacityError
from rs_core.spsc_ring import EMPTY, MAX_CAPACITY_ELEMENTS, Empty, SpscRing


def ring_with(*elements: object, capacity: int | None = None) -> SpscRing[object]:
    ring: SpscRing[object] = SpscRing(capacity or len(elements))
    assert ring.offer_batch(elements) == len(elements)
    return ring


class Index:
    def __index__(self) -> int:
        return 3


def test_elements_leave_in_the_order_in_which_they_came() -> None:
    ring = ring_with("a", "b", "c")
    assert [ring.poll(), ring.poll(), ring.poll(), ring.poll()] == ["a", "b", "c", EMPTY]


@pytest.mark.parametrize("capacity", [1, 2, 3, 4, 5, 7, 8, 9, 1000])
def test_a_ring_holds_exactly_its_capacity(capacity: int) -> None:
    ring: SpscRing[int] = SpscRing(capacity)
    accepted = [ring.offer(element) for element in range(capacity + 2)]
    assert (accepted, len(ring), ring.capacity) == ([True] * capacity + [False] * 2, capacity, capacity)


@pytest.mark.parametrize("capacity", [1, 3, 4, 5])
def test_order_and_capacity_hold_over_many_rounds(capacity: int) -> None:
    ring: SpscRing[int] = SpscRing(capacity)
    polled = []
    for element in range(10 * capacity):
        while not ring.offer(element):
            polled.append(ring.poll())
    assert polled + ring.drain() == list(range(10 * capacity))


def test_none_and_false_are_ordinary_elements() -> None:
    ring = ring_with(None, False, 0)
    assert [ring.poll(), ring.poll(), ring.poll(), ring.poll()] == [None, False, 0, EMPTY]


def test_peek_leaves_the_element_in_the_ring() -> None:
    ring = ring_with("a", "b")
    assert (ring.peek(), ring.peek(), len(ring), ring.poll(), ring.peek()) == ("a", "a", 2, "a", "b")


def test_peek_and_poll_of_an_empty_ring_answer_empty() -> None:
    ring: SpscRing[int] = SpscRing(1)
    assert (ring.peek(), ring.poll()) == (EMPTY, EMPTY)


def test_length_and_the_two_ends_are_observable() -> None:
    ring: SpscRing[int] = SpscRing(2)
    observed = [(len(ring), ring.is_empty, ring.is_full)]
    for element in (1, 2):
        ring.offer(element)
        observed.append((len(ring), ring.is_empty, ring.is_full))
    assert observed == [(0, True, False), (1, False, False), (2, False, True)]


def test_empty_is_refused_as_an_element() -> None:
    ring: SpscRing[object] = SpscRing(2)
    with pytest.raises(ArgumentError, match="EMPTY is no element"):
        ring.offer(EMPTY)
    assert (len(ring), repr(EMPTY), type(EMPTY)) == (0, "EMPTY", Empty)


def test_empty_inside_a_batch_is_refused_and_what_came_before_stays() -> None:
    ring: SpscRing[object] = SpscRing(4)
    with pytest.raises(ArgumentError, match="EMPTY is no element"):
        ring.offer_batch([1, EMPTY, 2])
    assert ring.drain() == [1]


def test_a_batch_stops_at_a_full_ring_and_the_iterator_loses_nothing() -> None:
    elements = iter(range(7))
    ring: SpscRing[int] = SpscRing(3)
    rounds = [(ring.offer_batch(elements), ring.drain()) for _ in range(4)]
    assert rounds == [(3, [0, 1, 2]), (3, [3, 4, 5]), (1, [6]), (0, [])]


def test_a_batch_offered_to_a_full_ring_takes_nothing_from_the_iterator() -> None:
    elements = iter("ab")
    assert (ring_with(1).offer_batch(elements), next(elements)) == (0, "a")


def test_an_iterator_that_raises_leaves_what_it_gave_before() -> None:
    def elements() -> Iterator[int]:
        yield 1
        yield 2
        raise LookupError("no more")

    ring: SpscRing[int] = SpscRing(4)
    with pytest.raises(LookupError, match="no more"):
        ring.offer_batch(elements())
    assert ring.drain() == [1, 2]


def test_a_consumer_may_poll_while_the_iterator_of_a_batch_runs() -> None:
    polled: list[object] = []

    def elements() -> Iterator[int]:
        for element in range(6):
            yield element
            polled.append(ring.poll())

    ring: SpscRing[int] = SpscRing(1)
    # After the first one the ring is full, so the iterator is asked no more, and polls no more.
    assert (ring.offer_batch(elements()), polled, ring.drain()) == (1, [], [0])


def test_an_iterator_that_fills_the_ring_itself_is_reported_with_the_lost_element() -> None:
    def elements() -> Iterator[str]:
        ring.offer("inner")
        yield "outer"

    ring: SpscRing[str] = SpscRing(1)
    with pytest.raises(CapacityError, match="filled the ring of 1 elements itself, so 'outer' is lost"):
        ring.offer_batch(elements())
    assert ring.drain() == ["inner"]


@pytest.mark.parametrize("elements", [5, None])
def test_a_batch_of_what_is_not_iterable_is_refused(elements: object) -> None:
    ring: SpscRing[object] = SpscRing(1)
    with pytest.raises(ArgumentTypeError, match=f"needs an iterable, got {elements!r}"):
        ring.offer_batch(elements)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, [1, 2, 3]), (0, []), (2, [1, 2]), (3, [1, 2, 3]), (10**30, [1, 2, 3])]
)
def test_drain_takes_up_to_the_limit(limit: int | None, expected: list[int]) -> None:
    ring = ring_with(1, 2, 3, capacity=5)
    assert (ring.drain(limit), len(ring)) == (expected, 3 - len(expected))


def test_drain_to_passes_each_element_in_order() -> None:
    passed: list[object] = []
    ring = ring_with(1, 2, 3)
    assert (ring.drain_to(passed.append), passed, ring.is_empty) == (3, [1, 2, 3], True)


def test_drain_to_stops_at_its_limit() -> None:
    passed: list[object] = []
    ring = ring_with(1, 2, 3)
    assert (ring.drain_to(passed.append, limit=2), passed, ring.drain()) == (2, [1, 2], [3])


def test_drain_to_ends_although_the_receiver_offers_again() -> None:
    ring = ring_with(1, 2, 3)
    assert (ring.drain_to(ring.offer), ring.drain()) == (3, [1, 2, 3])


def test_a_receiver_may_poll_the_ring_it_is_fed_from() -> None:
    passed: list[object] = []
    ring = ring_with(1, 2, 3, 4)
    assert (ring.drain_to(lambda element: passed.append((element, ring.poll()))), passed) == (2, [(1, 2), (3, 4)])


def test_a_receiver_that_raises_keeps_its_element_and_leaves_the_others() -> None:
    def receiver(element: object) -> None:
        if element == 2:
            raise LookupError("not this one")

    ring = ring_with(1, 2, 3)
    with pytest.raises(LookupError, match="not this one"):
        ring.drain_to(receiver)
    assert ring.drain() == [3]


def test_a_receiver_that_is_not_callable_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a callable, got 5 \(int\)"):
        ring_with(1).drain_to(5)


@pytest.mark.parametrize(
    "drain", [lambda ring, limit: ring.drain(limit), lambda ring, limit: ring.drain_to(id, limit=limit)]
)
@pytest.mark.parametrize(
    ("limit", "error"),
    [(-1, ArgumentError), ("1", ArgumentTypeError), (1.0, ArgumentTypeError), (True, ArgumentTypeError)],
)
def test_a_bad_limit_is_refused_and_nothing_is_taken(
    drain: Callable[[SpscRing[object], object], object], limit: object, error: type[Exception]
) -> None:
    ring = ring_with(1, 2)
    with pytest.raises(error, match=f"limit needs .* got {limit!r}"):
        drain(ring, limit)
    assert len(ring) == 2


@pytest.mark.parametrize("capacity", [0, -1, 2**40, MAX_CAPACITY_ELEMENTS + 1, -(10**30)])
def test_a_capacity_out_of_bounds_is_refused(capacity: int) -> None:
    with pytest.raises(ArgumentError) as refused:
        SpscRing(capacity)
    assert (
        str(refused.value) == f"capacity needs 1 to 16777216 elements, got {capacity}; pass a count within these bounds"
    )


@pytest.mark.parametrize("capacity", ["8", 8.0, None, True, False, b"1"])
def test_a_capacity_that_is_no_integer_is_refused_by_type(capacity: object) -> None:
    with pytest.raises(ArgumentTypeError) as refused:
        SpscRing(capacity)
    shown = f"{capacity!r} ({type(capacity).__name__})"
    assert str(refused.value) == f"capacity needs an integer, got {shown}; pass a count from 1 to 16777216"


def test_a_capacity_may_be_anything_with_an_index() -> None:
    assert SpscRing(Index()).capacity == 3


def test_the_largest_capacity_is_the_documented_one() -> None:
    assert (SpscRing(MAX_CAPACITY_ELEMENTS).capacity, MAX_CAPACITY_ELEMENTS) == (2**24, 2**24)


def test_repr_shows_fill_and_capacity() -> None:
    assert repr(ring_with("a", "b", capacity=5)) == "SpscRing(2 of 5 elements)"


def test_signatures_are_visible() -> None:
    signatures = [str(inspect.signature(method)) for method in (SpscRing.offer, SpscRing.drain, SpscRing.drain_to)]
    assert signatures == ["(self, element, /)", "(self, /, limit=None)", "(self, receiver, /, *, limit=None)"]


def test_a_ring_is_generic_for_annotations() -> None:
    assert SpscRing[int].__origin__ is SpscRing


def test_a_ring_cannot_be_subclassed_or_copied() -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Subclass", (SpscRing,), {})
    with pytest.raises(TypeError, match="cannot pickle"):
        copy.copy(SpscRing(1))
