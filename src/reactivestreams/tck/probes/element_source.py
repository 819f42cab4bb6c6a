"""The source from which a check takes elements, one by one, to send them to a subject."""

from collections import deque
from typing import TYPE_CHECKING, Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.kit.signal_log import FEED
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, call_text, made
from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification

__all__ = ["ElementSource"]

COMPARED_ELEMENTS = 16
"""The number of previous elements with which each one is compared, because a check could confuse them."""


class ElementSource(ManualSubscriber):
    """Take elements from the helper publisher of a subject.

    Args:
        subject: The verification, with `create_helper_publisher` and `same_element`.
        environment: The environment of the check.
        distinct: Whether each element must differ from the previous ones.

    Attributes:
        last_element: The last element, or None.
    """

    def __init__(self, subject: "FedVerification", environment: CheckEnvironment, *, distinct: bool) -> None:
        super().__init__(environment, name=FEED)
        self.last_element: Any = None
        self._subject = subject
        self._error: Any = None
        self._seen: deque[Any] = deque(maxlen=COMPARED_ELEMENTS if distinct else 0)
        publisher = made(subject, "create_helper_publisher", MAX_DEMAND, methods=PUBLISHER_METHODS)
        environment.subscribe(publisher, self)

    def next(self) -> Any:
        """Request an element and return it.

        Raises:
            SubjectError: There is none, or it is the same as a previous one.
            Failed: The helper publisher sent nothing.
        """
        self.request(1)
        factory = call_text(self._subject, "create_helper_publisher", MAX_DEMAND)
        taken = self.received.next_or_end_of_stream(f"{factory} sent no element")
        if not taken:
            self._refuse(factory)
        element = taken[0]
        if any(self._subject.same_element(element, before) for before in self._seen):
            raise SubjectError(
                f"Helper publisher illegally produced the same element {safe_repr(element)} twice; "
                f"{type(self._subject).__name__}.create_element has to return another element for each number"
            )
        self._seen.append(element)
        self.last_element = element
        return element

    def when_error(self, error: Any) -> None:
        """Store the error for `next`."""
        self._error = error
        self.received.complete()

    def _refuse(self, factory: str) -> None:
        cause = getattr(self._error, "__cause__", None)
        if isinstance(cause, SubjectError):
            raise SubjectError(error_text(cause)) from cause
        if self._error is not None:
            raise SubjectError(
                f"{factory} failed with {type(self._error).__name__}: {error_text(self._error)}; "
                f"it has to send elements without end"
            )
        self.environment.verify_no_async_errors_no_delay()
        raise SubjectError(f"{factory} completed; it has to send elements without end")
