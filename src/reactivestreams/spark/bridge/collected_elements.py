"""Elements of a publisher that are not yet planned, and their encoding as Arrow batches."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import first_mismatch, schema_mismatch
from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder
from reactivestreams.spark.storage.element_run import ElementRun

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CollectedElements"]


class CollectedElements:
    """The elements from some number on, in order. The owner holds a lock.

    Args:
        encoder: Encodes the elements as batches.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, encoder: RowEncoder, form: str) -> None:
        self.encoder = encoder
        self.form = form
        self.waiting: list[Any] = []
        self.encoded: list[pa.RecordBatch] = []
        self.encoded_elements: int = 0
        self.rows_counted: int = 0
        """If elements are batches: the rows of those that `rows` has counted."""
        self.elements_counted: int = 0

    def count(self) -> int:
        """Return how many elements there are."""
        return self.encoded_elements + len(self.waiting)

    def rows(self) -> int:
        """Return how many rows they have."""
        if self.form == "rows":
            return self.count()
        news = self.waiting[self.elements_counted - self.encoded_elements :]
        self.rows_counted += sum(getattr(batch, "num_rows", 1) for batch in news)
        self.elements_counted += len(news)
        return self.rows_counted

    def is_due(self) -> bool:
        """Return whether the waiting elements fill a batch."""
        return len(self.waiting) >= ENCODED_BATCH_ROWS

    def encode(self, first: int) -> None:
        """Encode the waiting elements as batches.

        Args:
            first: Number of the first element.

        Raises:
            PipelineError: An element does not fit the schema; those before it are encoded, those after it are dropped.
        """
        try:
            self.keep(len(self.waiting))
        except RowEncodingError as error:
            fitting, found = first_mismatch(self.encoder, self.waiting, error)
            self.keep(fitting)
            raise schema_mismatch(first + self.encoded_elements, found) from found
        finally:
            self.waiting.clear()

    def keep(self, count: int) -> None:
        """Encode the first waiting elements."""
        if count:
            self.encoded += [*self.encoder.encode(self.waiting[:count])]
            self.encoded_elements += count

    def run(self, start: int) -> ElementRun:
        """Return the encoded elements as a run from a number on."""
        return ElementRun(start, start + self.encoded_elements, [*self.encoded], self.form)

    def clear(self) -> None:
        """Remove the encoded elements."""
        self.encoded.clear()
        self.encoded_elements = self.elements_counted = self.rows_counted = 0
