"""key_by(...).distinct: pass on the first element of each key and value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.keyed.folds import DEFAULT_MAX_VALUES, DistinctStage, checked_distinct
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from rs_core.operators.keyed import KeyedDistinctStage


class KeyedDistinct(KeyedMethod, OperatorDefinition):
    """Pass on the first element of each key and value of the selector, and drop the others.

    Args:
        selector: Returns the value of an element, which must be hashable; None: the element is the value.
        max_values: Maximum number of values of a key; one more ends the stream with CapacityError.

    Demand: n requested are n requested upstream, and one more for each element that is dropped.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: for each key its values; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `distinct`; RxJava `groupBy` and `distinct`; reactivex `group_by` and `distinct`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).distinct(len).to_list()
        ['ant', 'bee']
    """

    id = "rx://operators/keyed_distinct"
    method = "key_by().distinct"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "selector", "max_values", "max_keys")
    stateful = True
    keyed = True
    stage = KeyedDistinctStage

    @staticmethod
    def parameters(
        selector: Callable[[T], object] | None = None, *, max_values: int = DEFAULT_MAX_VALUES
    ) -> Checked[T]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        given = checked_distinct(selector, max_values)
        return Checked((((Lift, (DistinctStage, *given)),), "plain", given))

    @classmethod
    def shown(cls, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return which of the checked arguments the text of the description shows."""
        return () if arguments[0] is None else arguments[:1]
