"""The ring of spsc_ring.h in every interleaving, on a memory that writes late, and with each rule broken."""

from collections.abc import Hashable
from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore
from tests.interleavings.store_buffer import buffers, load, store, writers

ELEMENTS = ("a", "b", "c", "d")


def producer(capacity: int, mutant: str) -> Actor:
    def check(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.index == len(ELEMENTS):
            return DONE
        room = capacity + (mutant == "off by one")
        if own.index - own.cached >= room:
            own.cached = load(shared, "producer", "consumer_index")  # acquire (P2)
            if own.index - own.cached >= room:
                return BLOCKED  # full; nothing changes until the consumer moves
        return "publish" if mutant == "publish before write" else "write"

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "producer", f"slot_{own.index % capacity}", ELEMENTS[own.index], is_release=False)
        if mutant == "publish before write":
            own.index += 1
            return "check"
        return "publish"

    def publish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "producer", "producer_index", own.index + 1, is_release=mutant != "relaxed publish")  # P1
        if mutant == "publish before write":
            return "write"
        own.index += 1
        return "check"

    return Actor("producer", {"check": check, "write": write, "publish": publish}, {"index": 0, "cached": 0})


def consumer(capacity: int, mutant: str) -> Actor:
    def check(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.index == len(ELEMENTS):
            return DONE
        if mutant == "read before acquire":
            own.element = load(shared, "consumer", f"slot_{own.index % capacity}")
            return "acquire"
        return acquire(shared, own)

    def acquire(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.index == own.cached:
            own.cached = load(shared, "consumer", "producer_index")  # acquire (P1)
            if own.index == own.cached:
                return BLOCKED  # empty; nothing changes until the producer moves
        if mutant == "read before acquire":
            return "free"
        return "free" if mutant == "free before read" else "read"

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.element = load(shared, "consumer", f"slot_{own.index % capacity}")
        return "take" if mutant == "free before read" else "free"

    def free(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "consumer", "consumer_index", own.index + 1, is_release=True)  # P2
        return "read" if mutant == "free before read" else "take"

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.taken = (*shared.taken, own.element)
        own.index += 1
        own.element = None
        return "check"

    steps = {"check": check, "acquire": acquire, "read": read, "free": free, "take": take}
    return Actor("consumer", steps, {"index": 0, "cached": 0, "element": None})


def explore_ring(capacity: int, mutant: str = "") -> int:
    def in_order(shared: SimpleNamespace) -> None:
        assert shared.taken == ELEMENTS[: len(shared.taken)], f"took {shared.taken}"

    def complete(shared: SimpleNamespace) -> None:
        assert shared.taken == ELEMENTS, f"took only {shared.taken}"

    slots = [f"slot_{index}" for index in range(capacity)]
    shared: dict[str, Hashable] = {"producer_index": 0, "consumer_index": 0, "taken": ()}
    return explore(
        {**shared, **dict.fromkeys(slots), **buffers(["producer", "consumer"])},
        [
            producer(capacity, mutant),
            consumer(capacity, mutant),
            *writers("producer", ["producer_index", *slots]),
            *writers("consumer", ["consumer_index"]),
        ],
        always=in_order,
        at_end=complete,
    )


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_the_ring_keeps_order_and_loses_nothing_in_any_interleaving(capacity: int) -> None:
    assert explore_ring(capacity) > 50  # interleavings were explored indeed


@pytest.mark.parametrize("capacity", [1, 2])
@pytest.mark.parametrize(
    "mutant", ["relaxed publish", "publish before write", "read before acquire", "free before read", "off by one"]
)
def test_a_broken_ring_is_found(mutant: str, capacity: int) -> None:
    with pytest.raises(ViolationError, match="took"):
        explore_ring(capacity, mutant)
