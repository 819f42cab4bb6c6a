"""Subscribers that a check drives by hand: it requests, and takes out received signals when it needs them."""

from collections.abc import Iterable
from typing import Any, ClassVar

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import BufferOverflowError, Failed
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber, stop_flood
from reactivestreams.tck.probes.receptacle import CAPACITY, Receptacle

__all__ = [
    "BlackholeSubscriber",
    "EqualSubscriber",
    "ErrorCollectingSubscriber",
    "ManualSubscriber",
    "UnexpectingSubscriber",
]

MOST_UNEXPECTED_ELEMENTS = 100
"""How many unexpected elements are recorded; a publisher that sends more is stopped by an exception."""


class UnexpectingSubscriber(ObservedSubscriber):
    """Accept a subscription and expect nothing else: every other signal is a flop."""

    def when_next(self, element: Any) -> None:
        """Flop.

        Raises:
            BufferOverflowError: There was a flood of elements.
            PublisherStopped: The publisher ignored that.
        """
        flood = self.ledger.delivered - MOST_UNEXPECTED_ELEMENTS
        if flood > 0:
            stop_flood(flood, f"{self.ledger.delivered} elements came, and none was expected; stop")
        self.environment.flop(f"Unexpected Subscriber::on_next({safe_repr(element)})")

    def when_error(self, error: Any) -> None:
        """Flop with the error itself."""
        if isinstance(error, BaseException):  # otherwise the ledger has reported it
            self.environment.flop(error)

    def when_complete(self) -> None:
        """Flop."""
        self.environment.flop("Unexpected Subscriber::on_complete()")


class ManualSubscriber(UnexpectingSubscriber):
    """Store signals until the check takes them out; at most 32 elements wait.

    An `on_error` is a flop until the check expects it. Waiting methods have as arguments a message and a time in
    milliseconds, by default the default timeout of the environment.
    """

    def __init__(
        self, environment: CheckEnvironment, *, name: str | None = None, subscriptions_allowed: int = 1
    ) -> None:
        super().__init__(environment, name=name, subscriptions_allowed=subscriptions_allowed)
        self.received: Receptacle[Any] = Receptacle(environment)
        self._refused = 0

    def when_next(self, element: Any) -> None:
        """Store the element.

        Raises:
            BufferOverflowError: 32 are waiting, which stops a publisher that sends without limit.
            PublisherStopped: It ignored that.
        """
        if not self.has_subscription:  # the ledger has reported it
            return
        try:
            self.received.add(element)
        except BufferOverflowError:
            message = (
                f"Received more than bufferSize ({CAPACITY}) on_next signals. "
                f"The Publisher probably emitted more signals than expected!"
            )
            self._refused += 1
            if self._refused == 1:
                self.environment.note(message)
            stop_flood(self._refused, message)

    def when_complete(self) -> None:
        """Store completion."""
        if self.has_subscription:
            self.received.complete()

    # --- request and take ---

    def request_next_element(self, message: str = "Did not receive expected element") -> Any:
        """Request one element and return it."""
        self.request(1)
        return self.next_element(message)

    def request_next_element_or_end_of_stream(
        self, message: str = "Did not receive expected stream completion"
    ) -> list[Any]:
        """Request one element and return it in a list, or an empty list on completion."""
        self.request(1)
        return self.next_element_or_end_of_stream(message)

    def request_next_elements(
        self, count: int, message: str | None = None, timeout_milliseconds: float | None = None
    ) -> list[Any]:
        """Request elements and return them."""
        self.request(count)
        return self.next_elements(count, message or f"Did not receive {count} expected elements", timeout_milliseconds)

    def request_end_of_stream(self, message: str = "Did not receive expected stream completion") -> None:
        """Request one element and expect completion in its place."""
        self.request(1)
        self.expect_completion(message)

    # --- take ---

    def next_element(
        self, message: str = "Did not receive expected element", timeout_milliseconds: float | None = None
    ) -> Any:
        """Take an element."""
        self._await("an element")
        return self.received.next(message, timeout_milliseconds)

    def next_element_or_end_of_stream(
        self, message: str = "Did not receive expected stream completion", timeout_milliseconds: float | None = None
    ) -> list[Any]:
        """Take an element and return it in a list, or an empty list on completion."""
        self._await("an element or the end")
        return self.received.next_or_end_of_stream(message, timeout_milliseconds)

    def next_elements(
        self,
        count: int,
        message: str = "Did not receive expected element or completion",
        timeout_milliseconds: float | None = None,
    ) -> list[Any]:
        """Take elements, all within one timeout."""
        self._await(f"{count} elements")
        return self.received.next_n(count, message, timeout_milliseconds)

    def expect_next(self, expected: object, timeout_milliseconds: float | None = None) -> None:
        """Take an element; flop if it is the wrong one."""
        element = self.next_element("Did not receive expected element on downstream", timeout_milliseconds)
        if element != expected:
            self.environment.flop(
                f"Expected element {safe_repr(expected)} on downstream but received {safe_repr(element)}"
            )

    def expect_completion(
        self, message: str = "Did not receive expected stream completion", timeout_milliseconds: float | None = None
    ) -> None:
        """Expect completion; flop if it does not come."""
        self._await("the end")
        self.received.expect_completion(message, timeout_milliseconds)

    def expect_error(self, kind: type[BaseException], timeout_milliseconds: float | None = None) -> BaseException:
        """Take the oldest flop, which must be a signalled error of a type.

        Raises:
            Failed: There is none in time, or one of another type.
        """
        self._await(f"on_error({kind.__name__})")
        environment = self.environment
        timeout = environment.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        return self.received.expect_error(
            kind, f"Expected on_error({kind.__name__})", timeout, environment.settings.poll_timeout_milliseconds
        )

    def expect_error_with_message(
        self, kind: type[BaseException], parts: Iterable[str], timeout_milliseconds: float | None = None
    ) -> BaseException:
        """Expect an error whose message contains one of several parts.

        Raises:
            Failed: There is none in time, another one, or none of the parts in it.
        """
        error = self.expect_error(kind, timeout_milliseconds)
        wanted = tuple(parts)
        text = error_text(error)
        if not any(part in text for part in wanted):
            self.environment.flop_and_fail(
                f"Got expected exception [{type(error).__name__}] but missing message part "
                f"[anyOf: {', '.join(map(repr, wanted))}], was: {text}"
            )
        return error

    def expect_none(
        self, prefix: str = "Did not expect an element but got element", timeout_milliseconds: float | None = None
    ) -> None:
        """Expect no signal for the no-signals timeout; flop if there is one."""
        self._await("silence")
        self.received.expect_none(prefix, timeout_milliseconds)

    def _await(self, what: str) -> None:
        self.environment.step(f"expect {what} at {self.name}")


class BlackholeSubscriber(ManualSubscriber):
    """Drop every element."""

    def when_next(self, element: Any) -> None:
        """Drop the element."""

    def next_element(
        self, message: str = "Did not receive expected element", timeout_milliseconds: float | None = None
    ) -> Any:
        """Fail: there is nothing to take.

        Raises:
            Failed: Always.
        """
        raise Failed("Can not expect elements from BlackholeSubscriber, use ManualSubscriber instead!")

    def next_elements(
        self,
        count: int,
        message: str = "Did not receive expected element or completion",
        timeout_milliseconds: float | None = None,
    ) -> list[Any]:
        """Fail: there is nothing to take.

        Raises:
            Failed: Always.
        """
        raise Failed("Can not expect elements from BlackholeSubscriber, use ManualSubscriber instead!")


class ErrorCollectingSubscriber(ManualSubscriber):
    """Store the error of the stream instead of flopping with it."""

    def __init__(
        self, environment: CheckEnvironment, *, name: str | None = None, subscriptions_allowed: int = 1
    ) -> None:
        super().__init__(environment, name=name, subscriptions_allowed=subscriptions_allowed)
        self.failed: Latch = Latch(environment)
        self.error: Any = None

    def when_error(self, error: Any) -> None:
        """Store the error; the ledger reports a second one."""
        if not self.failed.is_closed():
            self.error = error
            self.failed.close()

    def expect_same_error(self, expected: BaseException) -> None:
        """Wait for the error; flop if it does not come, or is not equal to the one expected."""
        if not self.failed.wait_closed():
            timeout = self.environment.default_timeout_milliseconds
            self.environment.flop(f"Did not receive expected error on downstream within {timeout} ms")
        elif self.error != expected:
            self.environment.flop(f"Expected error {safe_repr(expected)} but got {safe_repr(self.error)}")


class EqualSubscriber(ManualSubscriber):
    """A subscriber that equals every other one: a publisher that finds its subscribers by `==` finds the wrong one."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualSubscriber)

    __hash__: ClassVar[None]  # type: ignore[assignment]
