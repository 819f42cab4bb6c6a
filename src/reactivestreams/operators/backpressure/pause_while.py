"""pause_while: keep back demand while another stream says so."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import PauseStage
from rs_core.stream.description import Description


class PauseWhile(OperatorDefinition):
    """Request no elements while the latest element of another stream, the pauser, is true.

    At the start the stream runs. An element of the pauser that is true pauses it, one that is false lets it go on, and
    so does the completion of the pauser, after which nobody could. What was requested before a pause still comes and
    passes: so nothing is dropped, and nothing waits here. The end of the upstream passes during a pause, too.

    A source that sends without demand, such as a timer, is not paused by this: put an `on_backpressure` operator before
    it, which says what becomes of the elements meanwhile.

    Args:
        pauser: A stream, a publisher, an iterable or an asynchronous iterable, whose elements count by their truth.
        prefetch: How many elements may be requested upstream and not yet have come, from 1 to 2**24: so many may come
            after a pause began. What the pauser says at the start is heard after the first request.

    Demand: n requested are n requested upstream, at most `prefetch` at a time, and none during a pause. Of the pauser
        128, or `prefetch` if that is more, are requested at the start, replenished when 75 % were taken.
    Errors: those of both are passed on at once, and cancel the other one; an exception of the truth of an element of
        the pauser cancels both and becomes `on_error`.
    State: whether it is paused, and what waits of both inputs; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings one.
    Rules: §1.1, §1.3, §3.8.
    Elsewhere: Reactor none; RxJava none; reactivex none. RxJava2Extensions has `valve`, which holds elements.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> busy = SimpleSubject()
        >>> numbers = Stream.range(9).pause_while(busy, prefetch=2)
        >>> came = []
        >>> running = numbers.subscribe(on_next=lambda n: (came.append(n), busy.on_next(n == 3)))
        >>> came
        [0, 1, 2, 3]
        >>> busy.on_next(False)
        >>> came
        [0, 1, 2, 3, 4, 5, 6, 7, 8]
    """

    id = "rx://operators/pause_while"
    method = "pause_while"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(pauser: Source[object], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                described(pauser, where="pause_while(pauser)"),
                checked_count(prefetch, operator="pause_while", name="prefetch", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(pauser: Description, prefetch: int) -> PauseStage:
        """Return a new live stage."""
        return PauseStage(prefetch, max(prefetch, DEFAULT_PREFETCH), pauser)
