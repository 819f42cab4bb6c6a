"""sample: pass on the latest element once in each period, or whenever another stream has one."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.operators.combining.inputs import Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.sources.timer import is_duration, ticks
from rs_core.operators.timed import SampleStage
from rs_core.stream.description import Description

SAMPLED_AHEAD = 128
"""How many elements may be requested of the upstream, and ticks of the sampler, and not yet be taken."""


class Sample(OperatorDefinition):
    """Pass on the latest element whenever a period is over, if one came since the last that was passed on.

    The completion of the upstream is passed on at the next moment, after the latest element. The completion of the
    sampler is a moment, too; after it, that of the upstream is.

    Args:
        sampler: The period, in seconds or as a timedelta, more than 0; or a stream, a publisher, an iterable or an
            asynchronous iterable, whose elements are the moments.

    Demand: the elements of both are requested at the start and again and again, whatever is requested. An element that
        is due waits until it is requested, or until the next one is due, which takes its place.
    Errors: those of both are passed on at once; what waits is dropped.
    State: the latest element, an element that was due and not requested, whether the upstream has completed, and the
        state of the sampler; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element; a period runs on
        the scheduler of the host.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor `sample`; RxJava `sample`, `throttleLast`; reactivex `sample`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(20.5, 20.7, 20.6).sample(0.01).to_list()
        [20.6]
    """

    id = "rx://operators/sample"
    method = "sample"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(sampler: float | timedelta | Source[object]) -> Checked[T]:
        """Return the checked parameters."""
        if is_duration(sampler):
            return Checked((ticks(sampler, operator="sample", name="sampler", repeats=True),))
        return Checked((described(sampler, where="sample(sampler)"),))

    @staticmethod
    def stage(sampler: Description) -> SampleStage:
        """Return a new live stage."""
        return SampleStage(SAMPLED_AHEAD, sampler)
