"""A consumer that sleeps when it finds nothing, and producers that wake it: parker.h and the protocol around it.

Consumer: finds nothing, sets `is_waiting`, looks again, parks. Producer: publishes, exchanges `is_waiting`, unparks.
Both write and then read what the other wrote, on a memory that writes late.
"""

from collections.abc import Hashable
from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore
from tests.interleavings.store_buffer import buffers, is_drained, load, store, writers

# What each mutant does, and as what it shows.
MUTANTS = {
    "no second look": "deadlock: consumer at acquire",
    "announce after the second look": "deadlock: consumer at acquire",
    "second look without a fence": "deadlock: consumer at acquire",
    "producer looks before it publishes": "deadlock: consumer at acquire",
    "producer looks without a fence": "deadlock: consumer at acquire",
    "wake-up without memory": "deadlock: consumer at acquire",
    "permit used up before the lock": "deadlock: consumer at acquire",
    "unpark without a permit": "the lock was released twice",
}


def producer(name: str, count: int, mutant: str) -> Actor:
    def publish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.published == count:
            return DONE
        own.published += 1
        if mutant == "producer looks before it publishes":
            return "look"
        return publish_now(shared, own)

    def publish_now(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, name, f"published_by_{name}", own.published, is_release=True)
        if mutant == "producer looks before it publishes":
            return "permit" if own.must_wake else "publish"
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "producer looks without a fence":
            own.must_wake = bool(load(shared, name, "is_waiting"))
            return "permit" if own.must_wake else "publish"
        if not is_drained(shared, name):
            return BLOCKED  # an exchange is a fence
        own.must_wake, shared.is_waiting = bool(shared.is_waiting), 0
        if mutant == "producer looks before it publishes":
            return "publish now"
        return "permit" if own.must_wake else "publish"

    def permit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        had_permit, shared.permit = shared.permit, 1
        return "publish" if had_permit and mutant != "unpark without a permit" else "release"

    def release(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant != "wake-up without memory" or shared.is_asleep:
            shared.lock += 1
        return "publish"

    steps = {"publish": publish, "publish now": publish_now, "look": look, "permit": permit, "release": release}
    return Actor(name, steps, {"published": 0, "must_wake": False})


def consumer(expected: int, names: str, mutant: str) -> Actor:
    def published(shared: SimpleNamespace) -> int:
        return sum(load(shared, "consumer", f"published_by_{name}") for name in names)

    def poll(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_asleep = False
        if own.taken < published(shared):
            own.taken += 1
            return DONE if own.taken == expected else "poll"
        return "look again" if mutant == "announce after the second look" else "announce"

    def announce(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "consumer", "is_waiting", 1, is_release=True)
        if mutant in {"no second look", "announce after the second look"}:
            return "park"
        return "look again"

    def look_again(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant != "second look without a fence" and not is_drained(shared, "consumer"):
            return BLOCKED
        if own.taken < published(shared):
            return "withdraw"
        return "announce" if mutant == "announce after the second look" else "park"

    def withdraw(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # Relaxed: a producer that has seen the 1 leaves a spare permit, so that the next park returns early.
        store(shared, "consumer", "is_waiting", 0, is_release=False)
        return "poll"

    def park(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "permit used up before the lock":
            shared.permit = 0
        return "acquire"

    def acquire(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.lock:
            shared.lock -= 1
            return "poll" if mutant == "permit used up before the lock" else "use permit"
        if shared.is_time_up:
            shared.is_time_up = False
            return "withdraw"
        if mutant == "wake-up without memory" and not shared.is_asleep:
            shared.is_asleep = True
            return "acquire"
        return BLOCKED

    def use_permit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not is_drained(shared, "consumer"):
            return BLOCKED  # an exchange is a fence
        shared.permit = 0
        return "poll"

    steps = {
        "poll": poll,
        "announce": announce,
        "look again": look_again,
        "withdraw": withdraw,
        "park": park,
        "acquire": acquire,
        "use permit": use_permit,
    }
    return Actor("consumer", steps, {"taken": 0})


def clock() -> Actor:
    """Lets one park time out, at any moment."""

    def ring(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_time_up = True
        return DONE

    return Actor("clock", {"ring": ring})


def explore_parking(names: str, count: int, mutant: str = "", *, is_timed: bool = False) -> int:
    def one_release(shared: SimpleNamespace) -> None:
        assert shared.lock <= 1, "the lock was released twice"

    places = {f"published_by_{name}": 0 for name in names}
    shared: dict[str, Hashable] = {"is_waiting": 0, "permit": 0, "lock": 0, "is_time_up": False, "is_asleep": False}
    actors = [consumer(count * len(names), names, mutant), *writers("consumer", ["is_waiting"])]
    for name in names:
        actors += [producer(name, count, mutant), *writers(name, [f"published_by_{name}"])]
    if is_timed:
        actors.append(clock())
    return explore({**shared, **places, **buffers(["consumer", *names])}, actors, always=one_release)


@pytest.mark.parametrize("is_timed", [False, True], ids=["without timeout", "with timeout"])
@pytest.mark.parametrize(("names", "count"), [("a", 1), ("a", 3), ("ab", 1)])
def test_no_wake_up_is_lost_in_any_interleaving(names: str, count: int, is_timed: bool) -> None:
    assert explore_parking(names, count, is_timed=is_timed) > 20  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_wake_up_is_found(mutant: str) -> None:
    # With a single producer `is_waiting` already keeps a second unpark away.
    names, count = ("ab", 2) if mutant == "unpark without a permit" else ("a", 3)
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        explore_parking(names, count, mutant)
