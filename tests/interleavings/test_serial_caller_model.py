"""The calls of a subscription by authors/subscriber.pyx in every interleaving: one at a time, and none is lost.

Whoever raises `calls` from 0 is the caller, for itself and for all that raise it meanwhile. `calling` and `called` are
no variables of the algorithm: they say what the subscription sees. `fault` is what its first request raises.
"""

from collections.abc import Hashable
from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import DONE, Actor, Step, ViolationError, explore

MUTANTS = {
    "call at once": "who raises `calls` calls, whoever else is at it",
    "raise before write": "`calls` is raised, then what is wanted is written",
    "leave by store": "the caller writes 0 without looking whether `calls` was raised meanwhile",
    "leave by look": "the caller looks whether `calls` was raised meanwhile, then writes 0",
    "wanted taken in two steps": "the caller reads what is wanted, then writes 0",
    "subscription kept": "the caller keeps the subscription after it has cancelled it",
    "end not looked at": "the caller does not look whether the stream has ended",
    "subscribed without a call": "the subscription is set and nobody looks what was wanted before",
    "leave by error": "the caller writes 0 and leaves where a request raises",
    "interrupt without a call": "an interrupt marks the cancel and nobody looks at it",
}

SHARED: dict[str, Hashable] = {
    "calls": 0,
    "wanted": 0,
    "is_cancelled": False,
    "has_ended": False,
    "end_is_seen": False,
    "subscription": False,
    "calling": (),
    "asked_for": 0,
    "called": (),
    "fault": "",
}


def calling(name: str, mutant: str, following: str) -> dict[str, Step]:
    """Raise `calls`; the one who raised it from 0 calls, then goes on as `following`."""

    def raise_calls(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        before, shared.calls = shared.calls, shared.calls + 1
        if before and mutant != "call at once":
            return following
        own.missed = 1
        shared.calling = (*shared.calling, name)
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.subscription:
            return "lower"
        return "look at end"

    def look_at_end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.has_ended and mutant != "end not looked at":
            shared.subscription = False
            return "lower"
        return "look at cancel"

    def look_at_cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.is_cancelled:
            return "take wanted"
        if mutant != "subscription kept":
            shared.subscription = False
        return "cancel"

    def cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.called = (*shared.called, "cancel")
        return "lower"

    def take_wanted(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.wanted = shared.wanted
        if mutant == "wanted taken in two steps":
            return "forget"
        shared.wanted = 0
        return "request" if own.wanted else "lower"

    def forget(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.wanted = 0
        return "request" if own.wanted else "lower"

    def request(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.called = (*shared.called, own.wanted)
        own.wanted = 0
        fault, shared.fault = shared.fault, ""
        if fault and mutant == "leave by error":
            return "store"
        return "mark cancel" if fault == "interrupt" else "lower"

    def mark_cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        was_cancelled, shared.is_cancelled = shared.is_cancelled, True
        return "lower" if was_cancelled or mutant == "interrupt without a call" else "raise own"

    def raise_own(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.calls += 1
        return "lower"

    def lower(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "leave by look":
            own.missed = shared.calls - own.missed
            return "store" if not own.missed else "look"
        if mutant == "leave by store":
            return store(shared, own)
        shared.calls -= own.missed
        own.missed = shared.calls
        return "look" if own.missed else leave(shared)

    def store(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.calls = 0
        return leave(shared)

    def leave(shared: SimpleNamespace) -> str:
        shared.calling = tuple(caller for caller in shared.calling if caller != name)
        return following

    return {
        "raise": raise_calls,
        "look": look,
        "look at end": look_at_end,
        "look at cancel": look_at_cancel,
        "cancel": cancel,
        "take wanted": take_wanted,
        "forget": forget,
        "request": request,
        "mark cancel": mark_cancel,
        "raise own": raise_own,
        "lower": lower,
        "store": store,
    }


CALLER = {"missed": 0, "wanted": 0}


def requester(name: str, requests: int, mutant: str) -> Actor:
    def add(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.left == 0:
            return DONE
        if mutant == "raise before write" and not own.has_raised:
            own.has_raised = True
            return "raise"
        own.has_raised = False
        own.left -= 1
        shared.wanted += 1
        shared.asked_for += 1
        return "add" if mutant == "raise before write" else "raise"

    steps = {"add": add, **calling(name, mutant, "add")}
    return Actor(name, steps, {"left": requests, "has_raised": False, **CALLER})


def setter(name: str, word: str, mutant: str) -> Actor:
    """Sets a word once, then raises `calls`: the publisher that subscribes or ends, or who cancels."""

    def set_word(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        setattr(shared, word, True)
        return DONE if word == "subscription" and mutant == "subscribed without a call" else "raise"

    def done(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.end_is_seen = shared.end_is_seen or word == "has_ended"
        return DONE

    return Actor(name, {"set": set_word, **calling(name, mutant, "done"), "done": done}, dict(CALLER))


SITUATIONS = {
    "two requesters": lambda mutant: [
        setter("publisher", "subscription", mutant),
        requester("r", 2, mutant),
        requester("s", 1, mutant),
    ],
    "a requester and a canceller": lambda mutant: [
        setter("publisher", "subscription", mutant),
        requester("r", 2, mutant),
        setter("canceller", "is_cancelled", mutant),
    ],
    "a requester and an end": lambda mutant: [
        setter("publisher", "subscription", mutant),
        requester("r", 2, mutant),
        setter("end", "has_ended", mutant),
    ],
}
SITUATIONS |= {
    "two requesters, one of which gets an error": SITUATIONS["two requesters"],
    "two requesters, one of which is interrupted": SITUATIONS["two requesters"],
    "an interrupt and a canceller": SITUATIONS["a requester and a canceller"],
    "an interrupt and an end": SITUATIONS["a requester and an end"],
}

# What the first request raises.
FAULTS = {
    "two requesters, one of which gets an error": "error",
    "two requesters, one of which is interrupted": "interrupt",
    "an interrupt and a canceller": "interrupt",
    "an interrupt and an end": "interrupt",
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "call at once": ("two requesters", "two callers"),
    "raise before write": ("two requesters", "requested 2 of 3|requested 1 of 3|requested 0 of 3"),
    "leave by store": ("two requesters", "requested . of 3"),
    "leave by look": ("two requesters", "requested . of 3"),
    "wanted taken in two steps": ("two requesters", "requested . of 3"),
    "subscription kept": ("a requester and a canceller", "cancelled twice"),
    "end not looked at": ("a requester and an end", "called after the end"),
    "subscribed without a call": ("two requesters", "requested . of 3"),
    "leave by error": ("two requesters, one of which gets an error", "requested . of 3"),
    "interrupt without a call": ("two requesters, one of which is interrupted", "never cancelled"),
}


def explore_calls(situation: str, mutant: str = "") -> int:
    def always(shared: SimpleNamespace) -> None:
        assert len(shared.calling) <= 1, f"two callers: {shared.calling}"
        requested = [call for call in shared.called if call != "cancel"]
        assert sum(requested) <= shared.asked_for, "more was requested than asked for"
        assert shared.called.count("cancel") <= 1, "cancelled twice"
        assert "cancel" not in shared.called[:-1], f"called after the cancel: {shared.called}"

    def at_end(shared: SimpleNamespace) -> None:
        assert (shared.calling, shared.calls) == ((), 0), "the caller's place was kept"
        if shared.has_ended:
            assert not shared.subscription, "the subscription was not let go: called after the end"
        elif shared.is_cancelled:
            assert shared.called[-1:] == ("cancel",), "never cancelled"
        else:
            requested = sum(shared.called)
            assert requested == shared.asked_for, f"requested {requested} of {shared.asked_for}"

    shared = {**SHARED, "fault": FAULTS.get(situation, "")}
    return explore(shared, SITUATIONS[situation](mutant), always=always, at_end=at_end)


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_subscription_is_called_by_one_and_no_call_is_lost_in_any_interleaving(situation: str) -> None:
    assert explore_calls(situation) > 200  # interleavings were explored indeed


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_caller_is_found(mutant: str) -> None:
    situation, said = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=said):
        explore_calls(situation, mutant)
