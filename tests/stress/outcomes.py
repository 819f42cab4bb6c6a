"""Runs a few actions at the same time, again and again, and judges what came out against a table.

An action runs in a thread of its own and returns something hashable; the outcome of a round is the tuple of what the
actions returned. The table lists outcomes as allowed or forbidden, each with a phrase that says why; an outcome that it
does not list is forbidden.
"""

import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum

# Spends a short random time, in which the interpreter may change threads: to be called between the steps of an action.
Hesitate = Callable[[], None]
Action = Callable[[Hesitate], Hashable]
Outcome = tuple[Hashable, ...]

SWITCH_INTERVAL_SECONDS = 1e-6
LONGEST_HESITATION_LOOPS = 3_000
SEED = 20130101


class Verdict(Enum):
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


Table = Mapping[Outcome, tuple[Verdict, str]]


def observe(prepare: Callable[[], Sequence[Action]], *, rounds: int) -> Counter[Outcome]:
    """Run the actions of each round at the same time; count the outcomes.

    Args:
        prepare: Makes a fresh subject and returns the actions on it, the same number each time.
        rounds: How often.
    """
    subjects = [prepare() for _ in range(rounds)]
    results: list[list[Hashable]] = [[None] * len(actions) for actions in subjects]
    barrier = threading.Barrier(len(subjects[0]))

    def run(position: int) -> None:
        choose = random.Random(SEED + position)

        def hesitate() -> None:
            for _ in range(choose.randrange(LONGEST_HESITATION_LOOPS)):
                pass

        for actions, result in zip(subjects, results, strict=True):
            barrier.wait()
            hesitate()
            try:
                result[position] = actions[position](hesitate)
            except Exception as error:
                result[position] = repr(error)

    threads = [threading.Thread(target=run, args=(position,)) for position in range(len(subjects[0]))]
    with many_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return Counter(map(tuple, results))


@contextmanager
def many_switches() -> Iterator[None]:
    """Let the interpreter change threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def forbidden(observed: Counter[Outcome], table: Table) -> dict[Outcome, str]:
    """Return what was observed and must not be, with the reason."""
    unlisted = (Verdict.FORBIDDEN, "not in the table")
    return {
        outcome: table.get(outcome, unlisted)[1]
        for outcome in observed
        if table.get(outcome, unlisted)[0] is Verdict.FORBIDDEN
    }
