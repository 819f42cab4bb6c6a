"""to_dict: the elements by their key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U, checked_bound
from rs_core.operators.reduce import DictStage


class ToDict(FoldingDefinition):
    """Collect the elements in a dict by their key; of several with the same key the last one stays.

    Args:
        key: Called with each element; returns its key, which must be hashable.
        value: Called with each element; returns what stands in its place. None: the elements themselves.
        max_elements: How many keys may come, from 1; one more ends the stream with CapacityError. None: without a
            bound.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; an exception of a function, a key that cannot be hashed, or one more than the
        bound, cancels the upstream and becomes `on_error`.
    State: the dict; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `collectMap`; RxJava `toMap`; reactivex `to_dict`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("ant", "bee", "asp").to_dict(lambda word: word[0])
        {'a': 'asp', 'b': 'bee'}
    """

    id = "rx://operators/to_dict"
    method = "to_dict"
    has_keys = True

    @overload
    @staticmethod
    def parameters(
        key: Callable[[T], Any], value: None = None, *, max_elements: int | None = None
    ) -> Checked[dict[Any, T]]: ...

    @overload
    @staticmethod
    def parameters(
        key: Callable[[T], Any], value: Callable[[T], U], *, max_elements: int | None = None
    ) -> Checked[dict[Any, U]]: ...

    @staticmethod
    def parameters(
        key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None, *, max_elements: int | None = None
    ) -> Checked[Any]:
        """Return the checked parameters."""
        checked_callable(key, operator="to_dict", name="key")
        if value is not None:
            checked_callable(value, operator="to_dict", name="value")
        return Checked((key, value, checked_bound(max_elements, operator="to_dict")))

    @staticmethod
    def stage(key: Callable[[Any], Any], value: Callable[[Any], Any] | None, max_elements: int | None) -> DictStage:
        """Return a new live stage."""
        return DictStage(key, value, False, max_elements or 0)
