"""Serial delivery in every interleaving of emitting threads and an end; each way to break it is found."""

from collections.abc import Callable

import pytest

from tests.interleavings.emitter_model import (
    MUTANTS,
    check_always,
    check_at_end,
    emitting,
    ending,
    shared_variables,
)
from tests.interleavings.explorer import Actor, ViolationError, explore

SITUATIONS: dict[str, Callable[[str], list[Actor]]] = {
    "two threads": lambda mutant: [emitting("a", 2, mutant), emitting("b", 2, mutant)],
    "three threads": lambda mutant: [emitting("a", 2, mutant), emitting("b", 1, mutant), emitting("c", 1, mutant)],
    "a thread and the end": lambda mutant: [emitting("a", 3, mutant), ending(mutant)],
    "two threads and the end": lambda mutant: [emitting("a", 2, mutant), emitting("b", 1, mutant), ending(mutant)],
    "a subscriber that raises": lambda mutant: [emitting("a", 2, mutant, failing=0), emitting("b", 2, mutant)],
    "a subscriber that raises at the end": lambda mutant: [
        emitting("a", 1, mutant, failing=0),
        emitting("b", 1, mutant),
        ending(mutant),
    ],
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "token without a CAS": ("two threads", "two deliveries at once"),
    "idle by store": ("two threads", "lost"),
    "idle whatever was missed": ("two threads", "lost"),
    "MISSED not set": ("two threads", "lost"),
    "notified before published": ("two threads", "lost"),
    "cleared after the polls": ("two threads", "lost"),
    "direct beside a queue": ("three threads", "out of order"),
    "direct after closing": ("a thread and the end", "accepted after the end was seen"),
    "token given up at the end": ("a thread and the end", "ended twice"),
    "ended beside a claim": ("two threads and the end", "delivered after the end|dropped without"),
    "nobody sweeps": ("a subscriber that raises", "lost"),
}


def explore_delivery(situation: str, mutant: str = "") -> int:
    return explore(shared_variables(), SITUATIONS[situation](mutant), always=check_always, at_end=check_at_end)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_nothing_is_lost_overlaps_or_changes_places_in_any_interleaving(situation: str) -> None:
    assert explore_delivery(situation) > 50  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_delivery_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_delivery(situation, mutant)
