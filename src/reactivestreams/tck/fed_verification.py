"""The base of verifications in which the kit sends elements to the subject."""

from typing import Any, ClassVar

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.tck.kit.check_environment import current_check
from reactivestreams.tck.kit.subject import made
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher
from reactivestreams.tck.verification import Verification

__all__ = ["FedVerification"]


class FedVerification(Verification):
    """The base of the verifications of subscribers and processors: the source of their elements."""

    element_factory: ClassVar[str] = "create_element"

    def create_element(self, element: int) -> Any:
        """Return the element for a number, counted from 0: a different one for each number, never None.

        May be called from several threads at once.
        """
        raise NotImplementedError

    def create_helper_publisher(self, elements: int) -> Any:
        """Return a new publisher of exactly so many elements; `MAX_DEMAND` means endless, 0 completes immediately.

        By default it is correct and sends the elements of `create_element` from its own threads; override it for
        elements that cannot be made one by one.

        Raises:
            ArgumentTypeError: The number is not an integer.
            ArgumentError: It is negative.
        """
        if isinstance(elements, bool) or not isinstance(elements, int):
            raise ArgumentTypeError(
                f"create_helper_publisher(elements) needs an integer, got {elements!r}; pass how many elements"
            )
        if elements < 0:
            raise ArgumentError(f"create_helper_publisher(elements) needs 0 or more, got {elements}; pass how many")
        return AsynchronousPublisher(
            elements,
            self.element_of,
            environment=current_check(),
            executor=self.publisher_executor_service(),
        )

    def publisher_executor_service(self) -> Any:
        """Return the executor (`submit`) whose tasks feed the subject; None, the default, uses threads that end.

        It needs as many threads as checks run at the same time: some checks block the thread that feeds a processor for
        a while.
        """
        return None

    def has_value_type_elements(self) -> bool:
        """Return whether None cannot replace an element, as with numbers in a buffer of C.

        True skips the checks that `on_next(None)` raises.
        """
        return False

    def element_of(self, number: int) -> Any:
        """Return the element that `create_element` makes for a number.

        Raises:
            SubjectError: It raises, or returns None or a coroutine.
        """
        return made(self, "create_element", number, methods=(), wanted="an element, another one for each number")
