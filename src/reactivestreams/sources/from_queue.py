"""from_queue: send the elements of a queue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from reactivestreams.arguments import checked_count, checked_loop
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.definition import (
    Checked,
    OperatorDefinition,
    Recovery,
    U,
    checked_recovery,
    written_recovery,
)
from reactivestreams.schedulers.queue_reader import QueueReader, is_shut_down
from reactivestreams.sources.async_reader import AsyncReader
from rs_core.interp.deferred_functions import deferred_kind
from rs_core.sources.async_iterable import AsyncSource

if TYPE_CHECKING:
    import asyncio
    from queue import Queue, SimpleQueue

    from reactivestreams.schedulers.loop_tasks import Loop

DEFAULT_PREFETCH = 1
"""By default, how many elements may be taken from a queue and not yet passed on."""


class AsyncQueue(Protocol):
    """A queue with an awaitable `get`, such as `asyncio.Queue`."""

    async def get(self) -> Any:
        """Return the next element."""


class FromQueue(OperatorDefinition):
    """Send the elements of a queue, until a sentinel is taken from it or it is shut down.

    Several subscriptions share the queue: each element goes to one of them, and a sentinel ends one. The source does
        not call the queue's `task_done()`; if your program calls `join()`, add `.do(on_next=lambda _:
        queue.task_done())`.

    Args:
        queue: An `asyncio.Queue`, a `queue.Queue`, a `queue.SimpleQueue` with one subscription at a time, or an object
            with the same `get`.
        sentinel: The object that means the end; it is compared by identity. By default None, which cannot be an element
            for subscribers (§2.13).
        prefetch: How many elements may be taken from the queue and not yet passed on, from 1 to 2**24. A cancelled
            stream can lose that many.
        loop: For an `asyncio.Queue`, the event loop of the reading task; None: the loop that runs in the thread that
            subscribes.
        recovery: How a stream recovered from saved state uses the queue, if not in the default way; see Recovery.

    Demand: as many elements as requested are taken, but never more than `prefetch` at a time. The end is noticed with
        the request after the last element. A queue that was shut down (Python 3.13) ends the stream when it is empty.
    Errors: any other exception of `get` becomes `on_error`. WrongEventLoopError if there is no loop.
    State: the elements that were taken and not passed on; version 1.0.0.0.
    Recovery: `none`: an element that was taken from a queue cannot be taken again. So a tree with this source can only
        be saved with `allow_restart=True`. Pass `recovery="exact"` for a queue that outlives the process and continues
        after the elements that were taken.
    Threads: an `asyncio.Queue` is read in its loop's thread. For any other queue one daemon thread per subscription
        waits, from the first request on, so no event loop waits; signals run in it, and it ends within a tenth of a
        second after a cancellation.
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
        queue: asyncio.Queue[U] | Queue[U] | SimpleQueue[U],
        *,
        sentinel: object = None,
        prefetch: int = DEFAULT_PREFETCH,
        loop: Loop | None = None,
        recovery: Recovery | None = None,
    ) -> Checked[U]:
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
            reader = QueueReader(queue, sentinel)  # type: ignore[arg-type]  # it is not an AsyncQueue
        else:
            raise ArgumentError(
                f"from_queue(loop) is for a queue whose get() is awaited, and {queue!r} blocks; leave loop out, or "
                f"pass an asyncio.Queue"
            )
        count = checked_count(prefetch, operator="from_queue", name="prefetch", at_least=1, at_most=2**24)
        return Checked((reader, count, checked_recovery(recovery, operator="from_queue", default="none")))

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return the given recovery."""
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
    """The elements of such a queue, as an asynchronous iterable."""

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
