"""Catches what threads of the subject die of, and what it raises where nobody can handle it."""

import logging
import sys
import threading
from collections.abc import Callable
from typing import Any, Self

from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.element_text import error_text
from reactivestreams.tck.failure import BufferOverflowError, CheckAbandoned, PublisherStopped

__all__ = ["ON_PURPOSE", "ExceptionTrap"]


ON_PURPOSE = "(on purpose, by the compatibility kit)"
"""Part of the text of every exception that a probe raises to see what the subject makes of it."""


class _OnPurpose(logging.Filter):
    """Keep what the kit provokes off standard error; a program that has set up its logging gets all of it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is about something else."""
        error = record.exc_info[1] if record.exc_info else None
        return ON_PURPOSE not in record.getMessage() and (error is None or ON_PURPOSE not in error_text(error))


class ExceptionTrap:
    """Give the exceptions that reach `threading.excepthook` and `sys.unraisablehook` to the check they belong to.

    An exception belongs to the check that has seen a signal on the same thread, or to the only check that runs. It is
    kept there as a note and counted as an error that was made known (§2.13). What belongs to no check goes to the
    hooks that were there before. Use it as a context manager; several may be entered at once, one after the other.
    """

    def __init__(self) -> None:
        self._environments: list[CheckEnvironment] = []
        self._lock = threading.Lock()
        self._on_purpose = _OnPurpose()
        self._before: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def __enter__(self) -> Self:
        self._before = threading.excepthook, sys.unraisablehook
        threading.excepthook = self._of_thread
        sys.unraisablehook = self._unraisable
        if logging.lastResort is not None:
            logging.lastResort.addFilter(self._on_purpose)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            threading.excepthook, sys.unraisablehook = self._before
            self._before = None
        if logging.lastResort is not None:
            logging.lastResort.removeFilter(self._on_purpose)

    def watch(self, environment: CheckEnvironment) -> None:
        """Give exceptions to a check from now on."""
        with self._lock:
            self._environments.append(environment)

    def unwatch(self, environment: CheckEnvironment) -> None:
        """Give nothing to a check any more."""
        with self._lock:
            self._environments.remove(environment)

    def _of_thread(self, arguments: threading.ExceptHookArgs) -> None:
        ident = arguments.thread.ident if arguments.thread is not None else None
        name = arguments.thread.name if arguments.thread is not None else "a thread"
        if not self._take(ident, arguments.exc_value, f"the thread {name} died of") and self._before is not None:
            self._before[0](arguments)

    def _unraisable(self, arguments: Any) -> None:
        taken = self._take(threading.get_ident(), arguments.exc_value, "an exception that nobody could handle:")
        if not taken and self._before is not None:
            self._before[1](arguments)

    def _take(self, ident: int | None, error: BaseException | None, what: str) -> bool:
        if error is None or isinstance(error, CheckAbandoned | BufferOverflowError | PublisherStopped):
            return True  # raised by a probe to stop a thread
        with self._lock:
            owners = [each for each in self._environments if ident in each.threads_seen]
            if not owners and len(self._environments) == 1:
                owners = list(self._environments)
        for environment in owners:
            environment.stray_error(error, f"{what} {type(error).__name__}: {error_text(error)}")
        return bool(owners)
