"""Descriptions whose operators keep one state for each key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators import KeyedScan
from reactivestreams.operators.keyed_scan import DEFAULT_MAX_KEYS
from reactivestreams.stream.presentation import shown_parameter

if TYPE_CHECKING:
    from reactivestreams.stream.pipeline import Pipeline
    from reactivestreams.stream.stream import Stream

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


class _Keyed:
    """A description together with the function that tells an element's key."""

    __slots__ = ("_description", "_key", "_max_keys")

    def __init__(self, description: Any, key: Callable[[Any], object], max_keys: int) -> None:
        self._description = description
        self._key = checked_callable(key, operator="key_by", name="key")
        self._max_keys = checked_count(max_keys, operator="key_by", name="max_keys", at_least=1)

    def _scan(self, function: Callable[[Any, Any], Any], seed: object) -> Any:
        return self._description._then(KeyedScan, KeyedScan.parameters(self._key, function, seed, self._max_keys))

    def __repr__(self) -> str:
        limit = "" if self._max_keys == DEFAULT_MAX_KEYS else f", max_keys={self._max_keys}"
        return f"{self._description!r}.key_by({shown_parameter(self._key)}{limit})"


class KeyedStream(_Keyed, Generic[T]):
    """A stream whose next operator keeps one state for each key."""

    __slots__ = ()

    def scan(self, function: Callable[[U, T], U], seed: U) -> Stream[U]:
        """Pass on a running fold of each key: operators.KeyedScan."""
        scanned: Stream[U] = self._scan(function, seed)
        return scanned


class KeyedPipeline(_Keyed, Generic[A, T]):
    """A pipeline whose next operator keeps one state for each key."""

    __slots__ = ()

    def scan(self, function: Callable[[U, T], U], seed: U) -> Pipeline[A, U]:
        """Pass on a running fold of each key: operators.KeyedScan."""
        scanned: Pipeline[A, U] = self._scan(function, seed)
        return scanned
