"""create: send the elements that a callback emits, from any thread."""

from collections.abc import Callable
from typing import ClassVar

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery, U
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS
from rs_core.queues.overflow_policy import (
    OverflowPolicy,
    checked_block_timeout,
    checked_policy,
)
from rs_core.sources.emitter import EmitterSource, StreamEmitter


class Create(OperatorDefinition):
    """Send the elements that a callback emits, in any thread: the bridge from code that pushes.

    The callback is called once for each subscription, in the thread that subscribes, when the whole stream is ready.
    What it emits is sent immediately, as far as it is requested. The callback may store the emitter or pass it to other
    threads, and return; `emitter.on_dispose(function)` registers a function for the end of the stream.

    Args:
        callback: Called with a StreamEmitter: `emit(element)`, `emit_async(element)`, `complete()`, `fail(error)`,
            `is_cancelled`, `demand`, `on_dispose(function)`.
        on_overflow: The policy for an element that is emitted when `capacity` elements are waiting. It has no default,
            because only you know what may be lost. `error`: the element is refused, and the stream fails after the
            waiting ones. `drop_newest`: it is dropped. `drop_oldest`: the oldest waiting element is dropped instead.
            `latest`: the same with a capacity of 1. `block`: the emitting thread waits. Dropped elements go to the hook
            for dropped signals.
        capacity: The maximum number of elements that wait for demand, from 1 to 2**24, 1024 by default; 1 with
            `latest`.
        block_timeout_seconds: How long an emission waits with `block`: above 0, 30 by default.

    Demand: a request of n sends up to n waiting elements; elements emitted without demand wait.
    Errors: an exception of the callback, and `emitter.fail(error)`, become `on_error` after the accepted elements;
        later ones go to the hook for dropped signals.
    State: none; version 1.0.0.0.
    Recovery: `none`: a recovered stream calls the callback again, and elements that were accepted but not sent are
        lost. So a tree with this source can only be saved with `allow_restart=True`, until the source has ended.
    Threads: any thread may emit. Signals run in the thread that emits or requests, one at a time. With `block` the
        emitting thread waits with the GIL released; if it would wait for itself, it gets a WouldDeadlockError. A task
        of an event loop awaits `emitter.emit_async(element)` instead. Elements that were accepted but not sent are
        released when the stream is cancelled.
    Rules: §1.1, §1.3, §1.7, §2.13, §3.3, §3.12, §3.13.

    Example:
        >>> from reactivestreams import Stream
        >>> import threading
        >>> def readings(emitter):
        ...     def measure():
        ...         for celsius in (20.5, 21.0, 21.5):
        ...             emitter.emit(celsius)
        ...         emitter.complete()
        ...
        ...     threading.Thread(target=measure).start()
        >>> Stream.create(readings, on_overflow="drop_oldest").map(round).to_list()
        [20, 21, 22]
    """

    id = "rx://sources/create"
    method = "create"
    stage = EmitterSource
    recovery: ClassVar[Recovery | None] = "none"
    serializable = False

    @staticmethod
    def parameters(
        callback: Callable[[StreamEmitter[U]], object],
        *,
        on_overflow: OverflowPolicy | str,
        capacity: int = 1024,
        block_timeout_seconds: float = 30.0,
    ) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_callable(callback, operator="create", name="callback"),
                checked_policy(on_overflow, parameter="create(on_overflow)"),
                checked_count(capacity, operator="create", name="capacity", at_least=1, at_most=MAX_CAPACITY_ELEMENTS),
                checked_block_timeout(block_timeout_seconds),
            )
        )
