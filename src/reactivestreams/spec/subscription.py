"""The subscription: the link of one publisher and one subscriber, on which the subscriber requests and cancels."""

from abc import ABCMeta, abstractmethod

from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["Subscription"]


@structural
class Subscription(PlainInterface, metaclass=ABCMeta):
    """Control one flow of elements; belongs to exactly one publisher and one subscriber (§3.1).

    Example:
        >>> class Gate:
        ...     def request(self, n): ...
        ...     def cancel(self): ...
        >>> isinstance(Gate(), Subscription)
        True
    """

    __slots__ = ()

    @abstractmethod
    def request(self, n: int, /) -> None:
        """Request n more elements; requests add up (§3.8).

        May be called from within `on_subscribe` and `on_next` (§3.2), and may itself deliver elements before it returns
        (§3.10). It never raises (§3.16): after `cancel` it does nothing (§3.6); an n that is not positive leads to
        `on_error(ValueError)` (§3.9).

        Args:
            n: How many more elements to send, 1 or more; `MAX_DEMAND` and all above it request all elements (§3.17).
        """

    @abstractmethod
    def cancel(self) -> None:
        """Ask the publisher to stop and to forget the subscriber (§3.12, §3.13).

        Elements on their way may still arrive (§2.8). May be called from any thread, any number of times (§3.5, §3.7);
        never raises (§3.15).
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "request", "cancel") if cls is Subscription else NotImplemented
