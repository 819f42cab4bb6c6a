"""An element past the queue, in every interleaving with those who request, cancel and pause; each flaw is found."""

from collections.abc import Callable

import pytest

from tests.interleavings.explorer import Actor, ViolationError, explore
from tests.interleavings.fan_out_model import (
    MUTANTS,
    canceller,
    check_always,
    check_at_end,
    pauser,
    producer,
    requester,
    shared_variables,
)


def both(elements: int, mutant: str) -> list[Actor]:
    return [producer("p", elements, mutant, is_shared=True), producer("r", 1, mutant, is_shared=True)]


SITUATIONS: dict[str, Callable[[str], list[Actor]]] = {
    "a requester": lambda mutant: [producer("p", 2, mutant), requester("a", 2)],
    "fewer requests": lambda mutant: [producer("p", 3, mutant), requester("a", 2)],
    "two requesters": lambda mutant: [producer("p", 2, mutant), requester("a", 1), requester("b", 1)],
    "a canceller": lambda mutant: [producer("p", 2, mutant), requester("a", 2), canceller("c")],
    "two producers": lambda mutant: [*both(1, mutant), requester("a", 2)],
    "two producers, one request": lambda mutant: [*both(2, mutant), requester("a", 1)],
    "two producers and a canceller": lambda mutant: [*both(1, mutant), requester("a", 1), canceller("c")],
    "one of the producers and a pauser": lambda mutant: [
        producer("p", 2, mutant, is_shared=True),
        requester("a", 1),
        pauser("q"),
    ],
    "one that drains what came": lambda mutant: [
        producer("p", 2, mutant, is_shared=True),
        requester("a", 2),
        canceller("c"),
    ],
    "a pauser": lambda mutant: [producer("p", 2, mutant), requester("a", 1), pauser("q")],
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "past what waits": ("a requester", "out of order|stalled"),
    "demand not looked at again": ("fewer requests", "more was sent than requested"),
    "token of a word that says more": ("a canceller", "sent after the teardown|torn down twice"),
    "given back by store": ("a canceller", "never torn down|the word stays"),
    "given back without a look": ("a canceller", "never torn down|the word stays"),
    "demand not used up": ("a requester", "the demand is wrong|more was sent"),
    "mark taken for demand": ("two producers", "stalled"),
    "all taken for demand": ("a canceller", "never torn down|the word stays"),
}


def explore_fan_out(situation: str, mutant: str = "") -> int:
    return explore(shared_variables(), SITUATIONS[situation](mutant), always=check_always, at_end=check_at_end)


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
def test_elements_past_the_queue_keep_order_and_demand_in_any_interleaving(situation: str) -> None:
    assert explore_fan_out(situation) > 50  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_fan_out_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_fan_out(situation, mutant)
