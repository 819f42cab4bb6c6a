"""retry: run the stream again when it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.sequence import SequenceStage


class Retry(OperatorDefinition):
    """Pass on the elements of the stream, and subscribe to it anew when it fails.

    Elements that came before the error are not taken back: those of the next attempt come behind them.

    Args:
        times: How many further attempts there may be, 1 or more.
        when: Called with the error; what it returns is true if another attempt may follow. None is for any error. It is
            called again when a saved state is loaded.
        for_ever: True sets no limit to the attempts, in place of `times`.

    Demand: what was requested and not yet delivered is requested of the attempt at hand, at most 128 elements at a
        time.
    Errors: that of the last attempt is passed on, and so is one for which `when` says no; an exception of `when` takes
        its place, with it as the context.
    State: how many attempts have failed, the last error, and what waits of the present one; version 1.0.0.0.
    Threads: `when` runs, and each attempt begins, in the thread that drains the stream.
    Rules: §1.1, §1.4, §1.10.
    Elsewhere: Reactor `retry`, `retryWhen`; RxJava `retry`; reactivex `retry`.

    Example:
        >>> from reactivestreams import Stream
        >>> answers = iter([0, 0, 5])
        >>> Stream.just(10).map(lambda n: n // next(answers)).retry(2).to_list()
        [2]
    """

    id = "rx://operators/retry"
    method = "retry"
    stateful = True

    @staticmethod
    def parameters(
        times: int | None = None, *, when: Callable[[Exception], object] | None = None, for_ever: bool = False
    ) -> Checked[T]:
        """Return the checked parameters."""
        if times is None and for_ever is not True:
            raise ArgumentError(
                "retry(times) needs the number of further attempts, got None; pass a number, or for_ever=True to set "
                "no limit"
            )
        if times is not None and for_ever is not False:
            raise ArgumentError(f"retry() needs times or for_ever, got both: {times!r} and {for_ever!r}; leave out one")
        return Checked(
            (
                None if times is None else checked_count(times, operator="retry", name="times", at_least=1),
                None if when is None else checked_callable(when, operator="retry", name="when"),
            )
        )

    @staticmethod
    def stage(times: int | None, when: Callable[[Exception], object] | None) -> Any:
        """Return a new live stage."""

        def following(ended: int, _passed: int, error: Exception | None) -> bool | None:
            if error is None or (times is not None and ended >= times):
                return None
            return True if when is None or when(error) else None

        return SequenceStage(DEFAULT_PREFETCH, following)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        times, when = parameters
        chosen = "" if when is None else f", when={show(when)}"
        return f"retry({'for_ever=True' if times is None else show(times)}{chosen})"
