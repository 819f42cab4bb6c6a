"""The probe to which a subscriber under test reports, and the puppet by which the kit drives it."""

import threading
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr, same_element
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.promise import Promise
from reactivestreams.tck.probes.receptacle import Receptacle

__all__ = ["SignalProbe", "SubscriberPuppet", "WhiteboxProbe"]


@runtime_checkable
class SubscriberPuppet(Protocol):
    """Make a subscriber under test request and cancel; written by its author."""

    def trigger_request(self, elements: int) -> None:
        """Make the subscriber request at least so many further elements, in any number of calls, now or later."""

    def signal_cancel(self) -> None:
        """Make the subscriber cancel its subscription."""


class SignalProbe:
    """Receive reports of a subscriber's signals, and compare them with the signals that it was sent.

    The subscriber under test, or its proxy, calls the four `register_` methods; they raise nothing. None is accepted
    like any other value: a subscriber that passes it on has not refused it.

    Args:
        environment: The environment of the check.
        same: Returns whether two elements are the same.

    Attributes:
        subject: The name of the subscriber in messages.
        reporting_thread: The ident of the thread of the last reported element, or None.
        reported_elements: How many elements were reported.
        is_finished: Whether completion or an error was reported.
    """

    def __init__(self, environment: CheckEnvironment, *, same: Callable[[object, object], bool] = same_element) -> None:
        self.environment = environment
        self.subject = "under test"
        self.reporting_thread: int | None = None
        self.reported_elements: int = 0
        self.is_finished: bool = False
        self._changed = threading.Condition()
        self._same = same
        # Without limit: a check that does not read reports must not make the subscriber fail.
        self._elements: Receptacle[Any] = Receptacle(environment, capacity=None)
        self._error: Promise[Any] = Promise(environment)
        self._completed = Latch(environment)

    def __repr__(self) -> str:
        return "probe"

    # --- reports ---

    def register_on_next(self, element: Any) -> None:
        """Report an element."""
        self.environment.log.progress()
        with self._changed:
            self.reporting_thread = threading.get_ident()
            self.reported_elements += 1
            self._changed.notify_all()
        self._elements.add(element)

    def register_on_complete(self) -> None:
        """Report completion."""
        self._elements.complete()
        self._completed.close()
        self._finish()

    def register_on_error(self, error: Any) -> None:
        """Report an error."""
        self._error.complete(error)
        self._finish()

    # --- expectations ---

    def expect_next(self, *expected: Any) -> Any:
        """Take out the oldest reported element; flop if it is not the expected one, if one is given.

        Raises:
            Failed: None was reported in time.
        """
        wanted = safe_repr(expected[0]) if expected else ""
        element = self._elements.next(f"Subscriber {self.subject} did not call `register_on_next({wanted})`")
        if expected and not self._same(element, expected[0]):
            self.environment.flop(
                f"Subscriber {self.subject} called `register_on_next({safe_repr(element)})` rather than "
                f"`register_on_next({wanted})`"
            )
        return element

    def expect_completion(self) -> None:
        """Wait for the report of completion; flop if it does not come."""
        self._completed.expect_close(f"Subscriber {self.subject} did not call `register_on_complete()`")

    def expect_error(self, expected: BaseException | type[BaseException]) -> None:
        """Wait for the report of an error; flop if it does not come, or has another object or type."""
        if not self._error.wait_completed():
            timeout = self.environment.default_timeout_milliseconds
            text = expected.__name__ if isinstance(expected, type) else safe_repr(expected)
            self.environment.flop(
                f"Subscriber {self.subject} did not call `register_on_error({text})` within {timeout} ms"
            )
            return
        error = self._error.value()
        same = isinstance(error, expected) if isinstance(expected, type) else error is expected
        if not same:
            text = expected.__name__ if isinstance(expected, type) else safe_repr(expected)
            self.environment.flop(
                f"Subscriber {self.subject} called `register_on_error({safe_repr(error)})` rather than "
                f"`register_on_error({text})`"
            )

    def expect_error_with_message(self, kind: type[BaseException], part: str) -> None:
        """Wait for the report of an error of a type whose message contains a text; flop otherwise."""
        self.expect_error(kind)
        error = self._error.value() if self._error.is_completed() else None
        if error is not None:
            text = error_text(error)
            if part not in text:
                self.environment.flop(f"Subscriber {self.subject} reported an error without {part!r} in it: {text}")

    def wait_reported(self, count: int) -> bool:
        """Wait until a number of elements, or the end, was reported; return whether this happened."""
        return self.environment.wait(
            self._changed,
            lambda: self.reported_elements >= count or self.is_finished,
            self.environment.default_timeout_milliseconds,
        )

    def expect_none(self, timeout_milliseconds: float | None = None) -> None:
        """Expect no report for the no-signals timeout; flop if one comes."""
        self._elements.expect_none("Expected nothing", timeout_milliseconds)

    def _finish(self) -> None:
        with self._changed:
            self.is_finished = True
            self._changed.notify_all()


class WhiteboxProbe(SignalProbe):
    """Receive reports of signals, and the puppet that drives the subscriber under test."""

    def __init__(self, environment: CheckEnvironment, *, same: Callable[[object, object], bool] = same_element) -> None:
        super().__init__(environment, same=same)
        self.puppet_promise: Promise[SubscriberPuppet] = Promise(environment)

    def register_on_subscribe(self, puppet: SubscriberPuppet) -> None:
        """Report that a subscription was accepted; a second report is ignored."""
        if not self.puppet_promise.is_completed():
            self.puppet_promise.complete(puppet)
