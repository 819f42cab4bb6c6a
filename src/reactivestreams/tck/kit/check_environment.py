"""The state of one run of one check: failures, observations and waiting; and the current check of a thread."""

import random
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from math import ceil
from typing import TYPE_CHECKING, Any, NoReturn

from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import CheckAbandoned, Failed, PublisherStopped
from reactivestreams.tck.kit.signal_log import SignalLog
from reactivestreams.tck.kit.subject import guarded_call
from reactivestreams.tck.kit.verdict import Violation

if TYPE_CHECKING:
    from reactivestreams.tck.kit.environment import Environment
    from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber
    from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber

__all__ = ["CheckEnvironment", "current_check", "running"]

KEPT_VIOLATIONS = 20
"""How many violations one check records; further ones of a flood add no information."""

KEPT_NOTES = 50
"""How many notes one check records."""

KEPT_FLOPS = 1000
"""How many failures that were not yet read one check stores; more are dropped."""

TOO_SLOW = "too slow for this check"
"""The start of the skip reason if a subject, correct so far, did not finish the check in time."""

_SLICES = 10
_LONGEST_SLICE_MILLISECONDS = 200

_PATIENCE = 0.5
"""The part of the watchdog's time in which each signal restarts waits."""

_TIMEOUTS_FOR_MANY = 4
"""For how many default timeouts a check continues if it accepts any number of elements."""

_SLOW_SECONDS = 0.001
"""The minimum average time per signal of a slow subject, in contrast to one that sends endlessly.
"""


class CheckEnvironment:
    """Collect failures and observations of one check from all threads; made by `Environment.for_check`.

    A *flop* is a failure that is recorded now and reported by the check later, because signals arrive on threads whose
    exceptions nobody sees. A *violation* is a flop with its own rule: it fails every check, also an optional one.

    Args:
        settings: Timeouts, edition, seed.
        check_name: The name of the check.
    """

    def __init__(self, settings: "Environment", check_name: str) -> None:
        self.settings = settings
        self.check_name = check_name
        self.log: SignalLog = SignalLog()
        self.random: random.Random = random.Random(f"{settings.seed} {check_name}")
        # Weak: a thread may refer to what it called, as a timer to the subscriber that must be released (§3.13).
        self.threads_seen: weakref.WeakValueDictionary[int, threading.Thread] = weakref.WeakValueDictionary()
        self.stray_errors: list[str] = []
        self._flops: list[BaseException] = []
        self._violations: list[Violation] = []
        self._notes: list[str] = []
        self._subscribers: list[weakref.ref[ObservedSubscriber]] = []
        self._names: dict[str, int] = {}
        self._last_steps: list[Callable[[], object]] = []
        self._changed = threading.Condition()
        self._is_abandoned = False
        self._is_closed = False
        self._is_too_slow = False

    # --- settings ---

    @property
    def default_timeout_milliseconds(self) -> int:
        """How long to wait for something to happen."""
        return self.settings.default_timeout_milliseconds

    @property
    def no_signals_timeout_milliseconds(self) -> int:
        """How long nothing may happen."""
        return self.settings.no_signals_timeout_milliseconds

    @property
    def edition(self) -> Edition:
        """The edition of the specification to follow."""
        return self.settings.edition

    # --- failures ---

    def flop(self, failure: str | BaseException, message: str = "") -> None:
        """Record a failure; the next `verify_no_async_errors` reports it.

        Args:
            failure: The failure: a text, or an exception, which is recorded unchanged.
            message: Only for the reader of the code, if the failure is an exception.
        """
        # Not raised, so it has no traceback, whose frames could keep a subscriber alive (§3.13).
        error = Failed(failure) if isinstance(failure, str) else failure
        with self._changed:
            if len(self._flops) < KEPT_FLOPS:
                self._flops.append(error)
            self._changed.notify_all()
        self.log.step(f"! {message or error_text(error)}")

    def flop_and_fail(self, message: str) -> NoReturn:
        """Record a failure and end the check.

        Raises:
            Failed: Always.
        """
        self.log.step(f"! {message}")
        raise Failed(message)

    def violation(self, rule: str, message: str) -> None:
        """Record that a rule was broken; the check fails under that rule."""
        with self._changed:
            if len(self._violations) < KEPT_VIOLATIONS:
                self._violations.append(Violation(rule, message, self.log.elapsed_seconds))
            self._changed.notify_all()
        self.log.step(f"! §{rule}: {message}")

    def note(self, text: str) -> None:
        """Record an observation that does not affect the verdict."""
        with self._changed:
            if len(self._notes) < KEPT_NOTES:
                self._notes.append(text)

    def stray_error(self, error: BaseException, text: str) -> None:
        """Record an exception that ended a thread of the subject; by itself it does not affect the verdict."""
        with self._changed:
            self.stray_errors.append(type(error).__name__)
            self._changed.notify_all()
        self.note(text)

    def step(self, text: str) -> None:
        """Record the next step of the check."""
        self.log.step(text)

    @property
    def flops(self) -> tuple[BaseException, ...]:
        """The recorded failures, oldest first."""
        with self._changed:
            return tuple(self._flops)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """The recorded violations, oldest first."""
        with self._changed:
            return tuple(self._violations)

    @property
    def notes(self) -> tuple[str, ...]:
        """The recorded observations, oldest first."""
        with self._changed:
            return tuple(self._notes)

    def clear_async_errors(self) -> None:
        """Remove the recorded failures; violations stay."""
        with self._changed:
            self._flops.clear()

    def drop_async_error(self) -> BaseException | None:
        """Remove and return the oldest recorded failure, or None."""
        with self._changed:
            return self._flops.pop(0) if self._flops else None

    def await_async_error(self, timeout_milliseconds: int, poll_milliseconds: int) -> BaseException | None:
        """Wait for a failure; remove and return it, or return None if there is none in time."""
        deadline = time.monotonic() + timeout_milliseconds / 1000
        while True:
            remaining = max(0, round((deadline - time.monotonic()) * 1000))
            came = self.wait(self._changed, lambda: bool(self._flops), min(poll_milliseconds, remaining))
            if came or remaining == 0:
                return self.drop_async_error()

    def verify_no_async_errors_no_delay(self) -> None:
        """End the check if a failure was recorded.

        Raises:
            Failed: With the text of the first failure; an exception that is not a failed expectation gets a prefix.
        """
        with self._changed:
            first = self._flops[0] if self._flops else None
            violation = self._violations[0] if self._violations else None
        if first is not None:
            raise Failed(self.flop_text(first)) from (None if isinstance(first, AssertionError) else first)
        if violation is not None:
            raise Failed(str(violation))

    def verify_no_async_errors(self, delay_milliseconds: int | None = None) -> None:
        """Verify now, and again after a delay.

        Args:
            delay_milliseconds: How long to wait; the no-signals timeout by default.

        Raises:
            Failed: A failure was recorded until then.
        """
        self.verify_no_async_errors_no_delay()
        self.pause(self.no_signals_timeout_milliseconds if delay_milliseconds is None else delay_milliseconds)
        self.verify_no_async_errors_no_delay()

    @staticmethod
    def flop_text(error: BaseException) -> str:
        """Return the text of a recorded failure."""
        text = error_text(error)
        return text if isinstance(error, AssertionError) else f"Async error during test execution: {text}"

    # --- waiting ---

    def wait(
        self,
        condition: threading.Condition,
        predicate: Callable[[], bool],
        timeout_milliseconds: float,
        *,
        is_for_silence: bool = False,
    ) -> bool:
        """Wait until a condition holds; return whether it does.

        The time counts from the last signal: the wait continues while a slow subject signals, for at most half of the
            watchdog's time, and unless it has already failed the check. After that the subject is too slow for the
            check.

        The time is divided into ten or more slices, each counted as its nominal length: if the machine stalls, and the
        subject with it, the wait becomes longer by that time.

        Args:
            condition: Notified when the predicate may have changed.
            predicate: Called while the condition's lock is held.
            timeout_milliseconds: The maximum time to wait after the last signal, on a machine that does not stall.
            is_for_silence: Whether the condition must not, or need not, become true: the time counts from now.

        Raises:
            CheckAbandoned: The watchdog has abandoned the check.
        """
        with condition:
            slices = max(_SLICES, ceil(timeout_milliseconds / _LONGEST_SLICE_MILLISECONDS))
            seen, waited = self.log.progress_count, 0
            while waited < slices:
                self.leave_if_abandoned()
                if condition.wait_for(predicate, max(0.0, timeout_milliseconds) / 1000 / slices):
                    return True
                waited += 1
                if not is_for_silence and self.log.progress_count != seen and self._is_patient():
                    seen, waited = self.log.progress_count, 0
        if not is_for_silence and self.log.progress_count != seen and self._seconds_of_patience() <= 0:
            self.call_too_slow()
        return False

    def pause(self, milliseconds: float) -> None:
        """Let time pass, in full.

        Raises:
            CheckAbandoned: The watchdog has abandoned the check.
        """
        self.wait(threading.Condition(), lambda: False, milliseconds, is_for_silence=True)

    # --- the pace of the subject ---

    @property
    def has_time(self) -> bool:
        """Whether a check that accepts any number of elements may continue.

        A check that sends or receives hundreds of elements stops when this becomes false, and judges the elements until
        then.
        """
        return self.log.elapsed_seconds < self._seconds_for_many

    def affordable(self, count: int, seconds_each: float) -> int:
        """Return for how many of a number of elements there is time at a pace, at least one."""
        left = self._seconds_for_many - self.log.elapsed_seconds
        return count if count * seconds_each <= left else max(1, int(left / seconds_each))

    @property
    def is_still_signalling(self) -> bool:
        """Whether a slow subject signalled within the last two default timeouts."""
        since = self.log.elapsed_seconds - self.log.progress_seconds
        is_recent = self.log.progress_count > 0 and since < 2 * self.default_timeout_milliseconds / 1000
        return is_recent and self.log.elapsed_seconds > _SLOW_SECONDS * self.log.progress_count

    @property
    def is_too_slow(self) -> bool:
        """Whether a wait ended while signals still arrived, without a recorded failure of the subject."""
        return self._is_too_slow

    def call_too_slow(self) -> bool:
        """Record that the subject is too slow if it has not failed and still signals; return whether it is."""
        self._is_too_slow = self._is_too_slow or (self.is_still_signalling and not self._has_failed())
        return self._is_too_slow

    def too_slow(self) -> str:
        """Return the reason why the check is skipped for a subject that is too slow."""
        elements = self.log.progress_count
        each = self.log.progress_seconds / max(1, elements) * 1000
        return (
            f"{TOO_SLOW}: {elements} signals came in {self.log.progress_seconds:.1f} s ({each:.0f} ms each), and "
            f"nothing was wrong with them; give it more time with watchdog_timeout_milliseconds"
        )

    @property
    def _seconds_for_many(self) -> float:
        return _TIMEOUTS_FOR_MANY * self.default_timeout_milliseconds / 1000

    def _seconds_of_patience(self) -> float:
        return _PATIENCE * self.settings.watchdog_timeout_milliseconds / 1000 - self.log.elapsed_seconds

    def _is_patient(self) -> bool:
        return self._seconds_of_patience() > 0 and self.is_still_signalling and not self._has_failed()

    def _has_failed(self) -> bool:
        return bool(self._flops or self._violations)

    # --- subscribers ---

    def name_for(self, kind: str) -> str:
        """Return the next name for a kind of object, such as `"subscriber 2"`."""
        with self._changed:
            number = self._names[kind] = self._names.get(kind, 0) + 1
        return f"{kind} {number}"

    def register(self, subscriber: "ObservedSubscriber") -> None:
        """Register a subscriber by a weak reference, so that `close` cancels its open subscription."""
        with self._changed:
            self._subscribers.append(weakref.ref(subscriber))

    def subscribe(
        self, publisher: Any, subscriber: "ObservedSubscriber", timeout_milliseconds: float | None = None
    ) -> None:
        """Subscribe and wait until the subscriber has its subscription.

        Raises:
            Failed: It got none in time, `subscribe` raised, or a failure was recorded meanwhile.
        """
        timeout = self.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        error = self.call_subscribe(publisher, subscriber)
        if error is None and not subscriber.subscription.wait_completed(timeout):
            self.flop(f"Could not subscribe {subscriber} to Publisher {safe_repr(publisher)} within {timeout:g} ms")
        self.verify_no_async_errors_no_delay()

    def call_subscribe(self, publisher: Any, subscriber: Any, *, judged: str = "publisher") -> BaseException | None:
        """Subscribe without waiting; an exception of `subscribe` violates §1.9, and is returned.

        Args:
            publisher: The publisher.
            subscriber: The subscriber.
            judged: The name of the publisher in the log.
        """
        self.log.signal(judged, "subscribe", subscriber)
        return self.call("1.9", f"subscribe({subscriber})", publisher.subscribe, subscriber)

    def new_manual_subscriber(self, publisher: Any, timeout_milliseconds: float | None = None) -> "ManualSubscriber":
        """Return a new manual subscriber that is subscribed to a publisher."""
        from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber

        subscriber = ManualSubscriber(self)
        self.subscribe(publisher, subscriber, timeout_milliseconds)
        return subscriber

    def call(self, rule: str, what: str, function: Callable[..., Any], *arguments: object) -> BaseException | None:
        """Call a method of the subject; its exception violates a rule, and is returned."""
        return guarded_call(self, rule, what, function, *arguments)

    # --- the end ---

    @property
    def is_abandoned(self) -> bool:
        """Whether the watchdog has abandoned the check."""
        return self._is_abandoned

    @property
    def is_closed(self) -> bool:
        """Whether the check is over: probes ignore signals."""
        return self._is_closed

    def abandon(self) -> None:
        """Abandon the check: every wait and every probe ends it from now on."""
        self._is_abandoned = True
        with self._changed:
            self._changed.notify_all()

    def leave_if_abandoned(self) -> None:
        """End the calling thread's part in an abandoned check.

        Raises:
            CheckAbandoned: The watchdog has abandoned the check.
        """
        if self._is_abandoned:
            raise CheckAbandoned(f"{self.check_name} was given up by the watchdog")

    def at_end(self, function: Callable[[], object]) -> None:
        """Call a function when the check has ended, to release a subject; its exception is ignored."""
        with self._changed:
            self._last_steps.append(function)

    def close(self) -> None:
        """End the check: release every subject, cancel every open subscription, record nothing more."""
        self._is_closed = True
        with self._changed:
            subscribers = [reference() for reference in self._subscribers]
        # The verdict stands; PublisherStopped ends a subject that does not stop, CheckAbandoned a wait of a last step.
        while (function := self._take_last_step()) is not None:
            with suppress(Exception, PublisherStopped, CheckAbandoned):
                function()
        for subscriber in subscribers:
            if subscriber is not None:
                with suppress(Exception, PublisherStopped, CheckAbandoned):
                    subscriber.cancel_quietly()

    def _take_last_step(self) -> Callable[[], object] | None:
        # One by one: if a thread hangs in a step, the next thread that closes does the others.
        with self._changed:
            return self._last_steps.pop(0) if self._last_steps else None


_current: ContextVar[CheckEnvironment | None] = ContextVar("current_check", default=None)


def current_check() -> CheckEnvironment | None:
    """Return the state of the check that this thread runs, or None outside checks."""
    return _current.get()


@contextmanager
def running(environment: CheckEnvironment) -> Generator[None]:
    """Make a check the current one of this thread until the context is left."""
    token = _current.set(environment)
    try:
        yield
    finally:
        _current.reset(token)
