"""Who works for a node written in Python: one thread at a time, or a task of the host's scheduler.

Roles
    anybody   any thread: leaves something for the node, then calls `run_by`
    drainer   whoever raised `_work` from 0: does the work

Invariants
    I1  One thread at a time works; it goes round until it has seen every raise of `_work`.
    I2  What was left before `run_by` was called is seen by the drainer: the lock is taken behind it.
    I3  Before `open` nobody works but who tears the node down.
"""

import contextvars
import threading
from collections.abc import Callable
from typing import Any

from reactivestreams.lifecycle.dispatch import can_run_inline

__all__ = ["NodeDrain"]


class NodeDrain:
    """Let one thread at a time work for a node.

    Args:
        work: Does what is to be done, until there is nothing left.
        give_up: Called with the error where a scheduler does not run what it was given, and behind it `work`.

    Threads: any, all methods.
    """

    __slots__ = ("__weakref__", "_give_up", "_is_open", "_is_scheduled", "_lock", "_variables", "_work", "_work_left")

    def __init__(self, work: Callable[[], None], give_up: Callable[[Exception], None]) -> None:
        self._work = work
        self._give_up = give_up
        self._lock = threading.RLock()  # guards the fields below
        self._work_left = 0
        self._is_open = False
        self._is_scheduled = False
        self._variables: contextvars.Context | None = None

    @property
    def is_running(self) -> bool:
        """Whether somebody works at this moment."""
        with self._lock:
            return self._work_left > 0

    def take_variables(self) -> None:
        """Have tasks run in copies of the context variables of the calling thread, who subscribes."""
        variables = contextvars.copy_context()
        with self._lock:
            self._variables = variables

    def open(self) -> None:
        """Work from now on; what was left before waits for the next `run`."""
        with self._lock:
            self._is_open = True

    def run(self) -> None:
        """Work, or have the thread go on that is at it; before `open` nothing."""
        with self._lock:
            if not self._is_open:
                return
        self.run_in_any_case()

    def run_in_any_case(self) -> None:
        """Work, or have the thread go on that is at it, also before `open`."""
        with self._lock:
            self._work_left += 1
            if self._work_left > 1:
                return
        missed = 1
        try:
            while missed:
                self._work()
                with self._lock:
                    self._work_left -= missed
                    missed = self._work_left
        except BaseException:  # an interrupt
            with self._lock:
                self._work_left = 0
            raise

    def run_by(self, scheduler: Any) -> None:
        """Work, in a task of a scheduler unless one is running here; at most one task waits.

        Args:
            scheduler: The host's, or None.
        """
        if can_run_inline(scheduler):
            self.run()
            return
        with self._lock:
            if self._is_scheduled or not self._is_open:
                return
            self._is_scheduled = True
        try:
            scheduler.schedule(self)
        except Exception as error:  # nobody else will come
            self.discard(error)

    def execute(self, scheduler: Any = None) -> bool:
        """Run as a task of a scheduler, in a copy of the context variables of who subscribed; always done."""
        variables = self._begin_task()
        if variables is None:
            self.run()
        else:
            variables.run(self.run)
        return True

    def discard(self, error: Exception) -> None:
        """End with an error: what a scheduler calls for a task that it will not run."""
        self._begin_task()
        self._give_up(error)
        self.run()

    def _begin_task(self) -> contextvars.Context | None:
        with self._lock:
            self._is_scheduled = False
            return None if self._variables is None else self._variables.copy()
