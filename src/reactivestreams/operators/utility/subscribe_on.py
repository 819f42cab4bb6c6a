"""subscribe_on: subscribe to the stream above, and have it run, in the threads of a scheduler."""

from __future__ import annotations

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle.context import ContextOn
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers import Scheduler
from rs_core.operators.sequence import SubscribeOnStage


class SubscribeOn(OperatorDefinition):
    """Subscribe to the stream above in the threads of a scheduler, and have its source run there.

    For a source that blocks, such as a file or a driver without asyncio, so that the thread that subscribes and the one
    that requests are not held up. `observe_on` moves what is below it; this moves what is above it, so its place
    matters little, and of several the one next to the source counts for the source.

    Args:
        scheduler: Runs the tasks in which the source and the operators up to the next `observe_on` run.

    Demand: as requested, at most 128 elements at a time; a request is passed on in a task of the scheduler.
    Errors: passed on; that of a scheduler that takes no tasks any more ends the stream.
    State: what waits of the stream above, and its state; version 1.0.0.0.
    Threads: all of the stream above is made, runs and signals as tasks of the scheduler, at most one at a time, in a
        copy of the context variables of the thread that subscribed; what waits there waits on this scheduler.
    Rules: §1.3, §1.9, §3.4.
    Elsewhere: Reactor `subscribeOn`; RxJava `subscribeOn`; reactivex `subscribe_on`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.schedulers import WorkerScheduler
        >>> import threading
        >>> def name_of_thread():
        ...     return threading.current_thread().name
        >>> with WorkerScheduler(name="worker") as worker:
        ...     Stream.from_callable(name_of_thread).subscribe_on(worker).first()
        'worker'
    """

    id = "rx://operators/subscribe_on"
    method = "subscribe_on"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(scheduler: Scheduler) -> Checked[T]:
        """Return the checked parameters."""
        if not isinstance(scheduler, Scheduler):
            raise ArgumentTypeError(
                f"subscribe_on(scheduler) needs a Scheduler, got {scheduler!r} ({type(scheduler).__name__}); "
                f"pass e.g. WorkerScheduler(name='worker')"
            )
        return Checked((scheduler,))

    @staticmethod
    def stage(scheduler: Scheduler) -> SubscribeOnStage:
        """Return a new live stage."""
        nothing = described((), where="subscribe_on(scheduler)")
        return SubscribeOnStage(DEFAULT_PREFETCH, nothing, scheduler, ContextOn)
