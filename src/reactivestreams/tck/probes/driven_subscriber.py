"""A subscriber under test for the publishers of the kit: every signal to it is recorded and guarded."""

from collections.abc import Callable
from typing import Any, NoReturn

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import Unmet
from reactivestreams.tck.kit.ledger import Ledger
from reactivestreams.tck.kit.subject import guarded_call
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription

__all__ = ["DrivenSubscriber"]


class DrivenSubscriber:
    """Pass signals on to a subscriber under test, and give it a subscription that records its calls.

    An exception of the subscriber violates §2.13, and is returned and not raised; the subscriber gets no signal after
    that. A ledger checks the kit itself: elements in excess of the demand, or signals after the end, are a fault of the
    kit and fail the check.

    Args:
        environment: The environment of the check.
        subscriber: The subscriber under test.
        dwell_seconds: How long each call of its subscription lasts, so that an overlap is noticed.

    Attributes:
        ledger: The ledger of elements and requests.
        error: The exception of the subscriber, or None.
    """

    def __init__(
        self,
        environment: CheckEnvironment,
        subscriber: Any,
        *,
        dwell_seconds: float = 0.0,
    ) -> None:
        self.environment = environment
        self.subscriber = subscriber
        self.ledger: Ledger = Ledger(environment, "subscriber", report=self._report_fault_of_the_kit)
        self.error: BaseException | None = None
        self._dwell_seconds = dwell_seconds
        self._upstream: Any = None
        self._subscription: RecordingSubscription | None = None

    @property
    def subscription(self) -> RecordingSubscription:
        """The subscription of the subscriber.

        Raises:
            Failed: `on_subscribe` was not called.
        """
        if self._subscription is None:
            self.environment.flop_and_fail("Cannot look at a subscription before on_subscribe was signalled")
        return self._subscription

    def on_subscribe(self, upstream: Any, /) -> BaseException | None:
        """Give the subscriber a subscription that forwards its calls to another one."""
        self._upstream = upstream
        self._subscription = RecordingSubscription(
            self.environment,
            on_request=upstream.request,
            on_cancel=upstream.cancel,
            dwell_seconds=self._dwell_seconds,
            ledger=self.ledger,
        )
        self.environment.at_end(self._release)
        return self._signal("on_subscribe", lambda: self.subscriber.on_subscribe, self._subscription)

    def on_next(self, element: Any, /) -> BaseException | None:
        """Send an element."""
        return self._signal("on_next", lambda: self.subscriber.on_next, element)

    def on_error(self, error: BaseException, /) -> BaseException | None:
        """Send an error."""
        self._end()
        return self._signal("on_error", lambda: self.subscriber.on_error, error)

    def on_complete(self) -> BaseException | None:
        """Send completion."""
        self._end()
        return self._signal("on_complete", lambda: self.subscriber.on_complete)

    def stray_next(self, element: Any, receiver: Any) -> BaseException | None:
        """Send an element that a publisher must not send, without the ledger; an exception is only returned."""
        self.environment.log.signal("subscriber", "on_next", element)
        self.environment.step("the element before is one that no publisher may send")
        try:
            receiver.on_next(element)
        except Exception as error:
            return error
        return None

    def fail_for_want_of_demand(self, message: str) -> NoReturn:
        """End the check because there is too little demand.

        Raises:
            Unmet: The subscriber has never called its subscription, so that §2.1 is not met.
            Failed: It has, but has not requested enough.
        """
        if self.subscription.call_count:
            self.environment.flop_and_fail(message)
        self.environment.step(f"! {message}")
        raise Unmet(message, rule="2.1")

    # --- within ---

    def _signal(self, name: str, method: Callable[[], Callable[..., Any]], *argument: Any) -> BaseException | None:
        if self.environment.is_closed or self.error is not None:  # §2.13: one that raised counts as cancelled
            return None
        what = f"{name}({safe_repr(argument[0]) if argument else ''})"
        self.ledger.enter(name, *argument)
        try:
            with self.subscription.sending(name):
                error = guarded_call(self.environment, "2.13", what, method(), *argument)
        finally:
            self.ledger.leave()
        if error is not None:
            self.error = error
            if error.__cause__ is not None:
                cause = error.__cause__
                self.environment.note(f"it was caused by {type(cause).__name__}: {error_text(cause)}")
        return error

    def _end(self) -> None:
        self.subscription.is_over = True

    def _release(self) -> None:
        # A subscriber with its own threads or buffers would keep them for a stream that never ends.
        self._upstream.cancel()
        if not self.ledger.end and not self.subscription.is_cancelled:
            timeout = self.environment.default_timeout_milliseconds
            self.environment.wait(self.ledger.changed, lambda: not self.ledger.signals_running, timeout)
            self.subscriber.on_complete()

    def _report_fault_of_the_kit(self, rule: str, message: str) -> None:
        self.environment.flop(f"the kit itself broke §{rule}: {message}; report this as a fault of the kit")
