"""Runs each check in its own thread, with a deadline, so that no check can hang its caller."""

import ctypes
import queue
import sys
import threading
import time
import traceback
from dataclasses import replace
from typing import Any

from reactivestreams.tck.kit.check import Check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.environment import Environment
from reactivestreams.tck.kit.exception_trap import ExceptionTrap
from reactivestreams.tck.kit.failure import CheckAbandoned, Failed
from reactivestreams.tck.kit.signal_log import CHECK_THREAD
from reactivestreams.tck.kit.verdict import Verdict

__all__ = ["Run", "judge"]

_GRACE_SECONDS = 0.5
_CLOSE_THREAD = "tck-close"


class Run:
    """One run of one check in its own thread.

    Args:
        check: The check.
        subject: The subject to judge.
        environment: The settings; the run has its own state.
        done: The queue for the run when it has its verdict.
        trap: The trap that watches the state for stray exceptions.
    """

    def __init__(
        self,
        check: Check,
        subject: Any,
        environment: Environment,
        *,
        done: "queue.SimpleQueue[Run]",
        trap: ExceptionTrap,
    ) -> None:
        self.check = check
        self.state: CheckEnvironment = environment.for_check(check.name)
        self.verdict: Verdict | None = None
        self._subject = subject
        self._done = done
        self._trap = trap
        self._lock = threading.Lock()
        self._before = set(threading.enumerate())
        self._thread = threading.Thread(target=self._work, name=f"{CHECK_THREAD}{check.name[:40]}", daemon=True)
        self._began = time.monotonic()
        trap.watch(self.state)
        self._thread.start()

    @property
    def deadline(self) -> float:
        """The time when the run is abandoned; later while a slow subject signals, up to twice the time."""
        settings = self.state.settings
        nominal = self._began + settings.watchdog_timeout_milliseconds / 1000
        if not self.state.is_still_signalling:
            return nominal
        latest = nominal + settings.watchdog_timeout_milliseconds / 1000
        return min(latest, max(nominal, time.monotonic() + settings.default_timeout_milliseconds / 1000))

    def give_up_if_due(self) -> None:
        """Abandon the run if its deadline has passed."""
        if self.deadline <= time.monotonic():
            self.give_up()

    def give_up(self) -> None:
        """End the run because it did not finish, and make its threads leave if that is possible."""
        seconds = time.monotonic() - self._began
        stacks = _stacks_of_all_threads()
        message = f"did not finish within {seconds:.1f} s: it hangs; the stacks show where every thread stands"
        self._settle(self.check.abandoned(self.state, message, stacks))

    def stop(self) -> None:
        """End the run without a verdict: its waits end, and its open subscriptions are closed on another thread."""
        self.state.abandon()
        threading.Thread(target=self.state.close, name=_CLOSE_THREAD, daemon=True).start()

    def reap(self) -> None:
        """Wait briefly for the thread to end; interrupt an endless loop of Python code.

        An abandoned check has not closed its state: that is done now, on another thread, because the hanging subject
        may hang again when its subscriptions are cancelled.
        """
        if not self.state.is_abandoned:
            self._thread.join()
            return
        self._thread.join(_GRACE_SECONDS)
        if self._thread.is_alive():
            # Takes effect at the next bytecode; a thread that waits in C stays, and is reported.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(CheckAbandoned)
            )
            self._thread.join(_GRACE_SECONDS)
        threading.Thread(target=self.state.close, name=_CLOSE_THREAD, daemon=True).start()
        self._trap.unwatch(self.state)

    def _work(self) -> None:
        try:
            verdict = self.check(self._subject, self.state)
        except CheckAbandoned:
            return
        except BaseException as error:  # such as MemoryError: a verdict is needed anyway, or the caller waits forever
            verdict = self.check.abandoned(self.state, f"{type(error).__name__}: {error_text(error)}", "")
        self._settle(verdict)

    def _settle(self, verdict: Verdict) -> None:
        with self._lock:
            if self.verdict is not None:
                return
            hung = threading.current_thread() is not self._thread
            self.verdict = replace(
                verdict, evidence=replace(verdict.evidence, threads_left=self._threads_left(hung=hung))
            )
            if hung:
                self.state.abandon()
        if not hung:
            self._trap.unwatch(self.state)
        self._done.put(self)

    def _threads_left(self, *, hung: bool) -> tuple[str, ...]:
        # Several checks may run at the same time: only its own threads, and those that signalled to it, count for this
        # one.
        seen: set[threading.Thread | None] = {reference() for reference in self.state.threads_seen.valuerefs()}
        if hung:
            seen.add(self._thread)
        alive = {thread for thread in seen if thread is not None and thread.is_alive()} - self._before
        alive.discard(threading.current_thread())
        return tuple(sorted(thread.name for thread in alive))


def judge(check: Check, subject: Any, environment: Environment) -> Verdict:
    """Run one check with a deadline and return its verdict; a check that hangs fails with the stacks of all threads.

    Args:
        check: The check.
        subject: The subject to judge.
        environment: The settings; `watchdog_timeout_milliseconds` is the deadline.

    Raises:
        Failed: Only if the run has no verdict, which is a fault of the kit and never of the subject.
    """
    done: queue.SimpleQueue[Run] = queue.SimpleQueue()
    with ExceptionTrap() as trap:
        run = Run(check, subject, environment, done=done, trap=trap)
        while run.verdict is None:
            try:
                done.get(timeout=max(0.0, run.deadline - time.monotonic()))
            except queue.Empty:
                run.give_up_if_due()
        run.reap()
    if run.verdict is None:
        raise Failed(f"{check.name} has no verdict; report this as a fault of the kit")
    return run.verdict


def _stacks_of_all_threads() -> str:
    """Return the stack of every thread that Python knows, the most recent call last."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts: list[str] = []
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]  # documented, nevertheless
    for ident, frame in frames.items():
        stack = "".join(traceback.format_stack(frame))
        parts.append(f"thread {names.get(ident, 'unknown')} ({ident}):\n{stack}")
    return "\n".join(parts)
