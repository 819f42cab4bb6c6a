"""Descriptions whose next operator keeps one state for each key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.keyed.expiry import DEFAULT_MAX_WAITING, Expiry, checked_expiry
from reactivestreams.operators.keyed.folds import (
    DEFAULT_MAX_VALUES,
    DistinctStage,
    FoldStage,
    checked_aggregates,
    checked_distinct,
    counted,
)
from reactivestreams.operators.keyed.scan import DEFAULT_MAX_KEYS, KeyedScan
from reactivestreams.operators.keyed.through import Keyed
from reactivestreams.operators.transforming.buffer import Buffer
from reactivestreams.stream.pipelines import pipeline
from rs_core.operators.python_stage import PythonStage

if TYPE_CHECKING:
    from datetime import timedelta

    from reactivestreams.stream.pipelines import Pipeline
    from reactivestreams.stream.stream import Stream

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


class _Keyed:
    """A description together with the function that tells an element's key, and when keys end."""

    __slots__ = ("_description", "_expiry", "_key", "_max_keys")

    def __init__(
        self, description: Any, key: Callable[[Any], object], max_keys: int, expiry: Expiry | None = None
    ) -> None:
        self._description = description
        self._key = checked_callable(key, operator="key_by", name="key")
        self._max_keys = checked_count(max_keys, operator="key_by", name="max_keys", at_least=1)
        self._expiry = expiry

    def _scan(self, function: Callable[[Any, Any], Any], seed: object) -> Any:
        parameters = KeyedScan.parameters(self._key, function, seed, self._max_keys)
        if self._expiry is None:
            return self._description._then(KeyedScan, parameters)
        return self._chained("scan", pipeline().scan(function, seed), (function, seed))

    def _chained(self, name: str, chain: Any, arguments: tuple[Any, ...], results: str = "plain") -> Any:
        parameters = Keyed.parameters(self._key, chain, self._max_keys, self._expiry, results, (name, arguments))
        return self._description._then(Keyed, parameters)

    def _through(self, chain: Any) -> Any:
        arguments: tuple[Any, ...] = (chain,)
        if isinstance(chain, type) and issubclass(chain, PythonStage):
            chain = pipeline().lift(cast("Any", chain))  # what its elements are is not known here
        return self._chained("through", chain, arguments)

    def _reduce(self, function: Callable[[Any, Any], Any], seed: object) -> Any:
        checked_callable(function, operator="key_by().reduce", name="function")
        return self._chained("reduce", pipeline().lift(FoldStage, function, seed), (function, seed), "pair")

    def _count(self) -> Any:
        return self._chained("count", pipeline().lift(FoldStage, counted, 0), (), "pair")

    def _aggregate(self, aggregates: dict[str, Any]) -> Any:
        fold = checked_aggregates(aggregates)
        chain = pipeline().lift(FoldStage, fold, fold.seed).map(fold.result)
        return self._chained("aggregate", chain, tuple(aggregates), "record")

    def _buffer(self, count: int) -> Any:
        return self._chained("buffer", pipeline().buffer(*Buffer.parameters(count)), (count,))

    def _take(self, count: int) -> Any:
        return self._chained("take", pipeline().take(*Take.parameters(count)), (count,))

    def _distinct(self, selector: Callable[[Any], object] | None, max_values: int) -> Any:
        parameters = checked_distinct(selector, max_values)
        return self._chained("distinct", pipeline().lift(DistinctStage, *parameters), (selector,) if selector else ())

    def _expiring(self, idle: Any, event_time: Any, lateness: Any, max_waiting: Any) -> Any:
        expiry = checked_expiry(idle, event_time, lateness, max_waiting)
        return type(self)(self._description, self._key, self._max_keys, expiry)

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import shown_parameter

        limit = "" if self._max_keys == DEFAULT_MAX_KEYS else f", max_keys={self._max_keys}"
        over = "" if self._expiry is None else f".expire_after({self._expiry.idle / 1_000_000:g})"
        return f"{self._description!r}.key_by({shown_parameter(self._key)}{limit}){over}"


class KeyedStream(_Keyed, Generic[T]):
    """A stream whose next operator keeps one state for each key."""

    __slots__ = ()

    def expire_after(
        self,
        idle: float | timedelta,
        *,
        event_time: Callable[[T], object] | None = None,
        lateness: float | timedelta = 0,
        max_waiting: int = DEFAULT_MAX_WAITING,
    ) -> KeyedStream[T]:
        """Let a key end when it has had no element for a time; its operators complete and it is forgotten.

        With `event_time` elements are handled in the order of their times. For this they wait until the watermark, the
        latest time seen less `lateness`, has reached them; what waits is handled where the input completes. A key ends
        where its own next element is more than `idle` behind its last one: what it gets depends neither on other keys
        nor on the order in which elements come within `lateness`. An element that comes later than that, before the
        watermark, goes to the hook for dropped signals.

        Args:
            idle: The time, in seconds or as a timedelta, above 0.
            event_time: Returns the time of an element, a datetime or seconds since 1970. None: the time at which
                elements are handled, by the host's scheduler or the system's clock, looked at when an element comes.
            lateness: How much an element may come behind a later one, of its own or another key, in seconds or as a
                timedelta.
            max_waiting: How many elements may wait for the watermark; one more ends the stream with CapacityError.

        Raises:
            ArgumentError: An argument is out of range, or `lateness` stands without `event_time`.
            ArgumentTypeError: An argument has the wrong type.
        """
        made: KeyedStream[T] = self._expiring(idle, event_time, lateness, max_waiting)
        return made

    def scan(self, function: Callable[[U, T], U], seed: U) -> Stream[U]:
        """Pass on a running fold of each key: operators.KeyedScan."""
        made: Stream[U] = self._scan(function, seed)
        return made

    def reduce(self, function: Callable[[U, T], U], seed: U) -> Stream[tuple[Any, U]]:
        """Send (key, fold of its elements) when the key ends: operators.Keyed."""
        made: Stream[tuple[Any, U]] = self._reduce(function, seed)
        return made

    def count(self) -> Stream[tuple[Any, int]]:
        """Send (key, number of its elements) when the key ends: operators.Keyed."""
        made: Stream[tuple[Any, int]] = self._count()
        return made

    def aggregate(self, **aggregates: Any) -> Stream[dict[str, Any]]:
        """Send a dict with the key and some aggregates when the key ends: operators.Keyed.

        Args:
            aggregates: For each entry its kind, `"count"`, `"sum"`, `"min"`, `"max"`, `"mean"`, `"first"` or `"last"`,
                or a pair of the kind and a function that returns the value of an element. None counts as no value.
        """
        made: Stream[dict[str, Any]] = self._aggregate(aggregates)
        return made

    def buffer(self, count: int) -> Stream[list[T]]:
        """Join neighboring elements of a key into lists: operators.Keyed."""
        made: Stream[list[T]] = self._buffer(count)
        return made

    def take(self, count: int) -> Stream[T]:
        """Pass on the first elements of each key: operators.Keyed."""
        made: Stream[T] = self._take(count)
        return made

    def distinct(
        self, selector: Callable[[T], object] | None = None, *, max_values: int = DEFAULT_MAX_VALUES
    ) -> Stream[T]:
        """Pass on the first element of each key and value of the selector: operators.Keyed."""
        made: Stream[T] = self._distinct(selector, max_values)
        return made

    def through(self, chain: Pipeline[T, U] | type[PythonStage[T, U]]) -> Stream[U]:
        """Give each key a pipeline, or an operator of one's own, to itself: operators.Keyed."""
        made: Stream[U] = self._through(chain)
        return made


class KeyedPipeline(_Keyed, Generic[A, T]):
    """A pipeline whose next operator keeps one state for each key."""

    __slots__ = ()

    def expire_after(
        self,
        idle: float | timedelta,
        *,
        event_time: Callable[[T], object] | None = None,
        lateness: float | timedelta = 0,
        max_waiting: int = DEFAULT_MAX_WAITING,
    ) -> KeyedPipeline[A, T]:
        """Let a key end when it has had no element for a time; its operators complete and it is forgotten.

        With `event_time` elements are handled in the order of their times. For this they wait until the watermark, the
        latest time seen less `lateness`, has reached them; what waits is handled where the input completes. A key ends
        where its own next element is more than `idle` behind its last one: what it gets depends neither on other keys
        nor on the order in which elements come within `lateness`. An element that comes later than that, before the
        watermark, goes to the hook for dropped signals.

        Args:
            idle: The time, in seconds or as a timedelta, above 0.
            event_time: Returns the time of an element, a datetime or seconds since 1970. None: the time at which
                elements are handled, by the host's scheduler or the system's clock, looked at when an element comes.
            lateness: How much an element may come behind a later one, of its own or another key, in seconds or as a
                timedelta.
            max_waiting: How many elements may wait for the watermark; one more ends the stream with CapacityError.

        Raises:
            ArgumentError: An argument is out of range, or `lateness` stands without `event_time`.
            ArgumentTypeError: An argument has the wrong type.
        """
        made: KeyedPipeline[A, T] = self._expiring(idle, event_time, lateness, max_waiting)
        return made

    def scan(self, function: Callable[[U, T], U], seed: U) -> Pipeline[A, U]:
        """Pass on a running fold of each key: operators.KeyedScan."""
        made: Pipeline[A, U] = self._scan(function, seed)
        return made

    def reduce(self, function: Callable[[U, T], U], seed: U) -> Pipeline[A, tuple[Any, U]]:
        """Send (key, fold of its elements) when the key ends: operators.Keyed."""
        made: Pipeline[A, tuple[Any, U]] = self._reduce(function, seed)
        return made

    def count(self) -> Pipeline[A, tuple[Any, int]]:
        """Send (key, number of its elements) when the key ends: operators.Keyed."""
        made: Pipeline[A, tuple[Any, int]] = self._count()
        return made

    def aggregate(self, **aggregates: Any) -> Pipeline[A, dict[str, Any]]:
        """Send a dict with the key and some aggregates when the key ends: operators.Keyed.

        Args:
            aggregates: For each entry its kind, `"count"`, `"sum"`, `"min"`, `"max"`, `"mean"`, `"first"` or `"last"`,
                or a pair of the kind and a function that returns the value of an element. None counts as no value.
        """
        made: Pipeline[A, dict[str, Any]] = self._aggregate(aggregates)
        return made

    def buffer(self, count: int) -> Pipeline[A, list[T]]:
        """Join neighboring elements of a key into lists: operators.Keyed."""
        made: Pipeline[A, list[T]] = self._buffer(count)
        return made

    def take(self, count: int) -> Pipeline[A, T]:
        """Pass on the first elements of each key: operators.Keyed."""
        made: Pipeline[A, T] = self._take(count)
        return made

    def distinct(
        self, selector: Callable[[T], object] | None = None, *, max_values: int = DEFAULT_MAX_VALUES
    ) -> Pipeline[A, T]:
        """Pass on the first element of each key and value of the selector: operators.Keyed."""
        made: Pipeline[A, T] = self._distinct(selector, max_values)
        return made

    def through(self, chain: Pipeline[T, U] | type[PythonStage[T, U]]) -> Pipeline[A, U]:
        """Give each key a pipeline, or an operator of one's own, to itself: operators.Keyed."""
        made: Pipeline[A, U] = self._through(chain)
        return made
