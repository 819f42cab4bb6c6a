"""A subscription that records every call, and detects overlapping and forbidden calls."""

import operator
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.ledger import TERMINAL, Ledger
from reactivestreams.tck.probes.observed_subscriber import MOST_LATE_SIGNALS, stop_flood

__all__ = ["RecordingSubscription", "SubscriptionCall", "ThrowingSubscription"]

KEPT_CALLS = 1000
"""How many calls are kept, the last ones; earlier ones are only counted."""

# It is set where a subscriber carries the context of a signal to its own task or thread.
_context: ContextVar[str] = ContextVar("signal", default="")


@dataclass(frozen=True, slots=True)
class SubscriptionCall:
    """One call of `request` or `cancel`.

    Attributes:
        method: `"request"` or `"cancel"`.
        n: The argument of `request`, None for `cancel`.
        number: The position among all calls, counted from 0.
        thread: The ident of the thread.
        at_seconds: The time since the start of the check.
        after_end: Whether a terminal signal had been sent to the subscriber before.
        within: The signal that the publisher was sending on the same thread, or empty.
        context: The signal, or the act of the check, whose context the call has, also on another thread; or empty.
        is_driven: Whether the check itself made the subscriber call, on the same thread.
    """

    method: str
    n: Any
    number: int
    thread: int
    at_seconds: float
    after_end: bool
    within: str
    context: str
    is_driven: bool


class RecordingSubscription:
    """Record calls; report overlapping ones (§2.7), ones inside a terminal signal (§2.3) and bad counts (§3.9).

    A call that the check itself provokes is *driven*: if it overlaps with another one, the check is the cause.

    Args:
        environment: The environment of the check.
        on_request: Called with n after it was recorded, outside all locks; may send elements.
        on_cancel: Called after a cancel was recorded.
        dwell_seconds: How long to stay inside each call, so that an overlap is noticed.
        name: The name in messages.
        ledger: The ledger of its subscriber; it records requests and the cancellation.

    Attributes:
        is_over: Set by the publisher when it sends a terminal signal.
        overlaps: Messages about calls that ran at the same time.
        call_count: How many calls there were.
        requested: The sum of all positive requests.
    """

    def __init__(
        self,
        environment: CheckEnvironment,
        *,
        on_request: Callable[[int], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        dwell_seconds: float = 0.0,
        name: str | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.environment = environment
        self.name: str = environment.name_for("subscription") if name is None else name
        self.is_over = False
        self.overlaps: list[str] = []
        self.changed: threading.Condition = threading.Condition()
        self.call_count: int = 0
        self.requested: int = 0
        self._calls: deque[SubscriptionCall] = deque(maxlen=KEPT_CALLS)
        self._is_cancelled = False
        self._on_request = on_request
        self._on_cancel = on_cancel
        self._dwell_seconds = dwell_seconds
        self._ledger = ledger
        self._never = threading.Event()
        self._inside: list[tuple[int, str, bool]] = []
        self._on_stack = threading.local()
        self._late_calls = 0

    def __repr__(self) -> str:
        return self.name

    def request(self, n: Any, /) -> None:
        """Record the request."""
        if self._comes_late():
            return
        count = self._counted(n)
        self._note("request", n, count)
        try:
            self._dwell()
            if self._on_request is not None and count is not None:
                self._on_request(count)
        finally:
            self._leave()

    def cancel(self) -> None:
        """Record the cancellation."""
        if self._comes_late():
            self._is_cancelled = True
            if self._on_cancel is not None:
                self._on_cancel()  # the source of the elements must end too
            return
        self._note("cancel", None, None)
        try:
            self._dwell()
            if self._on_cancel is not None:
                self._on_cancel()
        finally:
            self._leave()

    # --- called by a check ---

    @property
    def calls(self) -> tuple[SubscriptionCall, ...]:
        """The recorded calls, oldest first."""
        return self.calls_from(0)

    def calls_from(self, number: int) -> tuple[SubscriptionCall, ...]:
        """Return the recorded calls from a number on."""
        with self.changed:
            return tuple(call for call in self._calls if call.number >= number)

    @property
    def calls_after_end(self) -> tuple[SubscriptionCall, ...]:
        """The recorded calls after a terminal signal, oldest first."""
        return tuple(call for call in self.calls if call.after_end)

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._is_cancelled

    def wait_call(self, method: str, timeout_milliseconds: float | None = None) -> bool:
        """Wait until a method was called; return whether it was."""
        default = self.environment.default_timeout_milliseconds
        timeout = default if timeout_milliseconds is None else timeout_milliseconds
        return self.environment.wait(self.changed, lambda: any(call.method == method for call in self._calls), timeout)

    def wait_quiet(self, *, most_periods: int = 10) -> bool:
        """Wait until there was no call for a no-signals timeout; return whether this happened.

        Args:
            most_periods: The maximum of no-signals timeouts to wait.
        """
        return any(not self._wait_more_calls_than(self.call_count) for _ in range(most_periods))

    @contextmanager
    def sending(self, signal: str) -> Generator[None]:
        """Mark this thread as sending a signal until the context is left; signals may nest."""
        before = getattr(self._on_stack, "signal", "")
        token = _context.set(signal)
        self._on_stack.signal = signal
        try:
            yield
        finally:
            self._on_stack.signal = before
            _context.reset(token)

    @contextmanager
    def driving(self, act: str) -> Generator[None]:
        """Mark this thread as driving the subscriber until the context is left."""
        token = _context.set(act)
        self._on_stack.is_driving = True
        try:
            yield
        finally:
            self._on_stack.is_driving = False
            _context.reset(token)

    # --- within ---

    def _wait_more_calls_than(self, count: int) -> bool:
        quiet = self.environment.no_signals_timeout_milliseconds
        return self.environment.wait(self.changed, lambda: self.call_count > count, quiet, is_for_silence=True)

    def _counted(self, n: Any) -> int | None:
        try:
            count = operator.index(n)
        except Exception:
            self.environment.violation("3.9", f"Requests have to be integers but received request({safe_repr(n)})")
            return None
        if count <= 0:
            self.environment.violation("3.9", f"Requests cannot be zero or negative but received request({n})")
        return count

    def _note(self, method: str, n: Any, count: int | None) -> None:
        environment = self.environment
        if self._ledger is None or (method == "request" and count is None):
            environment.log.signal(self.name, method, *(() if method == "cancel" else (n,)))
        elif count is None:
            self._ledger.cancelling()
        else:
            self._ledger.requesting(count)
        me = threading.get_ident()
        environment.threads_seen[me] = threading.current_thread()
        within: str = getattr(self._on_stack, "signal", "")
        is_driven: bool = getattr(self._on_stack, "is_driving", False)
        with self.changed:
            overlap = self._overlap(me, method, n, is_driven)
            self._inside.append((me, method, is_driven))
            self._calls.append(
                SubscriptionCall(
                    method,
                    n,
                    self.call_count,
                    me,
                    environment.log.elapsed_seconds,
                    self.is_over,
                    within,
                    _context.get(),
                    is_driven,
                )
            )
            self.call_count += 1
            if count is not None and count > 0:
                self.requested += count
            self._is_cancelled = self._is_cancelled or method == "cancel"
            self.changed.notify_all()
        if overlap:
            environment.violation("2.7", overlap)
        if within in TERMINAL:
            environment.violation(
                "2.3", f"Subscription::{method} MUST NOT be called from Subscriber::{within} (Rule 2.3)!"
            )

    def _overlap(self, me: int, method: str, n: Any, is_driven: bool) -> str:
        other = next((entry for entry in self._inside if entry[0] != me), None)
        if other is None:
            return ""
        call = f"{method}({'' if n is None else safe_repr(n)})"
        message = f"{call} was called while {other[1]} was running on another thread"
        self.overlaps.append(message)
        return "" if is_driven or other[2] else message

    def _leave(self) -> None:
        me = threading.get_ident()
        with self.changed:
            for index in reversed(range(len(self._inside))):
                if self._inside[index][0] == me:
                    del self._inside[index]
                    return

    def _comes_late(self) -> bool:
        self.environment.leave_if_abandoned()
        if not self.environment.is_closed:
            return False
        self._late_calls += 1
        if self._late_calls > MOST_LATE_SIGNALS:
            stop_flood(
                self._late_calls - MOST_LATE_SIGNALS,
                f"{self._late_calls} calls came after {self.environment.check_name} had ended; stop",
            )
        return True

    def _dwell(self) -> None:
        if self._dwell_seconds:
            self._never.wait(self._dwell_seconds)


class ThrowingSubscription(RecordingSubscription):
    """Record calls, and raise from the named ones, which a subscriber must survive.

    Args:
        environment: The environment of the check.
        methods: The methods that raise, of `"request"` and `"cancel"`.
        error: The exception that they raise.
    """

    def __init__(self, environment: CheckEnvironment, *, methods: tuple[str, ...], error: Exception) -> None:
        super().__init__(environment)
        self._methods = methods
        self._error = error

    def request(self, n: Any, /) -> None:
        """Record the request, and raise if it should."""
        super().request(n)
        if "request" in self._methods:
            raise self._error

    def cancel(self) -> None:
        """Record the cancellation, and raise if it should."""
        super().cancel()
        if "cancel" in self._methods:
            raise self._error
