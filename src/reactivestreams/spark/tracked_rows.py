"""The rows of a partition, with the one that is being processed always known at no cost per row."""

from collections.abc import Callable, Generator, Iterable
from operator import length_hint
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.row_forms import Decoder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TrackedRows"]


class TrackedRows:
    """Iterable over the rows of a partition's batches, for one iteration.

    A source takes a row only when the one before has gone through the whole pipeline, in the same thread. So the row
    taken last is the one that a function is looking at, and the one that caused what comes out.

    Args:
        batches: The partition.
        decode: Makes the rows of a batch.
        before_next_batch: Called when a batch is used up, before it is replaced.
    """

    def __init__(
        self,
        batches: "Iterable[pa.RecordBatch]",
        decode: Decoder,
        before_next_batch: Callable[[], None] | None = None,
    ) -> None:
        self.batches = batches
        self.decode = decode
        self.before_next_batch = before_next_batch
        self.batch: pa.RecordBatch | None = None
        self.rows: list[Any] = []
        self.rest = iter(self.rows)

    def __iter__(self) -> Generator[Any, None, None]:
        for batch in self.batches:
            if self.before_next_batch is not None:
                self.before_next_batch()
            rows = list(self.decode(batch))
            if rows:
                self.batch, self.rows, self.rest = batch, rows, iter(rows)
                yield from self.rest

    @property
    def position(self) -> int:
        """Index in `batch` of the row taken last; -1 where none was taken."""
        # A used-up list iterator has forgotten its list and gives 0 as well.
        return len(self.rows) - length_hint(self.rest) - 1

    @property
    def row(self) -> Any:
        """The row taken last; None where none was taken."""
        return self.rows[self.position] if self.rows else None
