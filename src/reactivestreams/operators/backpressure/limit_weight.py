"""limit_weight: hold elements ahead of demand up to a weight, such as a number of bytes."""

from __future__ import annotations

from collections.abc import Callable

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import WeightStage

MAX_WEIGHT = 2**60
"""The largest `max_weight`."""


class LimitWeight(OperatorDefinition):
    """Read ahead of demand until the elements that wait have a weight, such as a number of bytes.

    Use it where elements differ in size, so that no number of elements bounds the memory. What weighs an element is
    known when it has come: so one is requested at a time, and what waits and is outstanding exceeds the limit by one
    element at most. Operators below that read ahead themselves hold elements in addition; give them a small `prefetch`.

    Args:
        max_weight: The weight of waiting elements at which nothing more is requested, from 1 to 2**60.
        weigh: Called once with each element; returns its weight, an integer of 1 or more, such as `len` for bytes.

    Demand: one element at the start, and another one when it has come, whatever is requested, while those that wait
        weigh less than `max_weight`. An element that weighs more than that passes, too.
    Errors: upstream's come after the elements that wait. An exception of `weigh`, or ArgumentError where it returns no
        integer of 1 or more, ends the stream at once.
    State: the elements that wait, with their weights; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor none; RxJava none; reactivex none. Akka and Pekko have `batchWeighted`.

    Example:
        >>> from reactivestreams import Stream
        >>> pages = Stream.just(b"12345678", b"123", b"12", b"1").do(lambda page: print("read", page))
        >>> for page in pages.limit_weight(4, len).iterate(prefetch=1):
        ...     print("took", page)
        read b'12345678'
        read b'123'
        read b'12'
        took b'12345678'
        read b'1'
        took b'123'
        took b'12'
        took b'1'
    """

    id = "rx://operators/limit_weight"
    method = "limit_weight"
    stage = WeightStage
    stateful = True
    serializable = False

    @staticmethod
    def parameters(max_weight: int, weigh: Callable[[T], int]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_count(max_weight, operator="limit_weight", name="max_weight", at_least=1, at_most=MAX_WEIGHT),
                checked_callable(weigh, operator="limit_weight", name="weigh"),
            )
        )
