"""The runs of one thread in every order in which its greenlets take turns; each way to mistake one is found."""

from collections.abc import Callable

import pytest

from tests.interleavings.drain_run_model import (
    MUTANTS,
    check_always,
    check_at_end,
    drops_and_nests,
    sends_down_a_chain,
    shared_variables,
    waits_in_callback,
)
from tests.interleavings.explorer import Actor, ViolationError, explore

ONE, OTHER = 101, 102  # subscriptions that were there before

SITUATIONS: dict[str, Callable[[str], list[Actor]]] = {
    "a subscription that is dropped inside of its run": lambda mutant: [drops_and_nests("a", mutant)],
    "two of them": lambda mutant: [drops_and_nests("a", mutant), drops_and_nests("b", mutant)],
    "two subscriptions": lambda mutant: [
        waits_in_callback("a", ONE, mutant),
        waits_in_callback("b", OTHER, mutant),
    ],
    "three subscriptions": lambda mutant: [
        waits_in_callback("a", ONE, mutant),
        waits_in_callback("b", OTHER, mutant),
        waits_in_callback("c", ONE, mutant),
    ],
    "a long chain": lambda mutant: [
        sends_down_a_chain("a", 5, mutant, awaits_last=False),
        drops_and_nests("b", mutant),
    ],
    "a blocking end below a long chain": lambda mutant: [sends_down_a_chain("a", 4, mutant, awaits_last=True)],
    "a callback that waits for another greenlet": lambda mutant: [
        waits_in_callback("a", ONE, mutant, awaited="b source"),
        waits_in_callback("b", ONE, mutant),
    ],
}

FOUND_BY = {
    "identity by address": ("a subscription that is dropped inside of its run", "deadlock: a at waits"),
    "end restores the older run": ("two subscriptions", "ended is in the list|lost|run is left"),
    "list of any stack": ("a callback that waits for another greenlet", "deadlock: a at waits"),
    "chains nest without end": ("a long chain", "nested deeper"),
    "what is awaited joins": ("a blocking end below a long chain", "deadlock: a at waits"),
    "nested in every case": ("two subscriptions", "drained inside of the same"),
}


def explore_runs(situation: str, mutant: str = "") -> int:
    return explore(shared_variables(), SITUATIONS[situation](mutant), always=check_always, at_end=check_at_end)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_every_owner_is_drained_by_a_run_that_goes_on(situation: str) -> None:
    assert explore_runs(situation) >= 7


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_run_that_is_mistaken_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_runs(situation, mutant)
