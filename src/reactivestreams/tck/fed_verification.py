"""What the verifications have in common whose subject is fed with elements by the kit."""

from typing import Any, ClassVar

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.tck.kit.check_environment import current_check
from reactivestreams.tck.kit.subject import made
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher
from reactivestreams.tck.verification import Verification

__all__ = ["FedVerification"]


class FedVerification(Verification):
    """Base of the verifications of subscribers and processors: where their elements come from."""

    element_factory: ClassVar[str] = "create_element"

    def create_element(self, element: int) -> Any:
        """Return the element of a number, counted from 0: another one for each number, never None.

        May be called from several threads at once.
        """
        raise NotImplementedError

    def create_helper_publisher(self, elements: int) -> Any:
        """Return a new publisher of exactly so many elements; `MAX_DEMAND` means without end, 0 completes at once.

        By default a correct one that sends what `create_element` makes from threads of its own; override it for
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
        """Return the executor (`submit`) whose tasks feed the subject; None, the default, takes threads that end.

        It needs as many threads as checks run at once: some of them hold the thread that feeds a processor for a while.
        """
        return None

    def has_value_type_elements(self) -> bool:
        """Return whether None cannot stand in place of an element, as with numbers in a buffer of C.

        True skips the checks that `on_next(None)` raises.
        """
        return False

    def element_of(self, number: int) -> Any:
        """Return what `create_element` makes of a number.

        Raises:
            SubjectError: It raises, or returns None or a coroutine.
        """
        return made(self, "create_element", number, methods=(), wanted="an element, another one for each number")
