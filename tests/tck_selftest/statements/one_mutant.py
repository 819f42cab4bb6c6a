"""Judges one mutant of a statement: what a process of its own does, since a mutant may leave threads that never end."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection

from reactivestreams.tck import Environment, Outcome, SubjectError, Verdict, run
from reactivestreams.tck.kit.load import measured_load
from tests.tck_selftest.judging import MOST_LOAD_OF_SILENCE
from tests.tck_selftest.statements.interruption import before_locks
from tests.tck_selftest.statements.mutated_examples import subject, unchanged
from tests.tck_selftest.statements.mutator import StatementMutant

__all__ = ["Fault", "answer_killer", "answer_passed"]

PARALLEL_CHECKS = 16
TIMEOUT_MILLISECONDS = 300
SILENCE_MILLISECONDS = 60
WATCHDOG_MILLISECONDS = 6000
TRIES_BY_CHANCE = 3

_BY_CHANCE = "stochastic_"

Checks = Mapping[str, list[str]]
"""Names of checks, by the verification that has them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is sent in place of an answer where there is none: what went wrong here."""

    text: str


def answer_passed(connection: Connection, verification: str) -> None:
    """Send the names of the checks that the unchanged example passes."""
    _answer(connection, lambda: _passed(verification, "", "", None))


def answer_killer(connection: Connection, module: str, mutant: StatementMutant, checks: Checks) -> None:
    """Send the name of the first check that does not pass any more, or an empty text if all do.

    A mutant that passes is judged some times more, with moments for other threads before each lock, by those checks
    that need luck otherwise.

    Args:
        connection: Where to.
        module: Which module is changed.
        mutant: How.
        checks: The checks that the unchanged examples pass.
    """

    def killer() -> str:
        found = _killer(module, mutant.source, mutant.control, checks)
        if found or before_locks(mutant.source) == mutant.source:
            return found
        by_chance = {each: [name for name in names if name.startswith(_BY_CHANCE)] for each, names in checks.items()}
        source, control = before_locks(mutant.source), before_locks(mutant.control)
        tries = (_killer(module, source, control, by_chance) for _ in range(TRIES_BY_CHANCE))
        return next(filter(None, tries), "")

    _answer(connection, killer)


class _Seen(Exception):  # noqa: N818 - it ends a run, nothing is wrong
    """End a run at the first check that does not pass."""


def _killer(module: str, source: str, control: str, checks: Checks) -> str:
    """Return which of the checks that the control passes is not passed by a mutant, or an empty text."""
    needs_control = control != unchanged(module)
    for verification, wanted in checks.items():
        names = _passed(verification, module, control, wanted) if needs_control else wanted
        if not names:
            continue
        try:
            judged = subject(verification, module, source)
        except Exception as error:
            return f"the import, by {type(error).__name__}"
        try:
            found = _not_passed_twice(judged, names)
        except SubjectError:
            return "the examination of the factories"
        if found:
            return found
    return ""


def _not_passed_twice(judged: type, names: list[str]) -> str:
    """Return a check that is not passed, nor when it is run again alone; a busy machine may fail a check once."""

    def stop(verdict: Verdict, done: int, of: int) -> None:
        if verdict.outcome is not Outcome.PASS:
            raise _Seen(verdict.check)

    waiting = list(names)
    while waiting:
        try:
            run(judged, _settings(), names=waiting, parallel=PARALLEL_CHECKS, on_verdict=stop)
        except _Seen as seen:
            name = str(seen)
        else:
            return ""
        if not run(judged, _settings(), names=[name]).passed:
            return name
        waiting.remove(name)
    return ""


def _passed(verification: str, module: str, source: str, wanted: Iterable[str] | None) -> list[str]:
    judged = subject(verification, module, source)
    names = getattr(judged, "only_checks", None) if wanted is None else wanted
    report = run(judged, _settings(), names=names, parallel=PARALLEL_CHECKS)
    return [verdict.check for verdict in report.passed]


def _settings() -> Environment:
    load = measured_load()
    return Environment(
        round(TIMEOUT_MILLISECONDS * load),
        round(SILENCE_MILLISECONDS * min(MOST_LOAD_OF_SILENCE, load)),
        reference_timeout_milliseconds=round(TIMEOUT_MILLISECONDS * load),
        watchdog_timeout_milliseconds=round(WATCHDOG_MILLISECONDS * load),
        seed=1,
    )


def _answer(connection: Connection, question: Callable[[], object]) -> None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    try:
        answer = question()
    except Exception as error:
        answer = Fault(f"{type(error).__name__}: {error}")
    connection.send(answer)
    connection.close()
    os._exit(0)  # whatever threads there are still
