"""The stage of a processor under test: drives it from upstream and observes it from downstream."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import Skipped
from reactivestreams.tck.kit.subject import PROCESSOR_METHODS, call_text, made, refuse_coroutine_methods
from reactivestreams.tck.probes.manual_subscriber import ErrorCollectingSubscriber
from reactivestreams.tck.probes.receptacle import BUFFER_SIZE

if TYPE_CHECKING:
    from reactivestreams.tck.processor_verification import ProcessorVerification

__all__ = [
    "COORDINATED",
    "ProcessorStage",
    "identity_processor",
    "serves_slow_subscribers",
    "skip_unless_subscribers_are_supported",
]

COORDINATED = (
    "If the Processor coordinates requests/emissions when having multiple Subscribers at once, please override "
    "does_coordinated_emission() to return true in this ProcessorVerification to allow this test to pass."
)
"""The hint for a processor that may only seem to withhold elements."""

_FACTORY = "create_identity_processor"


def identity_processor(subject: "ProcessorVerification") -> Any:
    """Return a new processor.

    Raises:
        SubjectError: The factory returns something else.
    """
    processor = made(subject, _FACTORY, BUFFER_SIZE, methods=PROCESSOR_METHODS)
    refuse_coroutine_methods(processor, PROCESSOR_METHODS, f"what {call_text(subject, _FACTORY, BUFFER_SIZE)} returned")
    return processor


def skip_unless_subscribers_are_supported(required: int, subject: "ProcessorVerification") -> None:
    """Skip a check that needs more subscribers than the processor serves at the same time.

    Raises:
        Skipped: It serves fewer.
    """
    supported = subject.max_supported_subscribers()
    if supported < required:
        raise Skipped(
            f"The Publisher under test only supports {supported} subscribers, while this test requires at least "
            f"{required} to run."
        )


def serves_slow_subscribers(subject: "ProcessorVerification") -> bool:
    """Return whether an element that only the first subscriber has requested waits for the second."""
    overflow = subject.overflow()
    return subject.max_supported_subscribers() > 1 and not (overflow is not None and overflow.keeps_none)


class ProcessorStage(SubscriberStage):
    """The upstream and the subscriber of a processor.

    Args:
        subject: Makes the processor.
        environment: The environment of the check.
        begins: Whether to be the upstream from the beginning; otherwise `begin` has to be called.

    Raises:
        SubjectError: A factory returns an unexpected object.
    """

    def __init__(self, subject: "ProcessorVerification", environment: CheckEnvironment, *, begins: bool = True) -> None:
        super().__init__(subject, environment, distinct=True)
        self._subject = subject
        self.processor: Any = identity_processor(subject)
        if begins:
            self.begin()

    def begin(self) -> None:
        """Become the upstream of the processor."""
        self.subscribe(self.processor)

    def new_subscriber(self) -> ErrorCollectingSubscriber:
        """Return a new subscriber of the processor.

        Raises:
            Failed: It did not get its subscription in time, or a failure was recorded meanwhile.
        """
        subscriber = ErrorCollectingSubscriber(self.environment)
        self.environment.subscribe(self.processor, subscriber)
        return subscriber

    def new_subscriber_without_demand(self, first: ErrorCollectingSubscriber) -> ErrorCollectingSubscriber:
        """Return a second subscriber without demand, for which the next element that the first requested has to wait.

        Raises:
            Failed: The demand of the first did not reach the upstream in time, or the second got no subscription.
        """
        first.request(1)
        self.await_demand()
        return self.new_subscriber()

    def expect_next(self, subscriber: ErrorCollectingSubscriber, expected: Any, addendum: str = "") -> None:
        """Take an element from a subscriber; flop if it is the wrong one.

        Args:
            subscriber: A subscriber of the processor.
            expected: The element that was sent to the processor.
            addendum: An additional text for the message if none arrives.

        Raises:
            Failed: None arrived in time.
        """
        more = f". {addendum}" if addendum else ""
        element = subscriber.next_element(f"timeout while awaiting {safe_repr(expected)}{more}")
        if not self._subject.same_element(element, expected):
            self.environment.flop(
                f"Received `on_next({safe_repr(element)})` on downstream but expected `on_next({safe_repr(expected)})`"
            )

    def pass_on_next(self, subscriber: ErrorCollectingSubscriber) -> Any:
        """Wait for demand, send an element, expect it at a subscriber, and return it.

        Raises:
            Failed: It was not requested, or did not arrive, in time.
        """
        self.await_demand()
        element = self.signal_next()
        self.expect_next(subscriber, element)
        return element
