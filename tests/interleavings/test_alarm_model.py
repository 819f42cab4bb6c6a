"""How a scheduler wakes an operator that waits (`Alarm` in subscription.pyx), in every interleaving of its threads."""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore
from tests.interleavings.serial_word import (
    ACQUIRED,
    TOKEN,
    clear_missed,
    release_token,
    set_or_acquire,
    set_relaxed,
    try_release,
)

CANCELLED, TERMINAL = 1 << 4, 1 << 5
ALL_BUT_TOKEN = 0xFFFFFFFF & ~TOKEN

MUTANTS = {
    "notice before the ring": "waits for ever",
    "ring without notice": "waits for ever",
    "look before MISSED is cleared": "waits for ever",
    "idle whatever came": "waits for ever",
    "keep the alarm that rang": "begun 2 times",
    "look after the end": "begun after the end",
}


def notify(state: SimpleNamespace, bit: int = 0) -> None:
    """Set a bit; who gets the token by that has the drainer run."""
    outcome, state.word = set_or_acquire(state.word, bit, 0, TERMINAL)
    if outcome == ACQUIRED:
        state.is_drained = True


def scheduler(mutant: str) -> Actor:
    """Runs the task when it is due; what it does after a cancellation that it did not see is harmless."""

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.is_alarm_cancelled:
            return DONE
        return "notify" if mutant == "notice before the ring" else "ring"

    def ring(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.has_rung = True
        return DONE if mutant in {"notice before the ring", "ring without notice"} else "notify"

    def give_notice(state: SimpleNamespace, own: SimpleNamespace) -> str:
        notify(state)
        return "ring" if mutant == "notice before the ring" else DONE

    return Actor("scheduler", {"look": look, "ring": ring, "notify": give_notice})


def requester() -> Actor:
    """Another thread that makes the drainer look, for a reason of its own, at any moment."""

    def request(state: SimpleNamespace, own: SimpleNamespace) -> str:
        notify(state)
        own.left -= 1
        return "request" if own.left else DONE

    return Actor("requester", {"request": request}, {"left": 2})


def canceller() -> Actor:
    def cancel(state: SimpleNamespace, own: SimpleNamespace) -> str:
        notify(state, CANCELLED)
        return DONE

    return Actor("canceller", {"cancel": cancel})


def drainer(mutant: str) -> Actor:
    """Whoever has the token: begins the attempt when the alarm has rung, tears down when the stream was cancelled."""

    def wait(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if not state.is_drained:
            return BLOCKED
        return "look at the alarm first" if mutant == "look before MISSED is cleared" else "clear"

    def look_first(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.rang = state.has_rung
        return "clear"

    def clear(state: SimpleNamespace, own: SimpleNamespace) -> str:
        seen, state.word = clear_missed(state.word)
        if seen & CANCELLED:
            return "tear down"
        return "look at the alarm"

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        rang = own.rang if mutant == "look before MISSED is cleared" else state.has_rung
        if rang and state.has_alarm:
            assert not state.is_over, "begun after the end"
            state.begun += 1
            state.has_alarm = mutant == "keep the alarm that rang"
            assert state.begun == 1, f"begun {state.begun} times"
        return "leave"

    def leave(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "idle whatever came":
            _, state.word = release_token(state.word)
            is_idle = True
        else:
            is_idle, state.word = try_release(state.word, ALL_BUT_TOKEN)
        if not is_idle:
            return "look at the alarm first" if mutant == "look before MISSED is cleared" else "clear"
        state.is_drained = False
        return "wait"

    def tear_down(state: SimpleNamespace, own: SimpleNamespace) -> str:
        _, state.word = set_relaxed(state.word, TERMINAL)
        state.is_over = True
        state.is_alarm_cancelled = True
        return "look at the alarm" if mutant == "look after the end" else "end"

    def end(state: SimpleNamespace, own: SimpleNamespace) -> str:
        _, state.word = release_token(state.word)
        state.is_drained = False
        return "wait"

    steps = {
        "wait": wait,
        "look at the alarm first": look_first,
        "clear": clear,
        "look at the alarm": look,
        "leave": leave,
        "tear down": tear_down,
        "end": end,
    }
    return Actor("drainer", steps, {"rang": False}, is_daemon=True)


def run(mutant: str = "", *, is_cancelled: bool = False) -> int:
    shared = {
        "word": 0,
        "is_drained": False,
        "has_rung": False,
        "has_alarm": True,
        "is_alarm_cancelled": False,
        "begun": 0,
        "is_over": False,
    }

    def it_was_begun(state: SimpleNamespace) -> None:
        assert state.begun == 1 or is_cancelled, "the attempt waits for ever"
        assert state.is_over == is_cancelled

    actors = [scheduler(mutant), requester(), drainer(mutant), *([canceller()] if is_cancelled else [])]
    return explore(shared, actors, at_end=it_was_begun)


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_attempt_begins_once_and_never_after_the_end(is_cancelled: bool) -> None:
    assert run(is_cancelled=is_cancelled) > 50  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_broken_alarm_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        run(mutant, is_cancelled=mutant == "look after the end")
