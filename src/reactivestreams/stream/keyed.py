"""Descriptions whose next operator has one state per key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.keyed.expiry import DEFAULT_MAX_WAITING, Expiry, checked_expiry
from reactivestreams.operators.keyed.keyed import DEFAULT_MAX_KEYS, KeyedMethod
from reactivestreams.stream.keyed_methods import KeyedPipelineMethods, KeyedStreamMethods
from reactivestreams.stream.pipelines import pipeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

A = TypeVar("A")
T = TypeVar("T")


class _Keyed(Generic[T]):
    """A description with the function that returns an element's key, and the rule that ends keys."""

    __slots__ = ("_description", "_expiry", "_key", "_max_keys")

    def __init__(
        self, description: Any, key: Callable[[Any], object], max_keys: int, expiry: Expiry | None = None
    ) -> None:
        self._description = description
        self._key = checked_callable(key, operator="key_by", name="key")
        self._max_keys = checked_count(max_keys, operator="key_by", name="max_keys", at_least=1)
        self._expiry = expiry

    def expire_after(
        self,
        idle: float | timedelta,
        *,
        event_time: Callable[[T], object] | None = None,
        lateness: float | timedelta = 0,
        max_waiting: int = DEFAULT_MAX_WAITING,
    ) -> Self:
        """End a key that has had no element for a time: its operators complete, and its state is removed.

        With `event_time` elements are processed in the order of their times. For this they wait until the watermark,
        which is the latest time seen minus `lateness`, has reached them; the rest is processed when the input
        completes. A key ends if its own next element is more than `idle` after its last one, so its results depend
        neither on other keys nor on the order in which elements arrive within `lateness`. An element that arrives later
        than that, with a time before the watermark, goes to the hook for dropped signals.

        Args:
            idle: The time, in seconds or as a timedelta, above 0.
            event_time: Returns the time of an element, a datetime or seconds since 1970. None: the time at which an
                element arrives, by the clock of the host's scheduler or of the system. Then a key ends when its time is
                over, also while no element comes, and the results run on that scheduler, or else in a thread of the
                process.
            lateness: How late an element may arrive after one with a later time, of any key, in seconds or as a
                timedelta.
            max_waiting: How many elements may wait for the watermark; one more ends the stream with CapacityError.

        Raises:
            ArgumentError: An argument is out of range, or `lateness` was given without `event_time`.
            ArgumentTypeError: An argument has the wrong type.
        """
        expiry = checked_expiry(idle, event_time, lateness, max_waiting)
        return type(self)(self._description, self._key, self._max_keys, expiry)

    def _then(self, method: type[KeyedMethod], parameters: tuple[Any, ...]) -> Any:
        """Return the description with the operator of a method added."""
        chain, results, arguments = parameters
        if isinstance(chain, tuple):
            operators = cast("tuple[tuple[Any, tuple[Any, ...]], ...]", chain)
            chain = pipeline()
            for definition, given in operators:
                chain = chain._then(definition, given)  # pyright: ignore[reportPrivateUsage]  # pipelines are built with it
        return self._description._then(*method.node(self._key, self._max_keys, self._expiry, chain, results, arguments))

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import shown_parameter

        limit = "" if self._max_keys == DEFAULT_MAX_KEYS else f", max_keys={self._max_keys}"
        over = "" if self._expiry is None else f".expire_after({self._expiry.idle / 1_000_000:g})"
        return f"{self._description!r}.key_by({shown_parameter(self._key)}{limit}){over}"


class KeyedStream(_Keyed[T], KeyedStreamMethods[T]):
    """A stream whose next operator has one state per key."""

    __slots__ = ()


class KeyedPipeline(_Keyed[T], KeyedPipelineMethods[A, T], Generic[A, T]):
    """A pipeline whose next operator has one state per key."""

    __slots__ = ()
