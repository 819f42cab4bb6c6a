"""sequence_equal: whether the elements are those of an iterable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.definition import Checked, FoldingDefinition
from rs_core.operators.reduce import EqualStage


class SequenceEqual(FoldingDefinition):
    """Say whether the elements are those of an iterable, in the same order.

    Args:
        iterable: What the elements are compared with; every subscription iterates it anew, so an iterator is refused.

    Raises:
        ArgumentTypeError: The argument cannot be iterated.
        ArgumentError: It is an iterator.

    Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
        cancelled, as soon as it is known.
    Errors: upstream's are passed on; an exception of a comparison or of the iterable cancels the upstream and
        becomes `on_error`.
    State: how many elements were equal; version 1.0.0.0.
    Threads: the comparisons and the iterable run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `Mono.sequenceEqual`; RxJava `sequenceEqual`; reactivex `sequence_equal`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).sequence_equal([0, 1, 2])
        True
    """

    id = "rx://operators/sequence_equal"
    method = "sequence_equal"
    stage = EqualStage

    @staticmethod
    def parameters(iterable: Iterable[Any]) -> Checked[bool]:
        """Return the checked parameters."""
        if not isinstance(iterable, Iterable):
            raise ArgumentTypeError(
                f"sequence_equal(iterable) needs an iterable, got {iterable!r} ({type(iterable).__name__}); pass a "
                "list or another collection"
            )
        if isinstance(iterable, Iterator):
            raise ArgumentError(
                f"sequence_equal(iterable) needs what can be iterated again by each subscription, got the iterator "
                f"{iterable!r}; pass a list or another collection"
            )
        return Checked((iterable,))
