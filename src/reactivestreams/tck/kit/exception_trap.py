"""Catches exceptions that end threads of the subject, and exceptions that nothing can handle."""

import logging
import sys
import threading
from collections.abc import Callable
from typing import Any, Self

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.failure import BufferOverflowError, CheckAbandoned, PublisherStopped
from reactivestreams.tck.kit.listeners import Listeners

__all__ = ["ON_PURPOSE", "ExceptionTrap", "ExpectedFailure"]

ON_PURPOSE = "(on purpose, by the compatibility kit)"
"""Part of the text of every exception that a probe raises to test the subject."""


class _OnPurpose(logging.Filter):
    """Keep errors that the kit provokes off standard error; a program with its own logging gets all of them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is not about a provoked error."""
        error = record.exc_info[1] if record.exc_info else None
        return ON_PURPOSE not in record.getMessage() and (error is None or ON_PURPOSE not in error_text(error))


class ExceptionTrap:
    """Pass the exceptions that reach `threading.excepthook` and `sys.unraisablehook` to their checks.

    An exception belongs to the check that has seen a signal on the same thread, or to the only running check. The check
    records it as a note and counts it as a reported error (§2.13). Other exceptions go to the previous hooks. Use it as
    a context manager; any number may be active at the same time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._environments: list[CheckEnvironment] = []

    def __enter__(self) -> Self:
        _TRAPS.add(self)
        return self

    def __exit__(self, *error: object) -> None:
        _TRAPS.remove(self)

    def watch(self, environment: CheckEnvironment) -> None:
        """Start passing exceptions to a check."""
        with self._lock:
            self._environments.append(environment)

    def unwatch(self, environment: CheckEnvironment) -> None:
        """Stop passing exceptions to a check."""
        with self._lock:
            self._environments.remove(environment)

    @property
    def environments(self) -> tuple[CheckEnvironment, ...]:
        """The checks that currently get exceptions."""
        with self._lock:
            return tuple(self._environments)


def _take(ident: int | None, error: BaseException | None, what: str) -> bool:
    if error is None or isinstance(error, CheckAbandoned | BufferOverflowError | PublisherStopped):
        return True  # raised by a probe to stop a thread
    environments = [environment for trap in _TRAPS for environment in trap.environments]
    owners = [each for each in environments if ident in each.threads_seen]
    if not owners and len(environments) == 1:
        owners = environments
    for environment in owners:
        environment.stray_error(error, f"{what} {type(error).__name__}: {error_text(error)}")
    return bool(owners)


def _set_up() -> Callable[[], None]:
    of_threads, of_unraisable, last_resort = threading.excepthook, sys.unraisablehook, logging.lastResort
    on_purpose = _OnPurpose()

    def thread_died(arguments: threading.ExceptHookArgs) -> None:
        ident = arguments.thread.ident if arguments.thread is not None else None
        name = arguments.thread.name if arguments.thread is not None else "a thread"
        if not _take(ident, arguments.exc_value, f"the thread {name} died of"):
            of_threads(arguments)

    def unraisable(arguments: Any) -> None:
        if not _take(threading.get_ident(), arguments.exc_value, "an exception that nobody could handle:"):
            of_unraisable(arguments)

    def put_back() -> None:
        # A hook that was set later stays and calls this one: exceptions of no check are passed on.
        if threading.excepthook is thread_died:
            threading.excepthook = of_threads
        if sys.unraisablehook is unraisable:
            sys.unraisablehook = of_unraisable
        if last_resort is not None:
            last_resort.removeFilter(on_purpose)

    threading.excepthook = thread_died
    sys.unraisablehook = unraisable
    if last_resort is not None:
        last_resort.addFilter(on_purpose)
    return put_back


_TRAPS: Listeners[ExceptionTrap] = Listeners(_set_up)


class ExpectedFailure(Exception):  # noqa: N818 - nothing is wrong
    """An expected error: a check has sent it to observe what happens to it."""

    def __init__(self) -> None:
        super().__init__(f"Test Exception: Boom! {ON_PURPOSE}")
