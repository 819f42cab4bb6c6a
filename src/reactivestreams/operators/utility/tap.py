"""tap: count what passes, for metrics."""

from __future__ import annotations

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.metrics import Metrics
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.tap import TapStage


class Tap(OperatorDefinition):
    """Count the elements and requests that pass, time what lies between them, and report each run to metrics.

    The stream only counts: what it reports is a `TappedRun`, once when a run starts and once when it ends, and whoever
    wants its numbers reads them meanwhile. An element costs some 2 ns, a request two looks at the clock. Put it where
    the numbers are wanted: before an operator they are those of its input.

    Args:
        metrics: To whom: `OpenTelemetryMetrics()`, `MemoryMetrics()` in tests and at a prompt, or your own class; see
            `reactivestreams.metrics.Metrics`.
        name: Under which name; choose few, since each is a series of its own for as long as the program runs.

    Demand: n requested are n requested upstream.
    Errors: upstream's are counted and passed on. What the metrics raise goes to the hook for dropped signals; a run
        whose start they refused is not reported to them again.
    State: none; a stream that loads its state is a new run, which counts from 0; version 1.0.0.0.
    Threads: as upstream; metrics are called where the stream starts, and in the thread of its end.
    Rules: §1.3, §3.16.
    Elsewhere: Reactor `tap`; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.metrics import MemoryMetrics
        >>> metrics = MemoryMetrics()
        >>> Stream.range(1000).tap(metrics, name="numbers").filter(lambda n: n % 2).count()
        500
        >>> metrics["numbers"]
        <TappedRun 'numbers': 1000 elements, completed>
    """

    id = "rx://operators/tap"
    method = "tap"
    serializable = False  # metrics are those of the process where the stream was started

    @staticmethod
    def parameters(metrics: Metrics, *, name: str) -> Checked[T]:
        """Return the checked parameters."""
        if isinstance(metrics, type) or not all(
            callable(getattr(metrics, method, None)) for method in ("run_started", "run_ended")
        ):
            raise ArgumentTypeError(
                f"tap(metrics) needs an object with the methods run_started and run_ended, got {metrics!r} "
                f"({type(metrics).__name__}); pass OpenTelemetryMetrics() or MemoryMetrics() of "
                f"reactivestreams.metrics; do(on_next) calls a function with each element"
            )
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"tap(name) needs a text, got {name!r} ({type(name).__name__}); pass a string such as 'orders'"
            )
        return Checked((metrics, name))

    @staticmethod
    def stage(metrics: Metrics, name: str) -> TapStage:
        """Return a new live stage."""
        return TapStage(name, metrics)
