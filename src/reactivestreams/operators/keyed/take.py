"""key_by(...).take: pass on the first elements of each key."""

from __future__ import annotations

from typing import ClassVar

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.keyed.keyed import KeyedMethod
from rs_core.operators.keyed import KeyedTakeStage


class KeyedTake(KeyedMethod, OperatorDefinition):
    """Pass on the first `count` elements of each key, and drop its others.

    Args:
        count: How many elements of a key may pass.

    Demand: n requested are n requested upstream, and one more for each element that is dropped.
    Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
        and becomes `on_error`.
    State: for each key how many of its elements have passed; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `take`; RxJava `groupBy` and `take`; reactivex `group_by` and `take`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).take(1).to_list()
        ['ant', 'bee']
    """

    id = "rx://operators/keyed_take"
    method = "key_by().take"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "count", "max_keys")
    stateful = True
    keyed = True
    stage = KeyedTakeStage

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        return Checked((((Take, Take.parameters(count)),), "plain", (count,)))
