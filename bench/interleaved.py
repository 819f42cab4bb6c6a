"""Times cases in turn, so that what slows the machine for a while slows all of them alike.

Every round runs every case once, those that are compared one right after the other; the order turns from round to
round. Two figures come out of it. The ratio of the minima compares the runs that were disturbed least. The median of
the ratios within a round says whether that was luck: where the two differ by much, the machine was too busy.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

T = TypeVar("T")

LEAST_ROUNDS = 7

Clock = Callable[[], int]
OnRound = Callable[[int, int], None]
"""Called after each round with its number, counted from 1, and the number of rounds."""

THREAD_TIME: Clock = time.thread_time_ns
"""What the calling thread computed: for cases that run in one thread."""

WALL_TIME: Clock = time.perf_counter_ns
"""What passed: for cases in which threads wait for each other."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something to time: a call that does so many operations."""

    name: str
    run: Callable[[], object]
    operations: int
    clock: Clock = THREAD_TIME

    def sample(self) -> float:
        """Run once; return nanoseconds for each operation."""
        clock, run = self.clock, self.run
        began = clock()
        run()
        return (clock() - began) / self.operations


@dataclass(frozen=True, slots=True)
class Ratio:
    """A case against its baseline: below 1 is faster."""

    of_minima: float
    median_of_pairs: float


def measure(
    groups: Sequence[Sequence[Case]], *, rounds: int, on_round: OnRound | None = None
) -> dict[Case, list[float]]:
    """Time the cases of all groups, with the garbage collector off.

    Args:
        groups: The cases; those of one group are run next to each other in every round.
        rounds: How often each case is timed, from `LEAST_ROUNDS`; one more run comes before, untimed.
        on_round: Told of the progress.

    Returns:
        For each case the nanoseconds of one operation, one figure for each round.

    Raises:
        ValueError: There are too few rounds.
    """
    if rounds < LEAST_ROUNDS:
        raise ValueError(f"{rounds} rounds are too few to find a minimum; take {LEAST_ROUNDS} or more")
    timings: dict[Case, list[float]] = {case: [] for group in groups for case in group}
    for case in timings:
        case.run()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            gc.collect()
            for group in turned(groups, number):
                for case in turned(group, number):
                    timings[case].append(case.sample())
            if on_round is not None:
                on_round(number + 1, rounds)
    finally:
        if was_enabled:
            gc.enable()
    return timings


def compare(timings: Sequence[float], baseline: Sequence[float]) -> Ratio:
    """Return how a case's timings compare with those of its baseline, taken in the same rounds."""
    pairs = zip(timings, baseline, strict=True)
    return Ratio(min(timings) / min(baseline), median(mine / theirs for mine, theirs in pairs))


def turned(things: Sequence[T], by: int) -> list[T]:
    """Return the things in an order that changes by `by`, so that none always profits from what ran before it."""
    start = by % len(things)
    return [*things[start:], *things[:start]]
