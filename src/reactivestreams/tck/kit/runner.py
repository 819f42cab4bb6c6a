"""Runs the checks of a kit against a subject, several at a time, and reports."""

import queue
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check import Check, Kind, Origin
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import ALL_EDITIONS
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.exception_trap import ExceptionTrap
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.load import measured_load
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.kit.verdict import Outcome, Verdict
from reactivestreams.tck.kit.watchdog import Run, judge

__all__ = ["DEFAULT_PARALLEL", "Subject", "VerificationInterrupted", "example_of", "run"]

DEFAULT_PARALLEL = 16
"""How many checks run at the same time: they mostly wait. Use 1 for a subject whose publishers share a small pool of
threads, because some checks block a thread of the publisher for a while."""

LEAVING_SECONDS = 0.5
"""How long threads of the subject may take to end after the last check, on an idle machine; then they are reported."""

STARTING_SECONDS = 0.001
"""The interval between checks whether a starting thread has started."""


class VerificationInterrupted(KeyboardInterrupt):
    """Report that Ctrl-C ended a verification; it has the verdicts until then.

    Args:
        report: The results until then.

    Attributes:
        report: The results until then.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(f"interrupted after {len(report.verdicts)} checks: {report.summary()}")
        self.report: Report = report


@runtime_checkable
class Subject(Protocol):
    """A subject: it names its checks and can check its factories."""

    catalog: Catalog

    def examine(self, environment: CheckEnvironment) -> None:
        """Call the factories once; raise `SubjectError` if one returns an unexpected object."""


def run(
    subject: Any,
    environment: Environment | None = None,
    *,
    names: Iterable[str] | None = None,
    parallel: int = DEFAULT_PARALLEL,
    on_verdict: Callable[[Verdict, int, int], None] | None = None,
) -> Report:
    """Run the checks of a subject and return the results.

    Each check has its own state, deadline and objects from the factories. The code of the subject runs on other
    threads, several checks at a time; checks share a given instance, and for a class each check gets its own instance.

    Args:
        subject: A verification, or its class, which is called without arguments.
        environment: The settings; by default those of the environment variables.
        names: The checks to run; by default all of the edition.
        parallel: How many run at the same time, >= 1; default 16.
        on_verdict: Called in this thread after each check, with its verdict, the number of finished checks and the
            total.

    Returns:
        The report, in the order of the catalog.

    Raises:
        SubjectError: The subject cannot be judged: it has no factories, or they return unexpected objects.
        ArgumentError: A name is unknown, or `parallel` is less than 1.
        VerificationInterrupted: Ctrl-C was pressed; its `report` has the verdicts until then. A `KeyboardInterrupt`.
    """
    if isinstance(parallel, bool) or not isinstance(parallel, int):
        raise ArgumentTypeError(f"run(parallel) needs an integer, got {parallel!r}; pass how many checks run at once")
    if parallel < 1:
        raise ArgumentError(f"run(parallel) needs 1 or more, got {parallel}; pass how many checks run at once")
    settings = Environment() if environment is None else environment
    example = example_of(subject)
    make: Callable[[], Subject] = subject if isinstance(subject, type) else lambda: example
    checks = example.catalog.chosen(names, settings.edition)
    before = set(threading.enumerate())
    started = time.monotonic()
    _examine(example, settings)
    verdicts: dict[str, Verdict] = {}

    def report(threads_left: tuple[str, ...] = ()) -> Report:
        return Report(
            subject=type(example).__name__,
            edition=str(settings.edition),
            seed=settings.seed,
            verdicts=tuple(verdicts[check.name] for check in checks if check.name in verdicts),
            duration_seconds=time.monotonic() - started,
            threads_left=threads_left,
        )

    try:
        _run_all(checks, make, settings, parallel, on_verdict, verdicts)
    except KeyboardInterrupt:
        raise VerificationInterrupted(report()) from None
    return report(_threads_left(before))


def example_of(subject: Any) -> Subject:
    """Return an instance of a verification, or the given instance.

    Raises:
        SubjectError: The class needs arguments or raises, or it is not a verification.
    """
    if not isinstance(subject, type):
        example = subject
    else:
        try:
            example = subject()
        except Exception as error:
            raise SubjectError(
                f"{subject.__name__}() raised {type(error).__name__}: {error}; "
                f"pass an instance, or a class that needs no arguments"
            ) from error
    if not isinstance(example, Subject):
        raise SubjectError(
            f"{example!r} ({type(example).__name__}) is not a verification; pass an instance of a subclass of "
            f"PublisherVerification, SubscriberWhiteboxVerification, SubscriberBlackboxVerification or "
            f"ProcessorVerification"
        )
    return example


def _examine(subject: Subject, settings: Environment) -> None:
    def examine(subject: Any, state: CheckEnvironment) -> None:
        subject.examine(state)

    verdict = judge(
        Check("examine", examine, (), Kind.REQUIRED, "", "", ALL_EDITIONS, Origin.REFERENCE, Outcome.FAIL),
        subject,
        settings,
    )
    if verdict.outcome is Outcome.FAIL:
        raise SubjectError(verdict.message)


def _run_all(
    checks: tuple[Check, ...],
    make: Callable[[], Subject],
    settings: Environment,
    parallel: int,
    on_verdict: Callable[[Verdict, int, int], None] | None,
    verdicts: dict[str, Verdict],
) -> None:
    done: queue.SimpleQueue[Run] = queue.SimpleQueue()
    waiting = [*reversed(checks)]  # taken from the end: exclusive checks are last
    waiting.sort(key=lambda check: (not check.is_alone, check.is_long))
    running: set[Run] = set()
    with ExceptionTrap() as trap:
        try:
            while waiting or running:
                while waiting and len(running) < (1 if waiting[-1].is_alone else parallel):
                    running.add(Run(waiting.pop(), make(), settings, done=done, trap=trap))
                finished = _next_finished(done, running)
                if finished is None or finished not in running:
                    continue
                if finished.verdict is not None:
                    verdicts[finished.check.name] = finished.verdict
                running.remove(finished)
                finished.reap()
                if finished.verdict is not None and on_verdict is not None:
                    on_verdict(finished.verdict, len(verdicts), len(checks))
        except KeyboardInterrupt:
            for run in running:
                run.stop()
            raise


def _next_finished(done: "queue.SimpleQueue[Run]", running: set[Run]) -> Run | None:
    nearest = min(run.deadline for run in running)
    try:
        return done.get(timeout=max(0.0, nearest - time.monotonic()))
    except queue.Empty:
        for run in running:
            run.give_up_if_due()
        return None


def _threads_left(before: set[threading.Thread]) -> tuple[str, ...]:
    deadline = time.monotonic() + LEAVING_SECONDS * measured_load()
    left = set(threading.enumerate()) - before
    for thread in left:
        # A starting thread is listed but cannot be joined yet.
        while not thread.is_alive() and thread in threading.enumerate() and time.monotonic() < deadline:
            time.sleep(STARTING_SECONDS)
        if thread.is_alive():
            thread.join(max(0.0, deadline - time.monotonic()))
    return tuple(sorted(thread.name for thread in left if thread.is_alive()))
