"""The base of subjects with known types: producers push elements in, subscribers receive them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from reactivestreams.lifecycle import OperatorSubscription, Subscribable
from reactivestreams.spec import Subscriber
from rs_core.interp.deferred_functions import refuses_deferred_hooks
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from collections.abc import Callable

    from reactivestreams.stream.stream import Stream
    from rs_core.authors.subscriber import BaseSubscriber

__all__ = ["MultiSubject"]

T_in_contra = TypeVar("T_in_contra", contravariant=True)
T_out_co = TypeVar("T_out_co", covariant=True)

_NO_SUBSCRIBER = object()


@refuses_deferred_hooks("and await before it is called")
class MultiSubject(Subscribable, Generic[T_in_contra, T_out_co]):
    """Accept elements from producers and send them to subscribers; documented as a base.

    A subclass defines `create_observer` and `bind`, how many observers there may be, and what a terminal signal of one
    of them means.

    It has the operators and terminal operations of `Stream`: they are those of a stream of what the subject sends from
    the subscription on.

    Demand, Errors, State, Threads: as for the subclass.
    Rules: §1.9, §1.11.

    Example:
        >>> from reactivestreams.subjects import BroadcastSubject
        >>> clicks = BroadcastSubject()
        >>> subscription = clicks.filter(str.isupper).map(str.lower).subscribe(on_next=print)
        >>> for click in "aBC":
        ...     clicks.on_next(click)
        b
        c
    """

    def create_observer(self) -> Subscriber[T_in_contra]:
        """Return an observer: a Subscriber to push into, or to subscribe to a publisher."""
        raise NotImplementedError(f"{type(self).__name__} has to define create_observer()")

    def bind(self, subscriber: Subscriber[T_out_co], /) -> OperatorSubscription:
        """Return the handle of a new subscription; nothing flows until it is started."""
        raise NotImplementedError(f"{type(self).__name__} has to define bind(subscriber)")

    @overload
    def subscribe(self, subscriber: Subscriber[T_out_co], /) -> None: ...

    @overload
    def subscribe(
        self,
        *,
        on_next: Callable[[T_out_co], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        prefetch: int = 128,
    ) -> BaseSubscriber[T_out_co]: ...

    def subscribe(
        self,
        subscriber: Any = _NO_SUBSCRIBER,
        *,
        on_next: Callable[[T_out_co], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        prefetch: int = 128,
    ) -> BaseSubscriber[T_out_co] | None:
        """Subscribe a subscriber, or functions, to the signals from now on; the method of Publisher.

        Args:
            subscriber: Gets the elements that it requests. Without one, functions get the signals, as for
                `Stream.subscribe`:
            on_next: Called with each element.
            on_error: Called with the error.
            on_complete: Called without arguments.
            prefetch: How many elements to request in advance for functions, replenished at 75 %; from 1 to 2**24.

        Returns:
            None for a subscriber. For functions an object that cancels the subscription.
        """
        functions: Any = {"on_next": on_next, "on_error": on_error, "on_complete": on_complete}
        if subscriber is _NO_SUBSCRIBER:
            subscription: BaseSubscriber[T_out_co] = self._stream().subscribe(**functions, prefetch=prefetch)
            return subscription
        if any(functions.values()):
            self._stream().subscribe(subscriber, **functions)  # which refuses them together
        handle: Any = self.bind(subscriber)
        handle.initialize()
        return None

    def dispose(self) -> None:
        """Stop; by default this does nothing."""

    # Any: the methods are those of Stream, each with its own signature.
    def __getattr__(self, name: str, /) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {name!r}", name=name, obj=None)
        if name in _stream_methods():
            return getattr(self._stream(), name)
        raise _stream_class()._missing_name(name)  # pyright: ignore[reportPrivateUsage]  # with the method that may be meant

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_stream_methods()})

    def _stream(self) -> Stream[T_out_co]:
        stream: Stream[T_out_co] = _stream_class().from_publisher(self)
        return stream


def _stream_class() -> Any:
    from reactivestreams.stream.stream import Stream  # which imports this, through the subjects that share streams

    return Stream


@cache
def _stream_methods() -> frozenset[str]:
    """Return the names of the methods that a stream has and its class, and a description, have not."""
    stream = _stream_class()
    methods = {name for name in dir(stream) if not name.startswith("_")} - set(dir(Description))
    return frozenset(name for name in methods if getattr(getattr(stream, name), "__self__", None) is not stream)
