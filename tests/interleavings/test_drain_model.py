"""The drain protocol in every interleaving of those who take part; each way to break it is found."""

from collections.abc import Callable

import pytest

from tests.interleavings.drain_model import (
    MUTANTS,
    canceller,
    check_always,
    check_at_end,
    pauser,
    requester,
    saver,
    shared_variables,
)
from tests.interleavings.explorer import Actor, ViolationError, explore

MANY = 100

# Who takes part, and how many elements the source has.
SITUATIONS: dict[str, tuple[int, Callable[[str], list[Actor]]]] = {
    "two requesters": (MANY, lambda mutant: [requester("a", 2, mutant), requester("b", 2, mutant)]),
    "three requesters": (MANY, lambda mutant: [requester(name, 1, mutant) for name in "abc"]),
    "a requester and a canceller": (MANY, lambda mutant: [requester("a", 2, mutant), canceller("c", mutant)]),
    "two requesters and a canceller": (
        MANY,
        lambda mutant: [requester("a", 1, mutant), requester("b", 1, mutant), canceller("c", mutant)],
    ),
    "two cancellers": (
        MANY,
        lambda mutant: [requester("a", 1, mutant), canceller("c", mutant), canceller("d", mutant)],
    ),
    "a source that ends": (2, lambda mutant: [requester("a", 2, mutant), requester("b", 2, mutant)]),
    "a source that ends while it is cancelled": (
        1,
        lambda mutant: [requester("a", 1, mutant), requester("b", 1, mutant), canceller("c", mutant)],
    ),
    "a pauser": (MANY, lambda mutant: [requester("a", 2, mutant), pauser("p", mutant)]),
    "a pauser and a canceller": (
        MANY,
        lambda mutant: [requester("a", 1, mutant), pauser("p", mutant), canceller("c", mutant)],
    ),
    "a saver": (MANY, lambda mutant: [requester("a", 2, mutant), saver("s", mutant)]),
    "two savers": (MANY, lambda mutant: [requester("a", 1, mutant), saver("s", mutant), saver("t", mutant)]),
    "a saver and a canceller": (
        MANY,
        lambda mutant: [requester("a", 1, mutant), saver("s", mutant), canceller("c", mutant)],
    ),
    "a saver and a pauser": (
        MANY,
        lambda mutant: [requester("a", 1, mutant), saver("s", mutant), pauser("p", mutant)],
    ),
    "a loop and a requester": (
        MANY,
        lambda mutant: [requester("l", 2, mutant, is_loop=True), requester("a", 1, mutant)],
    ),
    "a loop and two cancellers": (
        MANY,
        lambda mutant: [requester("l", 2, mutant, is_loop=True), canceller("c", mutant), canceller("d", mutant)],
    ),
    "a loop, a requester and a canceller": (
        MANY,
        lambda mutant: [requester("l", 2, mutant, is_loop=True), requester("a", 1, mutant), canceller("c", mutant)],
    ),
    "a saver of a source that ends": (1, lambda mutant: [requester("a", 1, mutant), saver("s", mutant)]),
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "idle by store": ("two requesters", "stalled"),
    "idle without MISSED": ("two requesters", "stalled"),
    "look before add": ("two requesters", "stalled"),
    "MISSED not set": ("two requesters", "stalled"),
    "read before clear": ("two requesters", "stalled"),
    "cancel tears down at once": ("a requester and a canceller", "two drainers"),
    "cancel only marks": ("a requester and a canceller", "never torn down"),
    "token not taken": ("two requesters", "two drainers"),
    "end without TERMINAL": ("a source that ends", "torn down twice|sent after|ended"),
    "park by store": ("a pauser", "stalled|the word stays"),
    "save after a look": ("a saver", "it moved while it was saved"),
    "released without a look": ("a saver", "stalled"),
    "released by store": ("a saver", "stalled"),
    "turn left in silence": ("a loop and a requester", "a turn waits for ever"),
    "turn run twice": ("a loop, a requester and a canceller", "two drainers|torn down twice|sent after|the word stays"),
    "turn taken by a look": ("a loop and two cancellers", "two drainers|torn down twice"),
}


def explore_drain(situation: str, mutant: str = "") -> int:
    elements, actors = SITUATIONS[situation]
    return explore(shared_variables(elements), actors(mutant), always=check_always, at_end=check_at_end)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_request_is_lost_and_one_thread_drains_in_any_interleaving(situation: str) -> None:
    assert explore_drain(situation) > 50  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_drain_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_drain(situation, mutant)
