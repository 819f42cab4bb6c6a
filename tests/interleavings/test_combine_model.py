"""How inputs list their ports and a drainer serves them (combine_stage.pyx), in every interleaving of two inputs."""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore

INPUTS = 2
ELEMENTS = 2

MUTANTS = {
    "mark before offer": "kept waiting",
    "no mark": "twice in a list|let go while listed",
    "list without notice": "kept waiting",
    "notice before list": "kept waiting",
    "look before the mark is taken away": "kept waiting",
    "never take the mark away": "kept waiting",
    "idle without MISSED": "kept waiting",
    "take the newest only": "kept waiting",
    "let an input that is over be listed": "let go while listed",
}


def replaced(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    return (*values[:index], value, *values[index + 1 :])


def port(index: int, mutant: str) -> Actor:
    """An input: its elements one by one, then its end, which counts as one more piece of news."""

    def offer(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.sent > ELEMENTS:
            return DONE
        own.sent += 1
        state.ring = replaced(state.ring, index, state.ring[index] + 1)
        return "notify" if mutant == "mark before offer" else "mark"

    def mark(state: SimpleNamespace, own: SimpleNamespace) -> str:
        was_listed = state.listed[index]
        state.listed = replaced(state.listed, index, 1)
        after = "offer" if mutant == "mark before offer" else "notify"
        if was_listed and mutant != "no mark":
            return after
        return "notify first" if mutant == "notice before list" else "list"

    def list_it(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert index not in state.arrived + state.to_serve, "a port is twice in a list"
        state.arrived = (index, *state.arrived)
        if mutant == "mark before offer":
            return "offer"
        return "next" if mutant in {"list without notice", "notice before list"} else "notify"

    def notify(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.missed = True
        state.token = True  # who takes it runs the drainer
        return "next"

    def notify_first(state: SimpleNamespace, own: SimpleNamespace) -> str:
        notify(state, own)
        return "list"

    def following(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.sent > ELEMENTS:
            return DONE
        return "mark" if mutant == "mark before offer" else "offer"

    steps = {
        "next": following,
        "offer": offer,
        "mark": mark,
        "list": list_it,
        "notify": notify,
        "notify first": notify_first,
    }
    return Actor(f"input {index}", steps, {"sent": 0})


def drainer(mutant: str, *, takes_one: bool) -> Actor:
    def wait(state: SimpleNamespace, own: SimpleNamespace) -> str:
        return "look" if state.token else BLOCKED

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.missed = False
        return "take"

    def take(state: SimpleNamespace, own: SimpleNamespace) -> str:
        arrived = state.arrived
        state.arrived = ()
        if mutant == "take the newest only":
            arrived = arrived[:1]
        state.to_serve = (*state.to_serve, *reversed(arrived))
        return "serve"

    def serve(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if not state.to_serve:
            return "leave"
        own.port, state.to_serve = state.to_serve[0], state.to_serve[1:]
        if state.over[own.port]:
            return "serve"
        if mutant == "never take the mark away":
            return "poll"
        return "peek" if mutant == "look before the mark is taken away" else "unmark"

    def peek(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen = state.ring[own.port]
        return "unmark"

    def unmark(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.listed = replaced(state.listed, own.port, 0)
        return "poll"

    def poll(state: SimpleNamespace, own: SimpleNamespace) -> str:
        found = own.seen if mutant == "look before the mark is taken away" else state.ring[own.port]
        if takes_one:
            found = min(found, 1)
        state.ring = replaced(state.ring, own.port, state.ring[own.port] - found)
        state.taken = replaced(state.taken, own.port, state.taken[own.port] + found)
        if state.taken[own.port] == ELEMENTS + 1:
            return "close"
        return "look for more" if takes_one and mutant != "leave what is left" else "take"

    def look_for_more(state: SimpleNamespace, own: SimpleNamespace) -> str:
        return "list again" if state.ring[own.port] else "take"

    def list_again(state: SimpleNamespace, own: SimpleNamespace) -> str:
        was_listed = state.listed[own.port]
        state.listed = replaced(state.listed, own.port, 1)
        if not was_listed:
            assert own.port not in state.arrived + state.to_serve, "a port is twice in a list"
            state.to_serve = (*state.to_serve, own.port)
        return "take"

    def close(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.over = replaced(state.over, own.port, 1)
        is_listed = state.listed[own.port]
        if mutant != "let an input that is over be listed":
            state.listed = replaced(state.listed, own.port, 1)  # nobody lists it any more
        state.let_go = replaced(state.let_go, own.port, 0 if is_listed else 1)
        return "take"

    def leave(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.missed and mutant != "idle without MISSED":
            return "look"
        state.token = False
        return "wait"

    steps = {
        "wait": wait,
        "look": look,
        "take": take,
        "serve": serve,
        "peek": peek,
        "unmark": unmark,
        "poll": poll,
        "look for more": look_for_more,
        "list again": list_again,
        "close": close,
        "leave": leave,
    }
    return Actor("drainer", steps, {"port": -1, "seen": 0}, is_daemon=True)


def run(mutant: str = "", *, takes_one: bool = False) -> int:
    shared = {
        "ring": (0,) * INPUTS,
        "listed": (0,) * INPUTS,
        "taken": (0,) * INPUTS,
        "over": (0,) * INPUTS,
        "let_go": (0,) * INPUTS,
        "arrived": (),
        "to_serve": (),
        "token": False,
        "missed": False,
    }

    def borrowed_ports_live(state: SimpleNamespace) -> None:
        for index in state.arrived + state.to_serve:
            assert not state.let_go[index], "a port was let go while listed"

    def all_was_taken(state: SimpleNamespace) -> None:
        assert state.taken == (ELEMENTS + 1,) * INPUTS, f"news was kept waiting: {state.taken}"
        assert state.over == (1,) * INPUTS

    actors = [*(port(index, mutant) for index in range(INPUTS)), drainer(mutant, takes_one=takes_one)]
    return explore(shared, actors, always=borrowed_ports_live, at_end=all_was_taken)


# An operator written in Python (authors/multi_input.pyx) is handed one element at a time.
@pytest.mark.slow
@pytest.mark.parametrize("takes_one", [False, True])
def test_every_piece_of_news_is_taken_in_any_interleaving(takes_one: bool) -> None:
    assert run(takes_one=takes_one) > 1000  # interleavings were explored indeed


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_list_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        run(mutant)


@pytest.mark.slow
def test_drainer_that_takes_one_element_and_does_not_look_for_more_is_found() -> None:
    with pytest.raises(ViolationError, match="kept waiting"):
        run("leave what is left", takes_one=True)
