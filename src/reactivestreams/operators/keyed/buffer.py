"""key_by(...).buffer: join consecutive elements of each key into lists."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, T
from reactivestreams.operators.keyed.keyed import KeyedMethod
from reactivestreams.operators.transforming.buffer import Buffer


class KeyedBuffer(KeyedMethod):
    """Pass on lists of `count` consecutive elements of a key; the last list may be shorter.

    Args:
        count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.

    Demand: n lists requested are elements requested one by one until these are there.
    Errors: upstream's are passed on; an exception of the function of the key, or too many keys, cancels the upstream
        and becomes `on_error`.
    State: for each key the elements of the list that is being filled; version 1.1.0.0.
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

    method = "key_by().buffer"

    @staticmethod
    def parameters(count: int) -> Checked[list[T]]:
        """Return the operators of each key, how results go out, and the arguments to show."""
        return Checked((((Buffer, Buffer.parameters(count)),), "plain", (count,)))
