"""How a stage hands elements out to rails that give room back (parallel.pyx), in every interleaving of two rails."""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore

RAILS = 2
ROOM = 1
ELEMENTS = 4

MUTANTS = {
    "notify before room": "kept waiting",
    "room without notice": "kept waiting",
    "room before poll": "overflows",
    "hand out without taking of the room": "overflows",
    "look before MISSED is cleared": "kept waiting",
    "idle without MISSED": "kept waiting",
    "take the token while the operators run": "holds the token",
}


def replaced(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def rail(index: int, mutant: str) -> Actor:
    """The drainer of a rail: takes an element out, runs the operators, gives room, and notifies the stage."""

    def poll(state: SimpleNamespace, _: SimpleNamespace) -> str:
        if state.rings[index] == 0:
            return DONE if state.results == ELEMENTS else BLOCKED
        if mutant == "room before poll":
            state.room = replaced(state.room, index, state.room[index] + 1)
            return "poll after room"
        state.rings = replaced(state.rings, index, state.rings[index] - 1)
        return "notify before" if mutant == "take the token while the operators run" else "operators"

    def poll_after_room(state: SimpleNamespace, _: SimpleNamespace) -> str:
        state.rings = replaced(state.rings, index, state.rings[index] - 1)
        return "operators"

    def notify_before(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.missed = True
        own.has_token = not state.token
        state.token = True
        return "operators"

    def operators(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert not own.has_token, "a rail holds the token of the stage while its operators run"
        state.results += 1
        if mutant == "room before poll":
            return "notify"
        return "notify" if mutant == "notify before room" else "room"

    def give(state: SimpleNamespace, _: SimpleNamespace) -> str:
        state.room = replaced(state.room, index, state.room[index] + 1)
        return "poll" if mutant in {"notify before room", "room without notice"} else "notify"

    def notify(state: SimpleNamespace, _: SimpleNamespace) -> str:
        state.missed = True
        state.token = True  # who takes it runs the drainer
        return "room" if mutant == "notify before room" else "poll"

    steps = {
        "poll": poll,
        "poll after room": poll_after_room,
        "notify before": notify_before,
        "operators": operators,
        "room": give,
        "notify": notify,
    }
    return Actor(f"rail {index}", steps, {"has_token": False})


def drainer(mutant: str) -> Actor:
    """The drainer of the stage, which has all elements from the start on."""

    def wait(state: SimpleNamespace, _: SimpleNamespace) -> str:
        if state.token:
            return "look" if mutant == "look before MISSED is cleared" else "clear"
        return DONE if state.waiting == 0 else BLOCKED

    def clear(state: SimpleNamespace, _: SimpleNamespace) -> str:
        state.missed = False
        return "idle" if mutant == "look before MISSED is cleared" else "look"

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        free = [place % RAILS for place in range(own.next, own.next + RAILS) if state.room[place % RAILS] > 0]
        if state.waiting == 0 or not free:
            return "clear" if mutant == "look before MISSED is cleared" else "idle"
        own.next = free[0]
        return "offer" if mutant == "hand out without taking of the room" else "take room"

    def take_room(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.room = replaced(state.room, own.next, state.room[own.next] - 1)
        return "offer"

    def offer(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert state.rings[own.next] < ROOM, "the queue of a rail overflows"
        state.rings = replaced(state.rings, own.next, state.rings[own.next] + 1)
        state.waiting -= 1
        own.next = (own.next + 1) % RAILS
        return "look"

    def idle(state: SimpleNamespace, _: SimpleNamespace) -> str:
        if state.missed and mutant != "idle without MISSED":
            return "look" if mutant == "look before MISSED is cleared" else "clear"
        state.token = False
        return "wait"

    steps = {"wait": wait, "clear": clear, "look": look, "take room": take_room, "offer": offer, "idle": idle}
    return Actor("drainer", steps, {"next": 0})


def explored(mutant: str) -> int:
    shared = {
        "rings": (0,) * RAILS,
        "room": (ROOM,) * RAILS,
        "waiting": ELEMENTS,
        "results": 0,
        "token": True,
        "missed": True,
    }
    try:
        return explore(shared, [drainer(mutant), *(rail(index, mutant) for index in range(RAILS))])
    except ViolationError as error:
        # An element that nobody hands out: its drainer waits, and so do the rails.
        raise ViolationError(str(error).replace("deadlock:", "an element is kept waiting:")) from None


def test_every_element_is_handed_out_and_no_queue_overflows() -> None:
    assert explored("none") > 100


@pytest.mark.parametrize("mutant", MUTANTS)
def test_each_step_is_needed(mutant: str) -> None:
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        explored(mutant)
