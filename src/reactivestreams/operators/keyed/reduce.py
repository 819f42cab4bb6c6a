"""key_by(...).reduce: send a fold of each key when the key ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, T, U
from reactivestreams.operators.keyed.folds import FoldStage
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift


class KeyedReduce(KeyedMethod):
    """Send (key, fold of its elements) when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Args:
        function: Called with the accumulator of the key and the element; returns the next accumulator.
        seed: The first accumulator of every key; use an immutable one.

    Demand: n requested are n keys that end; elements are requested one by one until these are there.
    Errors: upstream's are passed on; an exception of one of the functions, or too many keys, cancels the upstream and
        becomes `on_error`.
    State: for each key the accumulator; version 1.1.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `reduce`; RxJava `groupBy` and `reduce`; reactivex `group_by` and `reduce`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).reduce(lambda total, word: total + len(word), 0).to_list()
        [('a', 9), ('b', 6)]
    """

    method = "key_by().reduce"

    @staticmethod
    def parameters(function: Callable[[U, T], U], seed: U) -> Checked[tuple[Any, U]]:
        """Return the operators of each key, how results go out, and the arguments to show."""
        checked_callable(function, operator="key_by().reduce", name="function")
        return Checked((((Lift, (FoldStage, function, seed)),), "pair", (function, seed)))
