"""Runs a few actions at the same time, again and again, and judges what came out against a table.

An action runs in a thread of its own and returns something hashable; the outcome of a round is the tuple of what the
actions returned. The table lists outcomes as allowed or forbidden, each with a phrase that says why; an outcome that it
does not list is forbidden.
"""

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from tests.together import many_switches

# Spends a short random time, in which the interpreter may change threads: to be called between the steps of an action.
Hesitate = Callable[[], None]
Action = Callable[[Hesitate], Hashable]
Outcome = tuple[Hashable, ...]

LONGEST_HESITATION_LOOPS = 3_000
# How often a hesitation begins by giving up the GIL: else a short action is over before another thread is awake.
YIELDING_SHARE = 0.5
SEED = 20130101


class Verdict(Enum):
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


Table = Mapping[Outcome, tuple[Verdict, str]]

UNLISTED = (Verdict.FORBIDDEN, "not in the table")
LEAST_CONTENDED_SHARE = 0.1

# Of this run, for its summary.
REPORTS: list["Report"] = []


class Observed(Counter[Outcome]):
    """How often each outcome was seen, and in how many rounds actions met: one set out before another was done."""

    contended = 0

    @property
    def contended_share(self) -> float:
        return self.contended / self.total()


def observe(prepare: Callable[[], Sequence[Action]], *, rounds: int) -> Observed:
    """Run the actions of each round at the same time; count the outcomes.

    Args:
        prepare: Makes a fresh subject and returns the actions on it, the same number each time.
        rounds: How often.
    """
    subjects = [prepare() for _ in range(rounds)]
    results: list[list[Hashable]] = [[None] * len(actions) for actions in subjects]
    spans: list[list[tuple[int, int]]] = [[(0, 0)] * len(actions) for actions in subjects]
    ticks = itertools.count()
    barrier = threading.Barrier(len(subjects[0]))

    def run(position: int) -> None:
        choose = random.Random(SEED + position)

        def hesitate() -> None:
            if choose.random() < YIELDING_SHARE:
                time.sleep(0)
            for _ in range(choose.randrange(LONGEST_HESITATION_LOOPS)):
                pass

        for actions, result, span in zip(subjects, results, spans, strict=True):
            barrier.wait()
            hesitate()
            start = next(ticks)
            hesitate()  # a call in C is no step to the interpreter: without this none would meet another
            try:
                result[position] = actions[position](hesitate)
            except Exception as error:
                result[position] = repr(error)
            span[position] = start, next(ticks)

    threads = [threading.Thread(target=run, args=(position,)) for position in range(len(subjects[0]))]
    with many_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    observed = Observed(map(tuple, results))
    observed.contended = sum(map(have_met, spans))
    return observed


def have_met(spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether two of the spans, each from a start to an end, have a moment in common."""
    in_order = sorted(spans)
    return any(start < end for (_, end), (start, _) in itertools.pairwise(in_order))


@dataclass(frozen=True)
class Report:
    """What one situation came to, for the summary of the run."""

    name: str
    observed: Observed
    table: Table

    def lines(self, *, with_outcomes: bool) -> Iterator[str]:
        """Yield a line on the situation and, if wanted, one for each outcome of its table and each other one."""
        rounds = self.observed.total()
        yield f"{self.name}: {rounds} rounds, actions met in {self.observed.contended_share:.0%} of them"
        if with_outcomes:
            for outcome in {**self.table, **self.observed}:
                verdict, reason = self.table.get(outcome, UNLISTED)
                yield f"    {self.observed[outcome]:>8}  {verdict.value:<9}  {outcome!r}: {reason}"


def judge(situation: Callable[..., object], observed: Observed, table: Table, *, rounds: int) -> None:
    """Assert that only allowed outcomes came of all the rounds, and that the actions met often enough to tell."""
    REPORTS.append(Report(situation.__name__, observed, table))
    wrong = forbidden(observed, table)
    assert wrong == {}, f"{situation.__name__} came to what must not be: {wrong}"
    assert observed.total() == rounds, f"{situation.__name__} ran {observed.total()} of {rounds} rounds"
    assert observed.contended_share >= LEAST_CONTENDED_SHARE, (
        f"the actions of {situation.__name__} met in only {observed.contended_share:.0%} of {rounds} rounds, which "
        f"proves little; let them hesitate between their steps until it is {LEAST_CONTENDED_SHARE:.0%}"
    )


def forbidden(observed: Counter[Outcome], table: Table) -> dict[Outcome, str]:
    """Return what was observed and must not be, with the reason."""
    return {
        outcome: table.get(outcome, UNLISTED)[1]
        for outcome in observed
        if table.get(outcome, UNLISTED)[0] is Verdict.FORBIDDEN
    }
