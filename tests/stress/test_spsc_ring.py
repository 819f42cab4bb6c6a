"""The ring under Python threads, in outcomes: what two threads may and must not see of each other."""

import gc
import threading
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rs_core.queues.spsc_ring import EMPTY, SpscRing
from tests.conftest import Depth
from tests.stress.outcomes import Action, Hesitate, Table, Verdict, judge, observe

ROUNDS = 300
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


def ring_of(capacity: int, *elements: object) -> SpscRing[Hashable]:
    ring: SpscRing[Hashable] = SpscRing(capacity)
    ring.offer_batch(elements)
    return ring


def two_polls_beside_two_offers() -> list[Action]:
    ring = ring_of(2)
    return [
        lambda hesitate: (ring.offer("a"), hesitate(), ring.offer("b"))[::2],
        lambda hesitate: (ring.poll(), hesitate(), ring.poll())[::2],
    ]


def an_offer_to_a_full_ring_beside_two_polls() -> list[Action]:
    ring = ring_of(1, "a")
    return [lambda hesitate: ring.offer("b"), lambda hesitate: (ring.poll(), hesitate(), ring.poll())[::2]]


def a_batch_beside_a_drain() -> list[Action]:
    ring = ring_of(2)

    def elements(hesitate: Hesitate) -> Iterator[str]:
        for element in "ab":
            hesitate()
            yield element

    return [lambda hesitate: ring.offer_batch(elements(hesitate)), lambda hesitate: tuple(ring.drain())]


def a_peek_and_poll_beside_an_offer() -> list[Action]:
    ring = ring_of(2)
    return [lambda hesitate: ring.offer("a"), lambda hesitate: (ring.peek(), hesitate(), ring.poll())[::2]]


def sizes_seen_beside_producer_and_consumer() -> list[Action]:
    ring = ring_of(1)
    return [
        lambda hesitate: ring.offer("a"),
        lambda hesitate: ring.poll() is not EMPTY,
        lambda hesitate: (len(ring), hesitate(), len(ring))[::2],
    ]


TABLES: dict[Callable[[], list[Action]], Table] = {
    two_polls_beside_two_offers: {
        ((True, True), ("a", "b")): (ALLOWED, "both offers came first"),
        ((True, True), ("a", EMPTY)): (ALLOWED, "the second poll came before the second offer"),
        ((True, True), (EMPTY, "a")): (ALLOWED, "the first offer came between the polls"),
        ((True, True), (EMPTY, EMPTY)): (ALLOWED, "both polls came first"),
        ((True, True), ("b", "a")): (FORBIDDEN, "elements changed places"),
        ((True, True), (EMPTY, "b")): (FORBIDDEN, "an element was lost"),
        ((True, True), ("a", "a")): (FORBIDDEN, "an element came twice"),
    },
    an_offer_to_a_full_ring_beside_two_polls: {
        (False, ("a", EMPTY)): (ALLOWED, "the offer came before the first poll"),
        (True, ("a", "b")): (ALLOWED, "the offer came between the polls"),
        (True, ("a", EMPTY)): (ALLOWED, "the offer came after both polls, or was not visible to the second one yet"),
        (False, ("a", "b")): (FORBIDDEN, "a refused element arrived"),
        (True, ("b", EMPTY)): (FORBIDDEN, "an accepted element overwrote one that was not read"),
    },
    a_batch_beside_a_drain: {
        (2, ()): (ALLOWED, "the drain came first"),
        (2, ("a",)): (ALLOWED, "the drain came between the elements of the batch"),
        (2, ("a", "b")): (ALLOWED, "the batch came first"),
        (2, ("b",)): (FORBIDDEN, "an element was lost"),
        (1, ("a",)): (FORBIDDEN, "a ring with room refused an element"),
    },
    a_peek_and_poll_beside_an_offer: {
        (True, (EMPTY, EMPTY)): (ALLOWED, "both came before the offer"),
        (True, (EMPTY, "a")): (ALLOWED, "the offer came between them"),
        (True, ("a", "a")): (ALLOWED, "both came after the offer"),
        (True, ("a", EMPTY)): (FORBIDDEN, "what was peeked was gone"),
    },
    sizes_seen_beside_producer_and_consumer: {
        (True, polled, sizes): (ALLOWED, "one element at most, which comes and goes")
        for polled in (True, False)
        for sizes in ((0, 0), (0, 1), (1, 0), (1, 1))
    },
}


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], list[Action]], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    judge(situation, observe(situation, rounds=rounds), TABLES[situation], rounds=rounds)


class Element:
    """Known to the collector, and part of a cycle of its own, so that a collection looks at it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.itself = self


@pytest.fixture
def busy_collector() -> Iterator[None]:
    """Let the collector run at every occasion."""
    thresholds = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    yield
    gc.set_threshold(*thresholds)


@pytest.mark.usefixtures("busy_collector")
def test_elements_pass_in_order_while_the_collector_runs() -> None:
    count, ring = 200, ring_of(8)
    numbers: list[int] = []
    offered, drained = threading.Semaphore(0), threading.Semaphore(0)

    def produce() -> None:
        elements = (Element(number) for number in range(count))
        while ring.offer_batch(elements):
            offered.release()
            drained.acquire()

    def consume() -> None:
        while len(numbers) < count:
            offered.acquire()
            numbers.extend(element.number for element in ring.drain())
            drained.release()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(produce), pool.submit(consume)]:
            done.result()
    assert numbers == list(range(count))
