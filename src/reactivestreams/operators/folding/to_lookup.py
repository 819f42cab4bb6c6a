"""to_lookup: lists of elements by their key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U, checked_bound
from rs_core.operators.reduce import DictStage


class ToLookup(FoldingDefinition):
    """Collect the elements in a dict of lists by their key, in the order in which they came.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        value: Called with each element; returns what stands in its place. None: the elements themselves.
        max_elements: How many elements may come, from 1; one more ends the stream with CapacityError. None: without a
            bound.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of a function, a key that cannot be hashed, or one more than the
        bound, cancels the upstream and becomes `on_error`.
    State: the dict; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `collectMultimap`; RxJava `toMultimap`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("ant", "bee", "asp").to_lookup(lambda word: word[0])
        {'a': ['ant', 'asp'], 'b': ['bee']}
    """

    id = "rx://operators/to_lookup"
    method = "to_lookup"
    has_keys = True

    @overload
    @staticmethod
    def parameters(
        key: Callable[[T], Any], value: None = None, *, max_elements: int | None = None
    ) -> Checked[dict[Any, list[T]]]: ...

    @overload
    @staticmethod
    def parameters(
        key: Callable[[T], Any], value: Callable[[T], U], *, max_elements: int | None = None
    ) -> Checked[dict[Any, list[U]]]: ...

    @staticmethod
    def parameters(
        key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Checked[Any]:
        """Return the checked parameters."""
        checked_callable(key, operator="to_lookup", name="key")
        if value is not None:
            checked_callable(value, operator="to_lookup", name="value")
        return Checked((key, value, checked_bound(max_elements, operator="to_lookup")))

    @staticmethod
    def stage(key: Callable[[Any], Any], value: Callable[[Any], Any] | None, max_elements: int | None) -> DictStage:
        """Return a new live stage."""
        return DictStage(key, value, True, max_elements or 0)
