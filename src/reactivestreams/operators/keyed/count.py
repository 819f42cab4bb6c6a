"""key_by(...).count: send the number of elements of each key when the key ends."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.definition import Checked
from reactivestreams.operators.keyed.folds import FoldStage, counted
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.lift import Lift


class KeyedCount(KeyedMethod):
    """Send (key, number of its elements) when the key ends.

    Keys end when the input completes, in the order of their first elements, and after `expire_after`.

    Demand: n requested are n keys that end; elements are requested one by one until these are there.
    Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
        and becomes `on_error`.
    State: for each key the count; version 1.1.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `count`; RxJava `groupBy` and `count`; reactivex `group_by` and `count`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).count().to_list()
        [('a', 3), ('b', 2)]
    """

    method = "key_by().count"

    @staticmethod
    def parameters() -> Checked[tuple[Any, int]]:
        """Return the operators of each key, how results go out, and the arguments to show."""
        return Checked((((Lift, (FoldStage, counted, 0)),), "pair", ()))
