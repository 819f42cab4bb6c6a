"""An asynchronous subscriber in every interleaving of publishers, a canceller and its worker; each mutant is found."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import Actor, ViolationError, explore
from tests.interleavings.hook_model import (
    MUTANTS,
    TERMINAL,
    canceller,
    check_always,
    shared_variables,
    subscriber_of,
    worker,
)
from tests.interleavings.serial_word import TOKEN

SITUATIONS: dict[str, Callable[[str], list[Actor]]] = {
    "two publishers": lambda mutant: [subscriber_of("a", mutant), subscriber_of("b", mutant)],
    "a publisher and a canceller": lambda mutant: [subscriber_of("a", mutant), canceller("c", mutant)],
    "two publishers and a canceller": lambda mutant: [
        subscriber_of("a", mutant),
        subscriber_of("b", mutant),
        canceller("c", mutant),
    ],
    "a publisher that completes": lambda mutant: [subscriber_of("a", mutant, then_completes=True)],
    "a publisher that completes beside a canceller": lambda mutant: [
        subscriber_of("a", mutant, then_completes=True),
        canceller("c", mutant),
    ],
    "a canceller alone": lambda mutant: [canceller("c", mutant)],
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "claim in two steps": ("two publishers", "two subscriptions"),
    "link by store": ("a publisher and a canceller", "never cancelled"),
    "unlink in two steps": ("a publisher and a canceller", "never cancelled"),
    "unlink by look": ("a publisher and a canceller", "never cancelled"),
    "cancel without open": ("a canceller alone", "never torn down"),
    "cancel tears down": ("a publisher and a canceller", "outside of the scheduler"),
    "schedule every time": ("a publisher that completes", "two tasks wait|two drainers|a hook ran twice"),
    "idle without MISSED": ("a publisher that completes", "never torn down"),
    "outcome in two steps": ("a publisher that completes beside a canceller", "last hook"),
    "outcome not kept": ("a publisher and a canceller", "last hook"),
}


def explore_hooks(situation: str, mutant: str = "") -> int:
    actors = SITUATIONS[situation](mutant)
    names = [actor.name for actor in actors if actor.name != "c"]

    def check_at_end(shared: SimpleNamespace) -> None:
        assert (shared.holders, shared.tasks, shared.word & TOKEN) == ((), 0, 0), "the token was kept"
        if shared.is_cancelled or shared.ended:
            assert shared.word & TERMINAL, "never torn down"
            assert shared.hooks[-1:] in {("cancel",), ("complete",)}, f"no last hook: {shared.hooks}"
        else:
            assert shared.hooks == ("subscribe",), f"the first hook: {shared.hooks}"
        if shared.ended:
            assert set(names) - set(shared.cancels) <= {shared.subscription}, "a refused one was never cancelled"
        elif shared.is_cancelled:
            assert set(shared.cancels) == set(names), f"never cancelled: {set(names) - set(shared.cancels)}"
        else:
            assert len(shared.cancels) == len(names) - 1, f"one publisher is to be heard: {shared.cancels}"

    return explore(shared_variables(), [*actors, worker("worker", mutant)], always=check_always, at_end=check_at_end)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_hooks_run_one_at_a_time_and_the_last_one_once_in_any_interleaving(situation: str) -> None:
    assert explore_hooks(situation) > 5  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_step_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_hooks(situation, mutant)
