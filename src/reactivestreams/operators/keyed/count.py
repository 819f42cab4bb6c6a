"""key_by(...).count: send the number of elements of each key when the key ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition
from reactivestreams.operators.keyed.folds import FoldStage, counted
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from rs_core.operators.keyed import KeyedFoldStage


class KeyedCount(KeyedMethod, OperatorDefinition):
    """Send (key, number of its elements) when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
    Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
        and becomes `on_error`.
    State: for each key the count; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `count`; RxJava `groupBy` and `count`; reactivex `group_by` and `count`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).count().to_list()
        [('a', 3), ('b', 2)]
    """

    id = "rx://operators/keyed_count"
    method = "key_by().count"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "max_keys")
    stateful = True
    keyed = True

    @staticmethod
    def parameters() -> Checked[tuple[Any, int]]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        return Checked((((Lift, (FoldStage, counted, 0)),), "pair", ()))

    @staticmethod
    def stage(key: Callable[[Any], Any], max_keys: int) -> KeyedFoldStage:
        """Return a new live stage."""
        return KeyedFoldStage(DEFAULT_PREFETCH, key, None, None, None, max_keys)
