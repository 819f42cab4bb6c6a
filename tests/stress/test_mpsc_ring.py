"""The ring of many producers under Python threads, in outcomes: what its threads may and must not see of each other."""

from collections import Counter
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

from rs_core.queues.mpsc_ring import EMPTY, MpscRing
from tests.conftest import Depth
from tests.stress.outcomes import Action, Hesitate, Table, Verdict, judge, observe
from tests.together import many_switches

ROUNDS = 300
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


def ring_of(capacity: int, *elements: Hashable) -> MpscRing[Hashable]:
    ring: MpscRing[Hashable] = MpscRing(capacity)
    ring.offer_batch(elements)
    return ring


def two_producers_beside_three_polls() -> list[Action]:
    ring = ring_of(4)

    def consume(hesitate: Hesitate) -> Hashable:
        polled = []
        for _ in range(3):
            polled.append(ring.poll())
            hesitate()
        return tuple(element for element in [*polled, *ring.drain()] if element is not EMPTY)

    return [
        lambda hesitate: (ring.offer("a1"), hesitate(), ring.offer("a2"))[::2],
        lambda hesitate: ring.offer("b"),
        consume,
    ]


def two_producers_for_the_last_room() -> list[Action]:
    ring = ring_of(2, "first")
    return [lambda hesitate: ring.offer("a"), lambda hesitate: ring.offer("b")]


def two_producers_and_a_poll_of_a_full_ring() -> list[Action]:
    ring = ring_of(1, "first")
    return [lambda hesitate: ring.offer("a"), lambda hesitate: ring.offer("b"), lambda hesitate: ring.poll()]


def two_batches_beside_a_drain() -> list[Action]:
    ring = ring_of(3)
    return [
        lambda hesitate: (ring.offer_batch(["a1", "a2"]), hesitate(), ring.offer_batch(["a3"]))[::2],
        lambda hesitate: ring.offer_batch(["b1", "b2"]),
        lambda hesitate: tuple(ring.drain()),
    ]


def sizes_seen_beside_producer_and_consumer() -> list[Action]:
    ring = ring_of(1)
    return [
        lambda hesitate: ring.offer("a"),
        lambda hesitate: ring.poll() is not EMPTY,
        lambda hesitate: (len(ring), hesitate(), len(ring))[::2],
    ]


def merges(first: tuple[str, ...], second: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return every order of both that keeps the order of each."""
    if not first or not second:
        return {first + second}
    return {(first[0], *rest) for rest in merges(first[1:], second)} | {
        (second[0], *rest) for rest in merges(first, second[1:])
    }


# What the drain took when it came, after so many elements of each producer; the rest stays in the ring.
DRAINED = {order[:length] for order in merges(("a1", "a2", "a3"), ("b1", "b2")) for length in range(4)}

TABLES: dict[Callable[[], list[Action]], Table] = {
    two_producers_beside_three_polls: {
        **{
            ((True, True), True, prefix): (ALLOWED, "the order of each producer is kept")
            for order in merges(("a1", "a2"), ("b",))
            for prefix in (order[:length] for length in range(4))
        },
        ((True, True), True, ("a2", "a1", "b")): (FORBIDDEN, "a producer's elements changed places"),
        ((True, True), True, ("a2", "b")): (FORBIDDEN, "an element was lost"),
    },
    two_producers_for_the_last_room: {
        (True, False): (ALLOWED, "the first producer took it"),
        (False, True): (ALLOWED, "the second producer took it"),
        (True, True): (FORBIDDEN, "more elements than the capacity"),
        (False, False): (FORBIDDEN, "a ring with room refused both"),
    },
    two_producers_and_a_poll_of_a_full_ring: {
        (False, False, "first"): (ALLOWED, "the poll came last"),
        (True, False, "first"): (ALLOWED, "the first producer came after the poll, and before the second"),
        (False, True, "first"): (ALLOWED, "the second producer came after the poll, and before the first"),
        (True, True, "first"): (FORBIDDEN, "more elements than the capacity"),
    },
    two_batches_beside_a_drain: {
        ((first, third), second, drained): (ALLOWED, "the first elements of each batch, in order")
        for first, third, second in product(range(3), range(2), range(3))
        for drained in DRAINED
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


def test_what_four_producers_offer_arrives_complete_and_in_their_order(depth: Depth) -> None:
    producers, count = 4, depth.scaled(400)
    ring: MpscRing[tuple[int, int]] = MpscRing(3)
    refused: Counter[int] = Counter()

    def produce(producer: int) -> None:
        for number in range(count):
            while not ring.offer((producer, number)):
                refused[producer] += 1

    def consume() -> list[tuple[int, int]]:
        arrived: list[tuple[int, int]] = []
        while len(arrived) < producers * count:
            arrived += ring.drain()
        return arrived

    with many_switches(), ThreadPoolExecutor(producers + 1) as pool:
        for produced in [pool.submit(produce, producer) for producer in range(producers)]:
            produced.add_done_callback(lambda done: done.result())
        arrived = pool.submit(consume).result()
    for producer in range(producers):
        assert [number for of, number in arrived if of == producer] == list(range(count))
    # Each refusal is an offer that met a ring which another producer had filled.
    assert refused.total() >= 0.1 * producers * count
