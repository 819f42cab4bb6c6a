"""on_error_continue: leave out the elements for which functions of the operators above raise, and report them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import OnErrorContinueStage


class OnErrorContinue(OperatorDefinition):
    """Leave out an element for which the function of an operator above raises; report it, and go on with the next one.

    It reaches up to the source, or to the next `on_error_continue`. These operators take part: `map`, `starmap`,
    `filter`, `scan`, `do` with `on_next`, and `flat_map`, `concat_map` and `flat_map_ordered` with the call of their
    function. All else ends the stream as ever: an error of the source, of an iterable or a stream that `flat_map` runs,
    and of all other operators. An operator inside of the stream that a function returns, and the other inputs of one
    that joins streams, are not reached.

    Args:
        report: Called with the exception, which names the operator in a note, and the element.

    Demand: n requested are n requested upstream; an element that is left out gives its demand back.
    Errors: upstream's are passed on; an exception of `report` ends the stream.
    State: none but whether it is disposed; version 1.0.0.0. `scan` keeps the accumulator that it had before.
    Threads: `report` runs where the function of the operator did; above an `observe_on` that is another thread than
        below, so that two calls may run at the same time.
    Rules: §1.4, §2.13.
    Elsewhere: Reactor `onErrorContinue`; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> bad = []
        >>> numbers = Stream.just("1", "x", "3").map(int).on_error_continue(lambda error, text: bad.append(text))
        >>> numbers.to_list(), bad
        ([1, 3], ['x'])
    """

    id = "rx://operators/on_error_continue"
    method = "on_error_continue"

    @staticmethod
    def parameters(report: Callable[[Exception, Any], object]) -> Checked[T]:
        """Return the checked parameters."""
        checked = checked_callable(report, operator="on_error_continue", name="report")
        return Checked((checked,))

    @staticmethod
    def stage(report: Callable[[Exception, Any], object]) -> OnErrorContinueStage:
        """Return a new live stage."""
        return OnErrorContinueStage(report)
