"""The verification of a processor: subclass it, make processors that pass on their elements, run its checks."""

from typing import Any, ClassVar

from reactivestreams.tck.checks.processor import PROCESSOR_CHECKS
from reactivestreams.tck.checks.processor.methods import ProcessorMethods
from reactivestreams.tck.checks.processor.processor_stage import identity_processor
from reactivestreams.tck.checks.subscriber.setup_checks import expect_two_subscribers
from reactivestreams.tck.fed_verification import FedVerification
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_environment import CheckEnvironment, current_check
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, call_text, made
from reactivestreams.tck.probes.probing_subscriber import ProbingSubscriber
from reactivestreams.tck.probes.receptacle import BUFFER_SIZE
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher
from reactivestreams.tck.probes.whitebox_probe import WhiteboxProbe
from reactivestreams.tck.processor_traits import Overflow, ProcessorTraits
from reactivestreams.tck.publisher_verification import PublisherVerification
from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

__all__ = ["ProcessorVerification"]

_ELEMENTS_AFTER_FAILURE = 10


class ProcessorVerification(ProcessorMethods, PublisherVerification, SubscriberWhiteboxVerification):
    """Judge a processor, as a publisher, as a subscriber, and as their connection; meant to be subclassed.

    Define `create_identity_processor` and `create_element`, and `create_failed_publisher` if there can be one; override
    other hooks if their default does not apply to the processor. As a publisher it gets elements from a helper
    publisher; as a subscriber it has a downstream subscriber that reports to the probe and is its own puppet, so that
    demand and `cancel` must pass through the processor. There is no constructor, because test runners own it.

    A processor with an attribute `processor_traits`, a `ProcessorTraits`, declares the values of the hooks itself.

    Example:
        >>> from reactivestreams import BaseProcessor
        >>> from reactivestreams.tck import ProcessorVerification, run
        >>> class Passing(BaseProcessor):
        ...     def hook_on_next(self, element):
        ...         self.emit(element)
        >>> class PassingVerification(ProcessorVerification):
        ...     def create_identity_processor(self, buffer_size):
        ...         return Passing()
        ...
        ...     def create_element(self, element):
        ...         return element
        ...
        ...     def max_supported_subscribers(self):
        ...         return 1
        >>> name = "must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream"
        >>> run(PassingVerification, names=[name]).is_success
        True
    """

    catalog: ClassVar[Catalog] = PROCESSOR_CHECKS
    judged: ClassVar[str] = "processor"
    element_factory: ClassVar[str] = "create_element"

    _traits: ProcessorTraits | None = None

    # --- factories ---

    def create_identity_processor(self, buffer_size: int) -> Any:
        """Return a new processor that passes on every element, and can buffer so many that wait for demand."""
        raise NotImplementedError

    def create_publisher(self, elements: int) -> Any:
        """Return a new processor that is subscribed to a helper publisher of exactly so many elements."""
        helper = made(self, "create_helper_publisher", elements, methods=PUBLISHER_METHODS)
        return _fed(identity_processor(self), helper)

    def create_publisher_failing_at(self, position: int) -> Any:
        """Return a new processor that is subscribed to a publisher whose source fails at a position.

        It returns None, which skips the checks that need one, if `create_element` is not defined.
        """
        if type(self).create_element is FedVerification.create_element:
            return None

        def element(number: int) -> Any:
            if number == position:
                raise RuntimeError(f"element {number} cannot be made")
            return self.element_of(number)

        helper = AsynchronousPublisher(
            position + _ELEMENTS_AFTER_FAILURE,
            element,
            environment=current_check(),
            executor=self.publisher_executor_service(),
        )
        return _fed(identity_processor(self), helper)

    def create_subscriber(self, probe: WhiteboxProbe) -> Any:
        """Return a new processor with a downstream subscriber that reports to a probe and is its own puppet."""
        processor = identity_processor(self)
        subscriber = ProbingSubscriber(probe)
        probe.environment.call_subscribe(processor, subscriber, judged="processor")
        return processor

    # --- hooks ---

    def max_supported_subscribers(self) -> int:
        """Return how many subscribers the processor serves at the same time; checks that need more are skipped."""
        return self.stated_traits().max_supported_subscribers

    def does_coordinated_emission(self) -> bool:
        """Return whether the processor requests upstream, or emits, only when all subscribers have requested."""
        return self.stated_traits().does_coordinated_emission

    def delays_errors(self) -> bool:
        """Return whether an error of the upstream is sent after earlier elements that wait for demand.

        §4.2 requires that it is passed on immediately; the standard's kit interprets this as before waiting elements.
        """
        return self.stated_traits().delays_errors

    def replays_elements(self) -> bool:
        """Return whether a late subscriber gets elements that were emitted before."""
        return self.stated_traits().replays_elements

    def cancels_upstream(self) -> bool:
        """Return whether the processor cancels its upstream when its last subscriber has cancelled.

        The standard only recommends this; its kit, and the default here, expect it.
        """
        return self.stated_traits().cancels_upstream

    def overflow(self) -> Overflow | None:
        """Return what happens to elements that arrive before a subscriber requests them; None, the default: they wait.

        As for publishers; in addition, if no element waits for a slower subscriber, the checks with two subscribers let
        both request.
        """
        return self.stated_traits().overflow

    # --- for the runner ---

    def stated_traits(self) -> ProcessorTraits:
        """Return the declarations of a processor that the factory makes, or the defaults if it has none.

        Raises:
            SubjectError: The factory does not return a processor, or its attribute is not a `ProcessorTraits`.
        """
        if self._traits is None:  # threads that share this object may make several; one is used
            stated = getattr(identity_processor(self), "processor_traits", ProcessorTraits())
            if not isinstance(stated, ProcessorTraits):
                made_by = call_text(self, "create_identity_processor", BUFFER_SIZE)
                raise SubjectError(
                    f"processor_traits of what {made_by} returned is {stated!r}; it has to be a ProcessorTraits"
                )
            self._traits = stated
        return self._traits

    def examine(self, environment: CheckEnvironment) -> None:
        """Make two processors and an element, to check the factories."""
        expect_two_subscribers(self, environment, lambda: identity_processor(self), factory="create_identity_processor")
        self.element_of(0)


def _fed(processor: Any, helper: Any) -> Any:
    helper.subscribe(processor)
    return processor
