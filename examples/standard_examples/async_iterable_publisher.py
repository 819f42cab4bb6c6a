"""An asynchronous publisher: it sends the elements of an iterable from tasks of an executor."""

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from typing import TypeVar

from examples.standard_examples.normal_return import require_argument
from examples.standard_examples.serial_task import SerialTask
from examples.standard_examples.subscriber_link import SubscriberLink
from reactivestreams import Publisher, Subscriber
from reactivestreams.errors import ArgumentError, ArgumentTypeError, NullElementError

__all__ = ["DEFAULT_BATCH_SIZE", "AsyncIterablePublisher"]

DEFAULT_BATCH_SIZE = 1024
"""How many elements one task sends at most, before others get their turn on the executor."""

T = TypeVar("T")

_END = object()


class AsyncIterablePublisher(Publisher[T]):
    """Send the elements of an iterable to each subscriber, from the first, on an executor.

    Every signal is sent by a task, `on_subscribe` too; `subscribe`, `request` and `cancel` only leave word and return.
    One element is read ahead, so that the end follows the last element without further demand.

    Args:
        elements: What to send; each subscriber gets an iterator of its own. If making it fails, that subscriber gets
            `on_error`.
        executor: Whose tasks send. If it refuses one, the subscriber gets `on_error`, on the thread that asked.
        batch_size: How many elements one task sends at most, >= 1.

    Raises:
        ArgumentTypeError: There are no elements, or no executor.
        ArgumentError: The batch size is less than 1.
    """

    def __init__(self, elements: Iterable[T], *, executor: Executor, batch_size: int = DEFAULT_BATCH_SIZE) -> None:
        for name, value in (("elements", elements), ("executor", executor)):
            if value is None:
                raise ArgumentTypeError(f"{type(self).__name__}({name}=None); pass an iterable and an executor")
        if batch_size < 1:
            raise ArgumentError(f"{type(self).__name__}(batch_size) needs 1 or more, got {batch_size}")
        self._elements = elements
        self._executor = executor
        self._batch_size = batch_size

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Start a subscription of its own for the subscriber."""
        require_argument(subscriber, "subscribe", rule="1.9")
        _IterableSubscription(self._elements, subscriber, executor=self._executor, batch_size=self._batch_size).begin()


class _IterableSubscription(SubscriberLink[T]):
    """Serve one subscriber from one iterator; only the task signals and reads, and it never runs twice at once."""

    def __init__(
        self, elements: Iterable[T], subscriber: Subscriber[T], *, executor: Executor, batch_size: int
    ) -> None:
        super().__init__(subscriber)
        self._elements = elements
        self._batch_size = batch_size
        self._task = SerialTask(self._send_batch, self._refused, executor=executor)
        self._has_begun = False
        self._iterator: Iterator[T] = iter(())
        self._ahead: object = _END

    def begin(self) -> None:
        self._task.wake()

    def when_requested(self, demand_before: int) -> None:
        self._task.wake()

    def cancel(self) -> None:
        super().cancel()
        self._task.wake()

    def _send_batch(self) -> bool:
        if not self._has_begun:
            self._begin_stream()
        for _ in range(self._batch_size):
            if not self._send_next():
                return False
        return self.demand > 0

    def _begin_stream(self) -> None:
        self._signal_subscribe()
        try:
            self._iterator = iter(self._elements)
        except Exception as error:
            self.finish(error)
        else:
            self._read_ahead()

    def _signal_subscribe(self) -> None:
        self._has_begun = True
        subscriber = self.receiver()
        if subscriber is not None:
            self.signal(subscriber.on_subscribe, self)  # §1.9: first, also where there is nothing to send

    def _send_next(self) -> bool:
        """Send an element if it is requested; return whether it was."""
        is_requested = self.demand > 0  # before receiver(): the demand of a bad request comes with an end that it sees
        subscriber = self.receiver()
        if subscriber is None:
            self._iterator = iter(())  # what is no longer read is let go: a generator closes
        if subscriber is None or not is_requested:
            return False
        self.demand_after(1)  # §1.1: for each element, that which ends a batch too
        self.signal(subscriber.on_next, self._ahead)
        del subscriber  # it may cancel while the next element is read, and be let go then (§3.13)
        self._read_ahead()
        return True

    def _read_ahead(self) -> None:
        if self.receiver() is None:
            return  # nobody wants it
        try:
            self._ahead = next(self._iterator, _END)
        except Exception as error:
            self.finish(error)  # §1.4
            return
        if self._ahead is _END:
            self.finish()  # §1.5
        elif self._ahead is None:
            self.finish(NullElementError("§2.13: the iterable has yielded None, which no signal carries"))

    def _refused(self, reason: BaseException) -> None:
        if not self._has_begun:
            self._signal_subscribe()  # §1.9: an error comes after it
        self.finish(RuntimeError(f"the executor takes no work: {reason}"))
