"""compress: the elements beside which another stream has a true one."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.combine import CompressStage
from rs_core.stream.description import Description


class Compress(OperatorDefinition):
    """Pass on each element beside which a second stream has a true element; complete when one of both has no more.

    Args:
        selectors: A stream, a publisher, an iterable or an asynchronous iterable.
        prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
    Errors: the first error of an input comes after its elements and cancels the other; an exception of a selector's
        `__bool__` cancels both and becomes `on_error`.
    State: what waits of each input, and which are over; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.7, §2.7.
    Elsewhere: Reactor none; RxJava none; reactivex none. itertools has `compress`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.from_iterable("abcd").compress([1, 0, 1]).to_list()
        ['a', 'c']
    """

    id = "rx://operators/compress"
    method = "compress"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(selectors: Source[Any], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                described(selectors, where="compress(selectors)"),
                checked_count(prefetch, operator="compress", name="prefetch", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(selectors: Description, prefetch: int) -> CompressStage:
        """Return a new live stage."""
        return CompressStage((selectors,), prefetch)
