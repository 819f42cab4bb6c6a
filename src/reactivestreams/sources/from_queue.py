"""from_queue: send what comes out of a queue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from reactivestreams.arguments import checked_count, checked_loop
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.definition import OperatorDefinition, Recovery, checked_recovery, written_recovery
from reactivestreams.schedulers.queue_reader import QueueReader, is_shut_down
from reactivestreams.sources.async_reader import AsyncReader
from rs_core.interp.deferred_functions import deferred_kind
from rs_core.sources.async_iterable import AsyncSource

if TYPE_CHECKING:
    from reactivestreams.schedulers.loop_tasks import Loop
    from reactivestreams.schedulers.queue_reader import BlockingQueue

DEFAULT_PREFETCH = 1
"""How many elements may be taken from a queue and not yet passed on by default."""


class AsyncQueue(Protocol):
    """What a task can wait at, such as `asyncio.Queue`."""

    async def get(self) -> Any:
        """Return the next element."""


class FromQueue(OperatorDefinition):
    """Send what comes out of a queue, until a sentinel does or the queue is shut down.

    Several subscriptions share the queue: each element goes to one of them, and a sentinel ends one. Nobody calls the
    queue's `task_done()`; where somebody joins it, add `.do(on_next=lambda _: queue.task_done())`.

    Args:
        queue: An `asyncio.Queue`, a `queue.Queue`, a `queue.SimpleQueue` with a single subscription at a time, or
            whatever has their `get`.
        sentinel: The object that stands for the end; it is compared by identity. None by default, which is no element
            for subscribers (§2.13).
        prefetch: The most that may be taken from the queue and not yet passed on, from 1 to 2**24. So many elements a
            stream that is cancelled may lose.
        loop: Of an `asyncio.Queue`: the event loop whose task reads; None: the one that runs where the stream is
            subscribed.
        recovery: What a stream does with it that is recovered from saved state, where that is not the default; see
            Recovery.

    Demand: as much as is requested is taken, but never more than `prefetch` at a time. The end is seen by the request
        after the last element. A queue that was shut down (Python 3.13) ends the stream when it is empty.
    Errors: what `get` raises otherwise becomes `on_error`. WrongEventLoopError where there is no loop.
    State: the elements that were taken and not passed on; version 1.0.0.0.
    Recovery: `none`: what a queue gave it does not give again. So a tree with this source is saved with
        `allow_restart=True` only. State `recovery="exact"` for a queue that outlives the process and goes on after what
        it gave.
    Threads: an `asyncio.Queue` is read in its loop's thread. Any other one has a daemon thread that waits for each
        subscription from its first request on, so no event loop waits; signals run there, and a cancelled stream lets
        it go within a tenth of a second.
    Rules: §1.1, §3.4, §3.5.

    Example:
        >>> import queue
        >>> from reactivestreams import Stream
        >>> jobs = queue.Queue()
        >>> for job in ("wash", "dry", None):
        ...     jobs.put(job)
        >>> Stream.from_queue(jobs).to_list()
        ['wash', 'dry']
    """

    id = "rx://sources/from_queue"
    method = "from_queue"
    serializable = False
    recovery: ClassVar[Recovery | None] = "none"

    @staticmethod
    def parameters(
        queue: AsyncQueue | BlockingQueue, sentinel: object, prefetch: int, loop: Loop | None, recovery: object = None
    ) -> tuple[Any, int, Recovery]:
        """Return the checked parameters."""
        get = getattr(queue, "get", None)
        if not callable(get) or not hasattr(queue, "put") or isinstance(queue, type):
            raise ArgumentTypeError(
                f"from_queue(queue) needs a queue, got {queue!r:.200} ({type(queue).__name__}); pass a queue.Queue or "
                f"an asyncio.Queue, or use from_iterable"
            )
        reader: AsyncReader | QueueReader
        if deferred_kind(get) is not None:
            reader = _AsyncQueueReader(queue, sentinel, checked_loop(loop, operator="from_queue"))
        elif loop is None:
            reader = QueueReader(queue, sentinel)  # type: ignore[arg-type]  # it is not the other one
        else:
            raise ArgumentError(
                f"from_queue(loop) is for a queue whose get() is awaited, and {queue!r} blocks; leave loop out, or "
                f"pass an asyncio.Queue"
            )
        return (
            reader,
            checked_count(prefetch, operator="from_queue", name="prefetch", at_least=1, at_most=2**24),
            checked_recovery(recovery, operator="from_queue", default="none"),
        )

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return what was stated."""
        return parameters[2]  # type: ignore[no-any-return]

    @staticmethod
    def stage(reader: AsyncReader | QueueReader, prefetch: int, recovery: Recovery) -> AsyncSource:
        """Return a new live stage."""
        return AsyncSource(reader, prefetch, False, recovery == "skips")

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        reader: _AsyncQueueReader | QueueReader = parameters[0]
        prefetch, recovery = parameters[1:]
        loop = reader.loop if isinstance(reader, _AsyncQueueReader) else None
        parts = [show(reader.elements)]
        parts += [] if reader.sentinel is None else [f"sentinel={show(reader.sentinel)}"]
        parts += [] if prefetch == DEFAULT_PREFETCH else [f"prefetch={prefetch}"]
        parts += [] if loop is None else [f"loop={loop!r}"]
        return f"from_queue({', '.join(parts)}{written_recovery(None if recovery == 'none' else recovery)})"


class _AsyncQueueReader(AsyncReader):
    """The publisher of the elements of a queue whose `get` is awaited."""

    def __init__(self, queue: Any, sentinel: object, loop: Loop | None) -> None:
        super().__init__(_Elements(queue, sentinel), loop)
        self.elements = queue
        self.sentinel = sentinel

    def __str__(self) -> str:
        return f"from_queue({self.elements!r})"


class _Elements:
    """What such a queue holds, as an asynchronous iterable."""

    def __init__(self, queue: Any, sentinel: object) -> None:
        self.queue = queue
        self.sentinel = sentinel

    async def __aiter__(self) -> AsyncIterator[Any]:
        while True:
            try:
                element = await self.queue.get()
            except Exception as error:
                if is_shut_down(error):
                    return
                raise
            if element is self.sentinel:
                return
            yield element
