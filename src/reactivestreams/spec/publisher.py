"""The publisher: a source of elements that never sends more than were requested."""

from abc import ABCMeta, abstractmethod
from typing import TypeVar

from reactivestreams.spec.structure import Interface, has_methods, structural
from reactivestreams.spec.subscriber import Subscriber

__all__ = ["Publisher"]

T_co = TypeVar("T_co", covariant=True)


@structural
class Publisher(Interface[T_co], metaclass=ABCMeta):
    """Send an unbounded or bounded sequence of elements to subscribers, to each at the speed of its requests.

    The signals to one subscriber are `on_subscribe`, then any number of `on_next`, then at most one of `on_error` and
    `on_complete`. Elements never exceed the demand (§1.1), signals never overlap (§1.3), and a publisher signals its
    failure or end (§1.4, §1.5).

    Example:
        >>> class Silent:
        ...     def subscribe(self, subscriber): ...
        >>> isinstance(Silent(), Publisher), isinstance(object(), Publisher)
        (True, False)
    """

    __slots__ = ()

    @abstractmethod
    def subscribe(self, subscriber: Subscriber[T_co], /) -> None:
        """Start a new subscription that serves one subscriber.

        Signal `on_subscribe` first (§1.9). A publisher that cannot serve the subscriber signals `on_error` after that;
        it raises no exception. May be called any number of times, each time with another subscriber (§1.10).

        Args:
            subscriber: The receiver of the signals.

        Raises:
            TypeError: The subscriber is None (§1.9).
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "subscribe") if cls is Publisher else NotImplemented
