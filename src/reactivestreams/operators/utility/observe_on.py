"""observe_on: pass signals on in the threads of a scheduler."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers import Scheduler
from rs_core.operators.observe_on import ObserveOnStage

DEFAULT_PREFETCH = 1024
"""How many elements a thread boundary holds unless it is told otherwise."""


class ObserveOn(OperatorDefinition):
    """Pass signals on in the threads of a scheduler; the place where a stream changes thread.

    Args:
        scheduler: Runs the tasks that pass elements on.
        prefetch: How many elements may be requested upstream and not yet passed on, from 1 to 2**24. Fewer cost more
            wake-ups, more cost memory.

    Demand: `prefetch` requested upstream at the start; replenished when 75 % of them were passed on.
    Errors: upstream's come behind the elements that are still queued.
    State: the queue, and the end of the upstream if that is behind it; version 1.0.0.0.
    Threads: everything below runs as tasks of the scheduler, in a copy of the context variables of the thread that
        subscribed. At most one task waits at a time, however many elements come.
    Rules: §1.3, §2.2, §3.4.
    Elsewhere: Reactor `publishOn`; RxJava `observeOn`; reactivex `observe_on`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.schedulers import WorkerScheduler
        >>> import threading
        >>> with WorkerScheduler(name="worker") as worker:
        ...     Stream.range(3).observe_on(worker).map(lambda _: threading.current_thread().name).first()
        'worker'
    """

    id = "rx://operators/observe_on"
    method = "observe_on"
    stage = ObserveOnStage
    serializable = False

    @staticmethod
    def parameters(scheduler: Scheduler, *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        if not isinstance(scheduler, Scheduler):
            raise ArgumentTypeError(
                f"observe_on(scheduler) needs a Scheduler, got {scheduler!r} ({type(scheduler).__name__}); "
                f"pass e.g. WorkerScheduler(name='worker')"
            )
        return Checked(
            (scheduler, checked_count(prefetch, operator="observe_on", name="prefetch", at_least=1, at_most=2**24))
        )
