"""Producers that wait for room in a line, in every interleaving, on a memory that writes late: sync/wait_queue.pyx.

A queue of one place is full. The consumer frees the place of each element that it takes, then exchanges the length of
the line and lets the first waiter look again. A producer enters the line, which exchanges the length too, and looks
behind that. Some give up, or are told that the queue was closed.
"""

from collections.abc import Hashable
from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore
from tests.interleavings.store_buffer import buffers, is_drained, load, store, writers

CAPACITY = 1


def waiting(name: str, mutant: str, *, gives_up: bool = False, handles_signal: bool = False) -> Actor:
    """Waits for a place and takes it; with a handler, waits for another one first, while it waits already."""

    def start(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.me = f"{name}{own.depth}"
        return "look" if mutant == "look before entering" else "enter"

    def enter(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_first = own.depth > 0 and mutant != "handlers stand in line"
        shared.line = (own.me, *shared.line) if is_first else (*shared.line, own.me)
        if mutant == "length by a store":
            store(shared, name, "length", len(shared.line), is_release=False)
            return "look"
        shared.length += 1
        return "park" if mutant == "look before entering" else "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_closed:
            own.result = "closed"
            return leave_or_enter(own)
        if shared.claimed - load(shared, name, "freed") < CAPACITY:
            shared.claimed += 1
            own.result = "accepted"
            return leave_or_enter(own)
        if mutant == "look before entering" and not own.is_in_line:
            own.is_in_line = True
            return "enter"
        return "park"

    def leave_or_enter(own: SimpleNamespace) -> str:
        if mutant == "look before entering" and not own.is_in_line:
            return "finish"
        return "leave"

    def park(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.me in shared.permits:
            shared.permits -= {own.me}
            return "look"
        if handles_signal and own.depth == 0 and not own.has_handled:
            own.has_handled = True
            own.depth = 1
            return "start"
        if gives_up and shared.is_time_up:
            own.result = "gave up"
            return "leave"
        return BLOCKED

    def leave(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.line = tuple(waiter for waiter in shared.line if waiter != own.me)
        shared.permits -= {own.me}
        if mutant == "length by a store":
            store(shared, name, "length", len(shared.line), is_release=False)
        else:
            shared.length -= 1
        if mutant == "who leaves wakes nobody" or (mutant == "who gives up wakes nobody" and own.result == "gave up"):
            return "finish"
        return "wake"

    def wake(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "wake first" if load(shared, name, "length") else "finish"

    def wake_first(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        give_permit(shared)
        return "finish"

    def finish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.results |= {(own.me, own.result)}
        if own.depth:  # the handler returns to the park that it interrupted
            own.depth = 0
            own.me = f"{name}0"
            return "look"
        return DONE

    steps = {
        "start": start,
        "enter": enter,
        "look": look,
        "park": park,
        "leave": leave,
        "wake": wake,
        "wake first": wake_first,
        "finish": finish,
    }
    return Actor(name, steps, {"me": "", "depth": 0, "result": "", "is_in_line": False, "has_handled": False})


def give_permit(shared: SimpleNamespace) -> None:
    if shared.line:
        shared.permits |= {shared.line[0]}


def consumer(mutant: str) -> Actor:
    """Takes elements out as they are there."""

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.taken == shared.claimed:
            return BLOCKED
        own.taken += 1
        return "look at the line" if mutant == "the line before the place" else "free"

    def free(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "consumer", "freed", own.taken, is_release=True)
        if mutant == "the line before the place":
            return "wake first" if own.has_seen else "take"
        return "take" if mutant == "the consumer wakes nobody" else "look at the line"

    def look_at_the_line(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "the length by a load":
            own.has_seen = bool(load(shared, "consumer", "length"))
        elif not is_drained(shared, "consumer"):
            return BLOCKED  # an exchange is a fence
        else:
            own.has_seen = bool(shared.length)
        if mutant == "the line before the place":
            return "free"
        return "wake first" if own.has_seen else "take"

    def wake_first(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        give_permit(shared)
        return "take"

    steps = {"take": take, "free": free, "look at the line": look_at_the_line, "wake first": wake_first}
    return Actor("consumer", steps, {"taken": 0, "has_seen": False}, is_daemon=True)


def closing(mutant: str) -> Actor:
    def close(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_closed = True
        return DONE if mutant == "closing wakes nobody" else "wake"

    def wake(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "wake first" if shared.length else DONE

    def wake_first(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        give_permit(shared)
        return DONE

    return Actor("ender", {"close": close, "wake": wake, "wake first": wake_first})


def clock() -> Actor:
    def ring(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_time_up = True
        return DONE

    return Actor("clock", {"ring": ring})


# Who takes part.
SITUATIONS = {
    "one waiter": lambda mutant: [waiting("a", mutant), consumer(mutant)],
    "two waiters": lambda mutant: [waiting("a", mutant), waiting("b", mutant), consumer(mutant)],
    "one room for two": lambda mutant: [
        waiting("a", mutant, gives_up=True),
        waiting("b", mutant),
        consumer(mutant),
        clock(),
    ],
    "the end": lambda mutant: [waiting("a", mutant), waiting("b", mutant), closing(mutant)],
    "the end beside a consumer": lambda mutant: [waiting("a", mutant), consumer(mutant), closing(mutant)],
    "a handler": lambda mutant: [waiting("a", mutant, handles_signal=True), consumer(mutant)],
}

# Where each mutant shows: always as somebody who sleeps for ever.
FOUND_BY = {
    "look before entering": "one waiter",
    "length by a store": "one waiter",
    "the length by a load": "one waiter",
    "the line before the place": "one waiter",
    "the consumer wakes nobody": "one waiter",
    "who leaves wakes nobody": "the end",
    "who gives up wakes nobody": "one room for two",
    "closing wakes nobody": "the end",
    "handlers stand in line": "a handler",
}


def explore_line(situation: str, mutant: str = "") -> int:
    actors = SITUATIONS[situation](mutant)
    names = [actor.name for actor in actors if len(actor.name) == 1]

    def check(shared: SimpleNamespace) -> None:
        assert shared.claimed - shared.freed <= CAPACITY + 1, "too many were accepted"

    def all_left(shared: SimpleNamespace) -> None:
        assert (shared.line, shared.length) == ((), 0), "somebody stays in line"
        assert {who[0] for who, _ in shared.results} == set(names)

    shared: dict[str, Hashable] = {
        "claimed": CAPACITY,
        "freed": 0,
        "length": 0,
        "line": (),
        "permits": frozenset(),
        "results": frozenset(),
        "is_closed": False,
        "is_time_up": False,
    }
    memory = [*writers("consumer", ["freed"]), *(writer for name in names for writer in writers(name, ["length"]))]
    return explore({**shared, **buffers(["consumer", *names])}, [*actors, *memory], always=check, at_end=all_left)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_nobody_sleeps_beside_free_room_in_any_interleaving(situation: str) -> None:
    assert explore_line(situation) > 20  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", FOUND_BY)
def test_a_broken_line_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=r"deadlock: .* at park"):
        explore_line(FOUND_BY[mutant], mutant)
