"""The queue between two threads in every interleaving of its input, its workers, a requester and a canceller."""

from dataclasses import dataclass

import pytest

from tests.interleavings.explorer import ViolationError
from tests.interleavings.queue_stage_model import (
    MUTANTS,
    canceller,
    explore_queue,
    repeating_scheduler,
    requester,
    source,
    worker,
)

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Situation:
    """How many elements the input has and how many are requested; who takes part besides the input and a worker.

    A hooked queue emits so many elements for each, and one at the end.
    """

    elements: int
    requested: int
    has_canceller: bool = False
    has_second_worker: bool = False
    emits: int = 0

    def explore(self, prefetch: int, mutant: str = "") -> int:
        actors = [source(self.elements, prefetch, mutant), worker("w", prefetch, mutant, self.emits)]
        if self.has_second_worker:
            actors += [worker("x", prefetch, mutant, self.emits), repeating_scheduler()]
        actors.append(requester("r", self.requested, mutant))
        if self.has_canceller:
            actors.append(canceller(mutant))
        sent = self.elements * self.emits + 1 if self.emits else self.elements
        return explore_queue(sent, prefetch, actors)


ALL_REQUESTED = Situation(3, 3)
TOO_MUCH_REQUESTED = Situation(2, 3)
CANCELLED = Situation(2, 2, has_canceller=True)
TWO_WORKERS = Situation(1, 1, has_second_worker=True)
HOOKED = Situation(2, 5, emits=2)
HOOKED_SITUATIONS = [
    HOOKED,
    Situation(2, 3, emits=2),
    Situation(1, 4, emits=2),
    Situation(2, 3, emits=1),
    Situation(1, 3, emits=2, has_canceller=True),
]


@pytest.mark.parametrize("prefetch", [1, 2])
@pytest.mark.parametrize(
    "situation", [ALL_REQUESTED, TOO_MUCH_REQUESTED, CANCELLED, TWO_WORKERS, *HOOKED_SITUATIONS], ids=repr
)
def test_nothing_is_lost_or_late_in_any_interleaving(situation: Situation, prefetch: int) -> None:
    assert situation.explore(prefetch) > 1000  # interleavings were explored indeed


# Where each mutant shows, with which prefetch, and as what.
FOUND_BY = {
    "no notice": (ALL_REQUESTED, 1, "deadlock: source at offer"),
    "notice before offer": (ALL_REQUESTED, 1, "deadlock: source at offer"),
    "notice without a fence": (TOO_MUCH_REQUESTED, 1, "never ended"),
    "end before error": (TOO_MUCH_REQUESTED, 1, "ended as"),
    "relaxed end": (TOO_MUCH_REQUESTED, 1, "ended as"),
    "no notice of the end": (TOO_MUCH_REQUESTED, 1, "never ended"),
    "ring before end": (TOO_MUCH_REQUESTED, 1, "ended as"),
    "end with elements left": (TOO_MUCH_REQUESTED, 1, "ended as"),
    "ask before take": (ALL_REQUESTED, 1, "overflowed"),
    # The next two show only where some of the queue is left when more is asked for.
    "ask for too much": (Situation(9, 9), 4, "overflowed"),
    "leave without a note": (Situation(4, 4), 4, "stalled"),
    "never ask": (ALL_REQUESTED, 1, "deadlock: source at offer"),
    "idle without MISSED": (ALL_REQUESTED, 1, "stalled|never ended|deadlock"),
    "schedule every time": (TWO_WORKERS, 1, "two drainers|torn down twice"),
    "claim by look": (TWO_WORKERS, 1, "two drainers|torn down twice|kept"),
    "tear down at once": (CANCELLED, 1, "two drainers|torn down twice"),
    "take in behind": (HOOKED, 1, "a hook ran while"),
    "end behind": (HOOKED, 1, "a hook ran while"),
    "leave held input": (HOOKED, 2, "stalled|never ended"),
    "finish over waiting": (HOOKED, 1, "ended as"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_queue_is_found(mutant: str) -> None:
    situation, prefetch, said = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=said):
        situation.explore(prefetch, mutant)
