"""Asynchronous iteration in trio; `rs_core.ends.async_iterator.AsyncIterator` is the one for asyncio."""

from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from reactivestreams.schedulers.loop_tasks import TrioToken, trio_token
from rs_core.ends.element_reader import ElementReader
from rs_core.ends.iterator_end import two_tasks_wait
from rs_core.stream.description import Description
from rs_core.sync.running_loops import turns_of

__all__ = ["TrioIterator"]

T = TypeVar("T")

_NOTHING: Any = object()


class TrioIterator(Generic[T]):
    """Iterate over the elements of a stream in a task of the trio run in the calling thread.

    Dropping the iterator, e.g. by leaving the loop early, cancels the stream; `aclose()` does it at once. So does
    cancelling a task that waits for an element. Each step is a checkpoint for cancellation.

    Args:
        source: The description of the stream to iterate over.
        prefetch: As for `Stream.iterate_async`.

    Threads: the thread of the run.
    """

    def __init__(self, source: Description, prefetch: int | None = None) -> None:
        token = trio_token()
        self._sleep = _Sleep(token)
        self._turns = turns_of(token)
        self._reader: ElementReader[T] = ElementReader(source, self._sleep.end_soon, prefetch, turns=self._turns)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T:
        from trio.lowlevel import cancel_shielded_checkpoint, checkpoint_if_cancelled

        await checkpoint_if_cancelled()
        while (element := self._reader.take(_NOTHING)) is _NOTHING:
            if self._reader.must_wait():
                await self._sleep.begin(self._reader)
        if self._turns.is_due():
            await cancel_shielded_checkpoint()
        return element

    async def aclose(self) -> None:
        """Cancel the stream; further steps raise StopAsyncIteration. Idempotent."""
        self._reader.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.close()


class _Sleep:
    """The sleep of one task, which any thread can end; it does not refer to the iterator, so that one can be freed."""

    def __init__(self, token: TrioToken) -> None:
        self._token = token
        self._task: Any = None

    async def begin(self, reader: ElementReader[Any]) -> None:
        """Sleep until the next `end_soon`; if the task is cancelled instead, cancel the stream too."""
        from trio.lowlevel import Abort, current_task, wait_task_rescheduled

        if self._task is not None:
            raise two_tasks_wait()
        self._task = current_task()

        def abort(raise_cancelled: Any) -> Abort:
            self._task = None
            reader.close()
            return Abort.SUCCEEDED

        await wait_task_rescheduled(abort)

    def end_soon(self) -> None:
        """End the sleep, from any thread; several calls end it once."""
        self._token.run_sync_soon(self._end, idempotent=True)

    def _end(self) -> None:
        from trio.lowlevel import reschedule

        task, self._task = self._task, None
        if task is not None:
            reschedule(task)
