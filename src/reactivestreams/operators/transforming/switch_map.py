"""switch_map: pass on the elements of a stream for the newest element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import (
    DEFAULT_PREFETCH,
    checked_flattening,
    describing,
)
from rs_core.operators.flatten import SwitchMapStage


class SwitchMap(OperatorDefinition):
    """Pass on the elements of what a function returns for the newest element: each new element cancels what runs.

    Args:
        function: Called with each element; returns an iterable, a stream, a publisher or an asynchronous iterable.
        prefetch: How many elements may be requested upstream and not yet be taken, and of a stream and not yet be
            passed on, from 1 to 2**24.

    Demand: upstream's elements are taken as they come, without demand; `prefetch` are requested at a time. What was
        requested and not yet delivered is requested of the stream that runs. Where upstream has all its elements at
        hand, the streams but the last one pass on no more than was requested before.
    Errors: that of upstream or of the stream that runs cancels the other and is passed on; one of a stream that was
        cancelled goes to the hook for dropped signals; an exception of the function becomes `on_error`, and so does an
        ArgumentTypeError where the function returns nothing of the kind.
    State: the element whose stream runs, with the state of that stream, and what waits of both; the function must
        return an equal one again for this element. Version 1.0.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `switchMap`; RxJava `switchMap`; reactivex `flat_map_latest`.

    Example:
        >>> from reactivestreams import Stream
        >>> quotes = Stream.just("a", "b").switch_map(lambda name: Stream.just(name).concat_with(Stream.never()))
        >>> quotes.take(2).to_list()
        ['a', 'b']
    """

    id = "rx://operators/switch_map"
    method = "switch_map"
    stateful = True

    @staticmethod
    def parameters(function: Callable[[T], Source[U]], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(checked_flattening(function, prefetch, 1, "switch_map")[:2])

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int) -> SwitchMapStage:
        """Return a new live stage."""
        return SwitchMapStage(function, prefetch, False, None, describing("switch_map"))
