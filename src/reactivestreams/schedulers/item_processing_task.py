"""Tasks that empty the queue of an item processor, a batch of items per turn."""

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers.task import ITEM_PROCESSING_PRIORITY, YieldableSchedulerTask
from reactivestreams.schedulers.yield_token import YieldToken
from rs_core.interp.deferred_functions import refuse_deferred

if TYPE_CHECKING:
    from reactivestreams.schedulers.scheduler import Scheduler

DEFAULT_BATCH_SIZE = 128
"""The default maximum of items that a turn processes."""


class Counted(Protocol):
    """An object with items to process."""

    @property
    def item_count(self) -> int:
        """How many items wait; may be read by any thread."""
        ...


class ItemProcessor(Counted, Protocol):
    """Processes the items of a queue of its own."""

    def process(self, batch_size: int) -> object:
        """Process the items that there are, at most `batch_size`; runs as a task."""


class YieldableItemProcessor(Counted, Protocol):
    """Processes the items of a queue of its own, and returns early when its yield token requests it."""

    def process(self, batch_size: int, yield_token: YieldToken) -> object:
        """Process at most `batch_size` items, and return soon after `yield_token.is_yield_requested`."""


P = TypeVar("P", bound=Counted)


class _Batches(Generic[P]):
    """The shared part of both tasks: runnable while there are items, never done."""

    def __init__(
        self, processor: P, *, batch_size: int = DEFAULT_BATCH_SIZE, priority: int = ITEM_PROCESSING_PRIORITY
    ) -> None:
        name = type(self).__name__
        process: object = getattr(processor, "process", None)
        if not hasattr(processor, "item_count") or not callable(process):
            raise ArgumentTypeError(
                f"{name}(processor) needs item_count and process(), got {processor!r} ({type(processor).__name__}); "
                f"pass an object that has both"
            )
        refuse_deferred(process, f"{name}(processor): process", "define it with def")
        self._processor = processor
        self._batch_size = checked_count(batch_size, operator=name, name="batch_size", at_least=1)
        self.priority = priority

    @property
    def is_runnable(self) -> bool:
        """Whether there are items."""
        return self._processor.item_count != 0


class ItemProcessingTask(_Batches[ItemProcessor]):
    """Let a processor process its items, one batch per turn, whenever it has some.

    The task is never done: it waits while there are no items. After adding one, call `recalculate_priority()` of the
        scheduler.

    Args:
        processor: The processor with the items.
        batch_size: The maximum of items per turn, from 1.
        priority: The ready task with the lowest number runs first.

    Raises:
        ArgumentTypeError: The processor lacks `item_count` or `process`.
        ArgumentError: The batch size is not positive.
    """

    def execute(self, scheduler: "Scheduler") -> bool:
        """Process a batch; never done."""
        self._processor.process(self._batch_size)
        return False


class YieldableItemProcessingTask(_Batches[YieldableItemProcessor], YieldableSchedulerTask):
    """The same for a processor that reads a yield token; arguments and errors as for `ItemProcessingTask`."""

    def execute_yieldable(self, scheduler: "Scheduler", yield_token: YieldToken) -> bool:
        """Process a batch; never done."""
        self._processor.process(self._batch_size, yield_token)
        return False
