"""key_by(...).buffer: join consecutive elements of each key into lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.buffer import Buffer
from rs_core.operators.keyed import KeyedBufferStage


class KeyedBuffer(KeyedMethod, OperatorDefinition):
    """Pass on lists of `count` consecutive elements of a key; the last list may be shorter.

    Args:
        count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.

    Demand: n lists requested are n elements requested, at most 128 at a time, and more until these lists are there.
    Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
        and becomes `on_error`.
    State: for each key the elements of the list that is being filled; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `groupBy` and `buffer`; RxJava `groupBy` and `buffer`; reactivex `group_by` and
        `buffer_with_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> words = Stream.just("ant", "bee", "asp", "bat", "ape")
        >>> words.key_by(lambda word: word[0]).buffer(2).to_list()
        [['ant', 'asp'], ['bee', 'bat'], ['ape']]
    """

    id = "rx://operators/keyed_buffer"
    method = "key_by().buffer"
    node_parameters: ClassVar[tuple[str, ...]] = ("key", "count", "max_keys")
    stateful = True
    keyed = True

    @staticmethod
    def parameters(count: int) -> Checked[list[T]]:
        """Return the operators of each key, how results go out, and the checked arguments."""
        return Checked((((Buffer, Buffer.parameters(count)),), "plain", (count,)))

    @staticmethod
    def stage(key: Callable[[Any], Any], count: int, max_keys: int) -> KeyedBufferStage:
        """Return a new live stage."""
        return KeyedBufferStage(DEFAULT_PREFETCH, key, count, max_keys)
