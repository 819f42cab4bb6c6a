"""Runs mutants under their checks, many at a time, and says which were seen for what they are."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from reactivestreams.tck import Check, CheckEnvironment, Edition, Environment, Outcome, Verdict, run
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.load import measured_load
from tests.tck_selftest.mutant import Trial, for_check

__all__ = ["MOST_LOAD_OF_SILENCE", "PARALLEL_TRIALS", "Judgement", "judge_trials", "trial_environment"]

PARALLEL_TRIALS = 8
"""How many trials run at once: most of their time is waiting for what does not come; more hold one another up."""

TIMEOUT_MILLISECONDS = 400
"""How long a check waits for what a mutant never does, on an idle machine; ten times that in the slowest of them."""

MOST_LOAD = 4.0
"""By how much that is longer on a busy machine, at most."""

SILENCE_MILLISECONDS = 100
"""How long nothing may happen, on an idle machine."""

MOST_LOAD_OF_SILENCE = 2.0
"""By how much that is longer on a busy machine, at most; as with the settings that a user gets."""

REFERENCE_MILLISECONDS = 300
"""How long a subscriber that was let go may live, on an idle machine."""

WATCHDOG_MILLISECONDS = 60_000
"""How long a check may take, on an idle machine."""

HANGING_WATCHDOG_MILLISECONDS = 3000
"""How long a check may take that is going to hang, on an idle machine: each of them costs as much."""

_ACCIDENT = re.compile(r"(?:AttributeError|TypeError)\b[^\n]*NoneType")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one trial.

    Attributes:
        trial: The trial.
        verdict: What the check said.
        faults: What is not as the mutant has it; none when the mutant was seen for what it is.
    """

    trial: Trial
    verdict: Verdict
    faults: tuple[str, ...]

    @property
    def is_as_expected(self) -> bool:
        """Whether the mutant was seen for what it is."""
        return not self.faults

    def __str__(self) -> str:
        return f"{self.trial.name}: {'; '.join(self.faults) or 'as expected'}"


class _Bench:
    """A verification whose checks are trials: each makes its own subject and runs one check on it."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self.trials = {trial.name: trial for trial in trials}
        self.subjects: dict[str, Any] = {}
        self.catalog = Catalog(self._check(trial) for trial in self.trials.values())

    def examine(self, environment: CheckEnvironment) -> None:
        """Do nothing: what a mutant's factories give is part of the trial."""

    def _check(self, trial: Trial) -> Check:
        def body(bench: Any, state: CheckEnvironment) -> None:
            subject = self.subjects[trial.name] = trial.mutant.subject()
            trial.check.body(subject, state)

        return for_check(trial, body)


def trial_environment(edition: Edition = Edition.JVM, *, hangs: bool = False) -> Environment:
    """Return the settings under which mutants are judged.

    Args:
        edition: The edition of the trials.
        hangs: Whether all of the trials are of mutants that hang.
    """
    load = min(MOST_LOAD, measured_load())
    return Environment(
        round(TIMEOUT_MILLISECONDS * load),
        round(SILENCE_MILLISECONDS * min(MOST_LOAD_OF_SILENCE, load)),
        reference_timeout_milliseconds=round(REFERENCE_MILLISECONDS * load),
        watchdog_timeout_milliseconds=round((HANGING_WATCHDOG_MILLISECONDS if hangs else WATCHDOG_MILLISECONDS) * load),
        edition=edition,
        seed=1,
    )


def judge_trials(
    trials: Iterable[Trial],
    *,
    on_judgement: Callable[[Judgement, int, int], None] | None = None,
    parallel: int = PARALLEL_TRIALS,
) -> dict[str, Judgement]:
    """Run trials and return what became of each, by name.

    Args:
        trials: The trials; those of an edition run together, since that is a setting of a whole run, and those that
            hang run apart, under a watchdog that is as short as only they can bear.
        on_judgement: Called after each, with how many are done and how many there are.
        parallel: How many run at once.
    """
    waiting = list(trials)
    judgements: dict[str, Judgement] = {}
    for edition, hangs in dict.fromkeys((trial.edition, trial.hangs) for trial in waiting):
        bench = _Bench(trial for trial in waiting if (trial.edition, trial.hangs) == (edition, hangs))

        def note(verdict: Verdict, done: int, of: int, bench: _Bench = bench) -> None:
            judgement = _judgement(bench, verdict)
            judgements[verdict.check] = judgement
            if on_judgement is not None:
                on_judgement(judgement, len(judgements), len(waiting))

        run(bench, trial_environment(edition, hangs=hangs), parallel=parallel, on_verdict=note)
    return judgements


def _judgement(bench: _Bench, verdict: Verdict) -> Judgement:
    trial = bench.trials[verdict.check]
    mutant = trial.mutant
    faults = []
    if verdict.outcome is not mutant.outcome:
        faults.append(f"{mutant.outcome.name} is expected, the check says {verdict.outcome.name}: {verdict.message}")
    elif mutant.words not in verdict.message and mutant.words not in verdict.evidence.traceback:
        faults.append(f"its message has to contain {mutant.words!r}: {verdict.message}")
    elif mutant.rule and mutant.rule not in verdict.broken_rules:
        faults.append(f"§{mutant.rule} has to be broken: {verdict.broken_rules}: {verdict.message}")
    if verdict.outcome is not Outcome.PASS and _is_an_accident(verdict):
        faults.append(f"something has taken None for an object, which is no helpful error: {verdict.render()}")
    if mutant.confirm is not None:
        complaint = mutant.confirm(bench.subjects[trial.name])
        if complaint:
            faults.append(complaint)
    return Judgement(trial, verdict, tuple(faults))


def _is_an_accident(verdict: Verdict) -> bool:
    texts = [verdict.message, verdict.evidence.traceback, *verdict.evidence.notes]
    return any(_ACCIDENT.search(text) for text in texts)
