"""on_backpressure_error: fail if an element comes that nobody has requested."""

from __future__ import annotations

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import OverflowStage
from rs_core.queues.overflow_policy import OverflowPolicy


class OnBackpressureError(OperatorDefinition):
    """Fail with CapacityError if an element comes that nobody has requested.

    Demand: as for `on_backpressure_buffer`.
    Errors: upstream's are passed on; CapacityError as above.
    State: what waits of the upstream; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor `onBackpressureError`; RxJava `onBackpressureDrop` with a function that raises; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).on_backpressure_error().to_list()
        [0, 1, 2]
    """

    id = "rx://operators/on_backpressure_error"
    method = "on_backpressure_error"
    stateful = True
    serializable = False

    @staticmethod
    def parameters() -> Checked[T]:
        """Return the checked parameters."""
        return Checked(())

    @staticmethod
    def stage() -> OverflowStage:
        """Return a new live stage."""
        return OverflowStage(DEFAULT_PREFETCH, 0, OverflowPolicy.ERROR, None)
