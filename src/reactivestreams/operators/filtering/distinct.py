"""distinct: pass on the elements whose key has not come before."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import DistinctStage

DEFAULT_MAX_KEYS = 1_000_000
"""How many keys `distinct` knows unless it is told otherwise."""


class Distinct(OperatorDefinition):
    """Pass on the elements whose key has not come before, and drop the others.

    Args:
        key: Called with each element; returns its key, which must be hashable. None: the element is the key.
        max_keys: How many keys may be known, from 1; one more ends the stream with CapacityError.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on; an exception of the function, a key that cannot be hashed, or one more than the
        bound, cancels the upstream and becomes `on_error`.
    State: the keys that have come; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.1, §2.13.
    Elsewhere: Reactor `distinct`; RxJava `distinct`; reactivex `distinct`, elsewhere unique by key.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(2, 1, 2, 3, 1).distinct().to_list()
        [2, 1, 3]
        >>> Stream.just("ant", "bee", "asp").distinct(lambda word: word[0]).to_list()
        ['ant', 'bee']
    """

    id = "rx://operators/distinct_by_key"
    method = "distinct"
    has_keys = True
    stateful = True

    @staticmethod
    def parameters(key: Callable[[T], Hashable] | None = None, *, max_keys: int = DEFAULT_MAX_KEYS) -> Checked[T]:
        """Return the checked parameters."""
        if key is not None:
            checked_callable(key, operator="distinct", name="key")
        return Checked((key, checked_count(max_keys, operator="distinct", name="max_keys", at_least=1)))

    @staticmethod
    def stage(key: Callable[[Any], Any] | None, max_keys: int) -> DistinctStage:
        """Return a new live stage."""
        return DistinctStage(key, max_keys)
