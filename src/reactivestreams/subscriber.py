"""`Subscriber` and `DefaultSubscriber`, for packages that contain or expect a module of this name.

Inside the project the interface is imported from `reactivestreams.spec`.
"""

from collections.abc import Callable
from typing import TypeVar

from reactivestreams.spec.subscriber import Subscriber
from reactivestreams.spec.subscription import Subscription
from rs_core.errors import ArgumentTypeError, NullElementError
from rs_core.interp.deferred_functions import refuse_deferred, refuses_deferred_hooks

__all__ = ["DefaultSubscriber", "Subscriber", "Subscription"]

T = TypeVar("T")


@refuses_deferred_hooks("or end a stream with for_each_async()")
class DefaultSubscriber(Subscriber[T]):
    """Pass each signal to a function, if there is one; documented as a base.

    `subscription` is the last one that `on_subscribe` received, or None. Request elements from it: without a request
    none are sent (§2.1). A subscriber can be used again after its stream ended or was cancelled; it does not detect a
    second subscription at the same time (§2.5). It checks only the rules about None (§2.13). An exception of a function
    is raised to the publisher. To write a subscriber that follows all rules, derive from `rs_core.BaseSubscriber`
    instead.

    Some publishers mark the last element as such, `on_next(value, is_complete=True)`, and send no `on_complete` after
    it; publishers of this project never do.

    Args:
        on_next: Called with the element and `is_complete`.
        on_error: Called with the exception.
        on_complete: Called without arguments.
        on_subscribe: Called with the subscription.

    Raises:
        ArgumentTypeError: One of the functions is neither callable nor None, or a call of it would run nothing.

    Example:
        >>> subscriber = DefaultSubscriber(on_next=lambda value, is_complete: print(value, is_complete))
        >>> subscriber.on_next("a")
        a False
        >>> subscriber.on_next("b", is_complete=True)
        b True
    """

    # Defaults of the class: a subclass that does not call super().__init__() works.
    subscription: Subscription | None = None
    _on_next: Callable[[T, bool], object] | None = None
    _on_error: Callable[[Exception], object] | None = None
    _on_complete: Callable[[], object] | None = None
    _on_subscribe: Callable[[Subscription], object] | None = None

    def __init__(
        self,
        on_next: Callable[[T, bool], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        on_subscribe: Callable[[Subscription], object] | None = None,
    ) -> None:
        self._on_next = _checked("on_next", on_next)
        self._on_error = _checked("on_error", on_error)
        self._on_complete = _checked("on_complete", on_complete)
        self._on_subscribe = _checked("on_subscribe", on_subscribe)
        self.subscription = None

    def on_subscribe(self, subscription: Subscription) -> None:
        """Store the subscription in `subscription`, then call the function for this signal.

        Args:
            subscription: The subscription.

        Raises:
            NullElementError: The subscription is None (§2.13).
        """
        if subscription is None:
            raise NullElementError("§2.13: on_subscribe(subscription) got None; a publisher passes a subscription")
        self.subscription = subscription
        if self._on_subscribe is not None:
            self._on_subscribe(subscription)

    def on_next(self, value: T, is_complete: bool = False) -> None:
        """Call the function for elements.

        Args:
            value: The element.
            is_complete: Whether the publisher sends no further signal after this element.

        Raises:
            NullElementError: The element is None (§2.13).
        """
        if value is None:
            raise NullElementError("§2.13: on_next(value) got None; a publisher sends elements that are not None")
        if self._on_next is not None:
            self._on_next(value, is_complete)

    def on_error(self, exception: Exception) -> None:
        """Call the function for errors.

        Args:
            exception: The failure.

        Raises:
            NullElementError: The exception is None (§2.13).
        """
        if exception is None:
            raise NullElementError("§2.13: on_error(exception) got None; a publisher passes an exception")
        if self._on_error is not None:
            self._on_error(exception)

    def on_complete(self) -> None:
        """Call the function for completion."""
        if self._on_complete is not None:
            self._on_complete()


F = TypeVar("F", bound=Callable[..., object])


def _checked(name: str, function: F | None) -> F | None:
    if function is None:
        return None
    if not callable(function):
        raise ArgumentTypeError(
            f"DefaultSubscriber({name}=...) needs a callable or None, got {function!r}; pass a function"
        )
    refuse_deferred(function, f"DefaultSubscriber({name}=...)", "or end a stream with for_each_async()")
    return function
