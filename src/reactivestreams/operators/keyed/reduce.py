"""key_by(...).reduce: send a fold of each key when the key ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.keyed.folds import FoldStage
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift
from rs_core.operators.keyed import KeyedFoldStage


class KeyedReduce(KeyedMethod, OperatorDefinition):
    """Send (key, fold of its elements) when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Args:
        function: Called with the accumulator of the key and the element; returns the next accumulator.
        seed: The first accumulator of every key; use an immutable one.

    Demand: the first request asks for all elements, 128 at a time; n requested are n keys that end.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: for each key the accumulator; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `reduce`; RxJava `groupBy` and `reduce`; reactivex `group_by` and `reduce`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).reduce(lambda total, word: total + len(word), 0).to_list()
        [('a', 9), ('b', 6)]
    """

    id = "rx://operators/keyed_reduce"
    method = "key_by().reduce"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "function", "seed", "max_keys")
    stateful = True
    keyed = True

    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[tuple[Any, U]]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        checked_callable(function, operator="key_by().reduce", name="function")
        return Checked((((Lift, (FoldStage, function, seed)),), "pair", (function, seed)))

    @staticmethod
    def stage(
        key: Callable[[Any], Any], function: Callable[[Any, Any], Any], seed: Any, max_keys: int
    ) -> KeyedFoldStage:
        """Return a new live stage."""
        return KeyedFoldStage(DEFAULT_PREFETCH, key, function, seed, None, max_keys)
