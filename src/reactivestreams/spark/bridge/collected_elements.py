"""Elements of a publisher that have come and are not planned yet, turned into Arrow batches on the way."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.bridge.failures import first_mismatch, schema_mismatch
from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder
from reactivestreams.spark.storage.element_run import ElementRun

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CollectedElements"]


class CollectedElements:
    """The elements from some number on, in their order. Its owner has a lock; this has none.

    Args:
        encoder: Makes batches of the elements.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, encoder: RowEncoder, form: str) -> None:
        self.encoder = encoder
        self.form = form
        self.waiting: list[Any] = []
        self.encoded: list[pa.RecordBatch] = []
        self.encoded_elements: int = 0
        self.rows_counted: int = 0
        """Where elements are batches: the rows of those that `rows` has looked at."""
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
        """Tell whether so many wait that they fill a batch."""
        return len(self.waiting) >= ENCODED_BATCH_ROWS

    def encode(self, first: int) -> None:
        """Turn what waits into batches.

        Args:
            first: Number of the first element of all.

        Raises:
            PipelineError: An element does not fit the schema; those before it are encoded, those behind it dropped.
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
        """Encode the first elements of those that wait."""
        if count:
            self.encoded += [*self.encoder.encode(self.waiting[:count])]
            self.encoded_elements += count

    def run(self, start: int) -> ElementRun:
        """Return what is encoded as the elements from a number on."""
        return ElementRun(start, start + self.encoded_elements, [*self.encoded], self.form)

    def clear(self) -> None:
        """Forget what is encoded."""
        self.encoded.clear()
        self.encoded_elements = self.elements_counted = self.rows_counted = 0
