"""The base of subscriptions in every interleaving of requesters, emitters and who ends it; each mutant is found."""

from collections.abc import Callable

import pytest

from tests.interleavings.base_subscription_model import (
    MUTANTS,
    emitter,
    ender,
    explore_subscription,
    pauser,
    requester,
)
from tests.interleavings.explorer import Actor, ViolationError

pytestmark = pytest.mark.slow

# Who takes part, and the capacity of the queue.
SITUATIONS: dict[str, tuple[int, Callable[[str], list[Actor]]]] = {
    "two requesters and the hook": (
        1,
        lambda mutant: [requester("r", 2, mutant, hooks=True), requester("s", 1, mutant, hooks=True)],
    ),
    "a requester and an emitter": (
        2,
        lambda mutant: [requester("r", 2, mutant, hooks=False), emitter("e", "abc", 2, mutant)],
    ),
    "a requester and two emitters of a small queue": (
        1,
        lambda mutant: [
            requester("r", 2, mutant, hooks=False),
            emitter("e", "a", 1, mutant),
            emitter("f", "b", 1, mutant),
        ],
    ),
    "a requester, an emitter and an end": (
        2,
        lambda mutant: [requester("r", 1, mutant, hooks=False), emitter("e", "a", 2, mutant), ender(mutant)],
    ),
    "two requesters, the hook and a pause": (
        1,
        lambda mutant: [
            requester("r", 2, mutant, hooks=True),
            requester("s", 1, mutant, hooks=True),
            pauser(mutant, hooks=True),
        ],
    ),
    "two requesters, the hook, a pause and an end": (
        1,
        lambda mutant: [
            requester("r", 1, mutant, hooks=True),
            requester("s", 1, mutant, hooks=True),
            ender(mutant, hooks=True, pauses=True),
        ],
    ),
}


def explore_situation(situation: str, mutant: str = "") -> int:
    capacity, actors = SITUATIONS[situation]
    return explore_subscription(actors(mutant), capacity)


# Where each mutant shows, and as what.
FOUND_BY = {
    "announce before permits": ("two requesters and the hook", "the hook was told of elements"),
    "notice before announcement": ("two requesters and the hook", "the hook was told of 2 of 3"),
    "announcement taken in two steps": ("two requesters and the hook", "the hook was told of 2 of 3"),
    "no permit": ("a requester and an emitter", "a permit was lost or made"),
    "permit taken in two steps": ("a requester and an emitter", "a permit was lost or made"),
    "permit kept": ("a requester and two emitters of a small queue", "a permit was lost or made"),
    "emit without the lock": ("a requester and two emitters of a small queue", "accepted"),
    "no notice": ("a requester and an emitter", "accepted"),
    "end without the lock": ("a requester, an emitter and an end", "accepted"),
    "queue before end": ("a requester, an emitter and an end", "accepted"),
    "end with elements left": ("a requester, an emitter and an end", "accepted"),
    "relaxed end": ("a requester, an emitter and an end", "accepted|ended as"),
    "notice before end": ("a requester, an emitter and an end", "ended as"),
    "pause refuses": ("two requesters, the hook and a pause", "refused|permit"),
    "pause ignored": ("two requesters, the hook and a pause", "though the stream is paused"),
    "end with elements held": ("two requesters, the hook, a pause and an end", "was not sent"),
    "resume without notice": ("two requesters, the hook and a pause", "told|not sent"),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_what_was_accepted_arrives_and_no_more_than_requested_in_any_interleaving(situation: str) -> None:
    assert explore_situation(situation) > 1000  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_subscription_is_found(mutant: str) -> None:
    situation, said = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=said):
        explore_situation(situation, mutant)
