"""timeout: fail, or go on with another stream, when an element takes too long."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import TimeoutStage
from rs_core.stream.description import Description


class Timeout(OperatorDefinition):
    """Fail with a TimeoutError, or go on with another stream, when a requested element takes too long.

    The time runs from the request, or from the element before if more are requested: while nobody requests an element,
    none is late.

    Args:
        between: How long an element may take, in seconds or as a timedelta; None: as long as it likes.
        first: How long the first one may take, if that is another time; None: as `between`.
        fallback: A stream, a publisher, an iterable or an asynchronous iterable, whose elements follow instead of the
            error. It may take as long as it likes.

    Demand: n requested are n requested upstream, at most 128 at a time; then of the fallback.
    Errors: upstream's are passed on; TimeoutError if no fallback is given.
    State: whether an element came, whether the fallback runs, and what waits of that or of the upstream; version
        1.0.0.0. The time begins again when the state is loaded.
    Threads: signals run in the thread that requests or that brings an element; those of a time that is over, on the
        scheduler of the host.
    Rules: §1.1, §1.3, §2.7, §3.12.
    Elsewhere: Reactor `timeout`; RxJava `timeout`; reactivex `timeout`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.never().timeout(0.01, fallback=["nothing came"]).to_list()
        ['nothing came']
    """

    id = "rx://operators/timeout"
    method = "timeout"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        between: float | timedelta | None = None,
        *,
        first: float | timedelta | None = None,
        fallback: Source[U] | None = None,
    ) -> Checked[T | U]:
        """Return the checked parameters."""
        times = [
            None if time is None else checked_duration(time, operator="timeout", name=name)
            for name, time in (("between", between), ("first", first))
        ]
        if times == [None, None]:
            raise ArgumentError("timeout() needs a time, got None for both; pass between, first or both")
        other = None if fallback is None else described(fallback, where="timeout(fallback)")
        return Checked((*times, other))

    @staticmethod
    def stage(between: timedelta | None, first: timedelta | None, fallback: Description | None) -> TimeoutStage:
        """Return a new live stage."""
        return TimeoutStage(
            DEFAULT_PREFETCH, between if first is None else first, between, fallback, scheduler_for_delays, _late
        )


def _late(operator: str, time: timedelta) -> TimeoutError:
    return TimeoutError(
        f"{operator}: a requested element did not come within {time.total_seconds():g} seconds; allow more, or pass "
        f"fallback= to go on with another stream"
    )
