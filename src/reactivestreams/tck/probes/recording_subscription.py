"""A subscription that notes every call, sees calls that overlap, and can misbehave."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.element_text import shown

__all__ = ["RecordingSubscription", "SubscriptionCall", "ThrowingSubscription"]

KEPT_CALLS = 1000
"""How many calls are kept; more are counted only."""


@dataclass(frozen=True, slots=True)
class SubscriptionCall:
    """One call of `request` or `cancel`.

    Attributes:
        method: `"request"` or `"cancel"`.
        n: The argument of `request`, None for `cancel`.
        thread: Ident of the thread.
        at_seconds: When, counted from the start of the check.
        after_end: Whether a terminal signal had been sent to the subscriber before.
        within: The signal that the publisher was sending on the same thread, or empty.
    """

    method: str
    n: Any
    thread: int
    at_seconds: float
    after_end: bool
    within: str


class RecordingSubscription:
    """Note calls; report overlapping ones (§2.7) and counts that are not positive (§3.9).

    Args:
        environment: Of the check.
        on_request: Called with n after it was noted, outside of all locks; may send elements.
        on_cancel: Called after a cancel was noted.
        dwell_seconds: How long to stay inside each call, so that an overlap is seen.
        name: How messages call it.

    Attributes:
        is_over: Set by the publisher when it sends a terminal signal.
        overlaps: Messages about calls that ran at the same time.
    """

    def __init__(
        self,
        environment: CheckEnvironment,
        *,
        on_request: Callable[[int], None] | None = None,
        on_cancel: Callable[[], None] | None = None,
        dwell_seconds: float = 0.0,
        name: str | None = None,
    ) -> None:
        self.environment = environment
        self.name = environment.name_for("subscription") if name is None else name
        self.is_over = False
        self.overlaps: list[str] = []
        self.changed = threading.Condition()
        self._calls: list[SubscriptionCall] = []
        self._on_request = on_request
        self._on_cancel = on_cancel
        self._dwell_seconds = dwell_seconds
        self._never = threading.Event()
        self._inside: list[tuple[int, str]] = []
        self._signals = threading.local()

    def __repr__(self) -> str:
        return self.name

    def request(self, n: Any, /) -> None:
        """Note the request."""
        self._note("request", n)
        try:
            self._dwell()
            if self._on_request is not None:
                self._on_request(n)
        finally:
            self._leave()

    def cancel(self) -> None:
        """Note the cancellation."""
        self._note("cancel", None)
        try:
            self._dwell()
            if self._on_cancel is not None:
                self._on_cancel()
        finally:
            self._leave()

    # --- what a check asks ---

    @property
    def calls(self) -> tuple[SubscriptionCall, ...]:
        """The calls noted, oldest first."""
        with self.changed:
            return tuple(self._calls)

    @property
    def requested(self) -> int:
        """The sum of all positive requests."""
        return sum(call.n for call in self.calls if call.method == "request" and call.n > 0)

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return any(call.method == "cancel" for call in self.calls)

    def wait_call(self, method: str, timeout_milliseconds: float | None = None) -> bool:
        """Wait until a method was called; return whether it was."""
        default = self.environment.default_timeout_milliseconds
        timeout = default if timeout_milliseconds is None else timeout_milliseconds
        return self.environment.wait(self.changed, lambda: any(call.method == method for call in self._calls), timeout)

    def sending(self, signal: str) -> None:
        """Say which signal this thread sends from now on; an empty text when it has returned."""
        self._signals.name = signal

    # --- within ---

    def _note(self, method: str, n: Any) -> None:
        self.environment.log.signal(self.name, method, *(() if method == "cancel" else (n,)))
        me = threading.get_ident()
        call = SubscriptionCall(
            method, n, me, self.environment.log.elapsed_seconds, self.is_over, getattr(self._signals, "name", "")
        )
        with self.changed:
            other = next((entry for entry in self._inside if entry[0] != me), None)
            if other is not None:
                call_text = f"{method}({'' if n is None else shown(n)})"
                self.overlaps.append(f"{call_text} was called while {other[1]} was running on another thread")
            self._inside.append((me, method))
            if len(self._calls) < KEPT_CALLS:
                self._calls.append(call)
            self.changed.notify_all()

    def _leave(self) -> None:
        me = threading.get_ident()
        with self.changed:
            for index in reversed(range(len(self._inside))):
                if self._inside[index][0] == me:
                    del self._inside[index]
                    return

    def _dwell(self) -> None:
        if self._dwell_seconds:
            self._never.wait(self._dwell_seconds)


class ThrowingSubscription(RecordingSubscription):
    """Note calls, and raise from those named; what a subscriber must survive.

    Args:
        environment: Of the check.
        methods: Which of `"request"` and `"cancel"` raise.
        error: What they raise.
    """

    def __init__(self, environment: CheckEnvironment, *, methods: tuple[str, ...], error: Exception) -> None:
        super().__init__(environment)
        self._methods = methods
        self._error = error

    def request(self, n: Any, /) -> None:
        """Note the request, and raise if told so."""
        super().request(n)
        if "request" in self._methods:
            raise self._error

    def cancel(self) -> None:
        """Note the cancellation, and raise if told so."""
        super().cancel()
        if "cancel" in self._methods:
            raise self._error
