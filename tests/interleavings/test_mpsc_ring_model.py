"""The ring of mpsc_ring.h in every interleaving of two and three actors, and with each step or order broken."""

from collections.abc import Callable

import pytest

from tests.interleavings.explorer import ViolationError
from tests.interleavings.mpsc_ring_model import closer, consumer, evictor, explore_ring, producer, reader

pytestmark = pytest.mark.slow

# Fewer elements than slots, of which there are at least two, and as many.
CAPACITIES = [1, 2]

Situation = Callable[..., int]


def one_producer(capacity: int, mutant: str = "") -> int:
    """More elements than slots, so that slots are used again."""
    elements = "abcdef"[: 4 if capacity < 3 else 5]
    return explore_ring(capacity, [producer("p0", elements, capacity, mutant), consumer(capacity, mutant)])


def two_producers(capacity: int, mutant: str = "") -> int:
    first, second = producer("p0", "ab", capacity, mutant), producer("p1", "c", capacity, mutant)
    return explore_ring(capacity, [first, second, consumer(capacity, mutant)])


def producer_and_closer(capacity: int, mutant: str = "") -> int:
    return explore_ring(capacity, [producer("p0", "ab", capacity, mutant), closer(mutant), consumer(capacity, mutant)])


def closer_and_reader(capacity: int, mutant: str = "") -> int:
    offering = producer("p0", "a", capacity, mutant)
    return explore_ring(capacity, [offering, closer(mutant), reader(), consumer(capacity, mutant)])


def producer_and_evictor(capacity: int, mutant: str = "") -> int:
    """The consumer takes as an evictor does: it has to where producers evict."""
    evicting, taking = evictor("e0", 1, capacity, mutant), evictor("e1", -1, capacity, mutant)
    return explore_ring(capacity, [producer("p0", "abc", capacity, mutant), evicting, taking])


SITUATIONS = [one_producer, two_producers, producer_and_closer, closer_and_reader, producer_and_evictor]


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_ring_keeps_its_promises_in_any_interleaving(situation: Situation, capacity: int) -> None:
    assert situation(capacity) > 250  # interleavings were explored indeed


@pytest.mark.parametrize("capacity", [3, 4])
def test_a_ring_of_four_slots_keeps_its_promises_in_any_interleaving(capacity: int) -> None:
    assert one_producer(capacity) > 1000


MUTANTS = [
    ("claim without compare", two_producers, "took"),
    ("claim without compare", producer_and_closer, "accepted after the close"),
    ("publish before write", one_producer, "took"),
    ("relaxed publish", one_producer, "took"),
    ("relaxed publish", producer_and_evictor, "took"),
    ("write before acquire", two_producers, "took"),
    ("write before acquire", producer_and_evictor, "took"),
    ("no sequence check", producer_and_evictor, "deadlock"),
    ("no capacity check", one_producer, "more elements than the capacity"),
    ("off by one", one_producer, "more elements than the capacity"),
    ("no second look", one_producer, "busy, but nobody evicted"),
    ("read before acquire", one_producer, "took"),
    ("poll without a look", one_producer, "took"),
    ("free before read", one_producer, "took"),
    ("index before free", one_producer, "busy, but nobody evicted"),
    ("relaxed index", one_producer, "busy, but nobody evicted"),
    ("close not seen", producer_and_closer, "accepted after the close"),
    ("close without exchange", producer_and_closer, "deadlock"),
    ("relaxed close", closer_and_reader, "seen closed before"),
    ("evict without compare", producer_and_evictor, "took"),
    ("evict without a look", producer_and_evictor, "took"),
    ("evict frees before it reads", producer_and_evictor, "took"),
    ("evict frees before it claims", producer_and_evictor, "took"),
]

# With more slots than elements the capacity alone keeps a producer away from a slot that is not free.
NEED_SCARCE_SLOTS = ["no second look", "free before read", "index before free"]


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize(("mutant", "situation", "said"), MUTANTS)
def test_a_broken_ring_is_found(mutant: str, situation: Situation, said: str, capacity: int) -> None:
    if capacity == 1 and mutant in NEED_SCARCE_SLOTS:
        capacity = 4
    with pytest.raises(ViolationError, match=said):
        situation(capacity, mutant)


@pytest.mark.parametrize("mutant", NEED_SCARCE_SLOTS)
def test_a_ring_with_more_slots_than_elements_is_safe_without_some_steps(mutant: str) -> None:
    """Why these mutants are looked for where there are as many slots as elements."""
    assert one_producer(1, mutant) > 250
