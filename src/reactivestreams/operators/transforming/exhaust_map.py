"""exhaust_map: pass on the elements of a stream for an element, and drop those that come meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import (
    DEFAULT_PREFETCH,
    checked_flattening,
    describing,
)
from rs_core.operators.flatten import SwitchMapStage


class ExhaustMap(OperatorDefinition):
    """Pass on the elements of what a function returns for an element; drop the elements that come while that runs.

    Args:
        function: Called with each element that is not dropped; returns an iterable, a stream, a publisher or an
            asynchronous iterable.
        on_drop: Called with each element that is dropped, or None. How many were, the stage counts in `dropped`.
        prefetch: How many elements may be requested upstream and not yet be taken, and of a stream and not yet be
            passed on, from 1 to 2**24.

    Demand: upstream's elements are taken as they come, without demand; `prefetch` are requested at a time. What was
        requested and not yet delivered is requested of the stream that runs. A stream that waits for demand runs still:
        where upstream has all its elements at hand, those that come meanwhile are dropped.
    Errors: that of upstream or of the stream that runs cancels the other and is passed on; an exception of a function
        becomes `on_error`, and so does an ArgumentTypeError where `function` returns nothing of the kind.
    State: how many elements were dropped, the element whose stream runs, with the state of that stream, and what waits
        of both; the function must return an equal one again for this element. Version 1.0.0.0.
    Threads: the functions and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor none; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> missed = []
        >>> clicks = Stream.just("save", "save again")
        >>> saving = clicks.exhaust_map(lambda click: Stream.never().start_with(click), on_drop=missed.append)
        >>> run = saving.subscribe(on_next=print)
        save
        >>> missed
        ['save again']
        >>> run.cancel()
    """

    id = "rx://operators/exhaust_map"
    method = "exhaust_map"
    stateful = True

    @staticmethod
    def parameters(
        function: Callable[[T], Source[U]],
        *,
        on_drop: Callable[[T], object] | None = None,
        prefetch: int = DEFAULT_PREFETCH,
    ) -> Checked[U]:
        """Return the checked parameters."""
        function, prefetch, _ = checked_flattening(function, prefetch, 1, "exhaust_map")
        if on_drop is not None:
            checked_callable(on_drop, operator="exhaust_map", name="on_drop")
        return Checked((function, prefetch, on_drop))

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int, on_drop: Callable[[Any], object] | None) -> SwitchMapStage:
        """Return a new live stage."""
        return SwitchMapStage(function, prefetch, True, on_drop, describing("exhaust_map"))
