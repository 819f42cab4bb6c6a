"""An untyped subject that converts elements for each binding."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.lifecycle import OperatorSubscription, Subscribable
from reactivestreams.operators import Map
from reactivestreams.sources import FromPublisher
from reactivestreams.spec import Subscriber, Subscription
from reactivestreams.subjects.errors import SubjectTypeError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.untyped_subject import UntypedSubject
from rs_core.ends.subscriber import SubscriberStage
from rs_core.stream.description import Description

__all__ = ["Conversion", "ConvertingSubject"]


@dataclass(frozen=True, slots=True)
class Conversion:
    """How to convert elements between a type and the stored type of a subject.

    Attributes:
        to_stored: Called with an element that is pushed; None if this type cannot be pushed.
        from_stored: Called with an element that is sent; None if this type cannot be subscribed to.
    """

    to_stored: Callable[[Any], Any] | None = None
    from_stored: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        """Check the functions."""
        for name, function in (("to_stored", self.to_stored), ("from_stored", self.from_stored)):
            if function is not None:
                checked_callable(function, operator="Conversion", name=name)


class ConvertingSubject(UntypedSubject):
    """Let each use have its own type: connects producers and subscribers of several versions of an event.

    Args:
        subject: The subject with the elements, in the stored type.
        stored: The stored type, which needs no conversion.
        conversions: The conversions of other types.

    Demand: as for the subject.
    Errors: a conversion that raises for a subscriber fails that subscription; one that raises for a producer raises
        from `on_next`.
    State: none.
    Threads: as for the subject.
    Rules: as for the subject.

    Example:
        >>> from reactivestreams.subjects import SimpleSubject, typed_subject
        >>> celsius = Conversion(from_stored=lambda kelvin: kelvin - 273)
        >>> subject = ConvertingSubject(SimpleSubject(), stored="kelvin", conversions={"celsius": celsius})
        >>> class Printing:
        ...     def on_subscribe(self, subscription):
        ...         subscription.request(1)
        ...
        ...     def on_next(self, element):
        ...         print(element)
        ...
        ...     def on_error(self, error):
        ...         print(error)
        ...
        ...     def on_complete(self):
        ...         print("complete")
        >>> temperatures = typed_subject(subject, accepts="kelvin", sends="celsius")
        >>> temperatures.subscribe(Printing())
        >>> temperatures.create_observer().on_next(293)
        20
    """

    def __init__(self, subject: MultiSubject[Any, Any], *, stored: Any, conversions: Mapping[Any, Conversion]) -> None:
        self._subject = subject
        self._stored = stored
        self._conversions = dict(conversions)

    @property
    def subject(self) -> MultiSubject[Any, Any]:
        """The subject with the elements, as they are stored."""
        return self._subject

    def get_observer(self, element_type: Any, /) -> Subscriber[Any]:
        """Return a subscriber that accepts elements of a type.

        Raises:
            SubjectTypeError: There is no conversion from this type.
        """
        observer = self._subject.create_observer()
        if element_type == self._stored:
            return observer
        convert = self._conversions.get(element_type, Conversion()).to_stored
        if convert is None:
            raise self._incompatible("get_observer", element_type, "to_stored")
        return _ConvertingObserver(observer, convert)

    def get_observable(self, element_type: Any, /) -> Subscribable:
        """Return a publisher that sends elements of a type.

        Raises:
            SubjectTypeError: There is no conversion to this type.
        """
        if element_type == self._stored:
            return self._subject
        convert = self._conversions.get(element_type, Conversion()).from_stored
        if convert is None:
            raise self._incompatible("get_observable", element_type, "from_stored")
        return _Converted(self._subject, convert)

    def on_dispose(self) -> None:
        """Dispose the subject with the elements."""
        self._subject.dispose()

    def _incompatible(self, call: str, element_type: Any, direction: str) -> SubjectTypeError:
        known = ", ".join(map(repr, (self._stored, *self._conversions)))
        return SubjectTypeError(
            f"{call}({element_type!r}): this subject has {self._stored!r} and has no such conversion; use one of "
            f"{known}, or give it a Conversion with {direction}"
        )


class _ConvertingObserver:
    """Convert elements, then push them."""

    def __init__(self, observer: Subscriber[Any], convert: Callable[[Any], Any]) -> None:
        self._convert = convert
        self._push = observer.on_next
        self.on_error = observer.on_error
        self.on_complete = observer.on_complete
        self._take_subscription = observer.on_subscribe

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self._take_subscription(subscription)

    def on_next(self, element: Any, /) -> None:
        self._push(self._convert(element))


class _Converted(Subscribable):
    """Send the converted elements of a subject."""

    def __init__(self, subject: MultiSubject[Any, Any], convert: Callable[[Any], Any]) -> None:
        source = Description(FromPublisher, FromPublisher.parameters(subject))
        self._description = Description(Map, (convert,), source)

    def bind(self, subscriber: Subscriber[Any], /) -> OperatorSubscription:
        return SubscriberStage(self._description, subscriber)
