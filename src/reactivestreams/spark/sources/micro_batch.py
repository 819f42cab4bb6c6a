"""A micro-batch of a streaming query, as one element."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import StateError
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.spark.sources.batch_handover import OfferedBatch
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["MicroBatch"]


class MicroBatch:
    """One micro-batch of a streaming query; its rows can be read until the next element is requested.

    Made by `from_query(..., as_="micro_batches")`.

    Threads: may be read in any thread while the stream waits.
    """

    def __init__(self, offered: OfferedBatch, *, is_redelivered: bool, window: int) -> None:
        self._offered = offered
        self._is_redelivered = is_redelivered
        self._window = window
        self._is_open = True

    @property
    def batch_id(self) -> int:
        """Spark's number of the batch; a batch that is delivered again has the same number and the same rows."""
        return self._offered.batch_id

    @property
    def is_redelivered(self) -> bool:
        """Whether the batch, or a part of it, may have been delivered before the last interruption."""
        return self._is_redelivered

    @property
    def dataframe(self) -> "DataFrame":
        """The batch as Spark's batch DataFrame.

        If the query has state, it is persisted until the batch is over; then the rest of it is computed.

        Raises:
            StateError: The batch is over.
        """
        self._require_open()
        return self._offered.dataframe

    def read(self, as_: str = "rows") -> Stream[Any]:
        """Return the rows of the batch as a stream, like `from_dataframe`; each subscription computes them again.

        Args:
            as_: `"rows"`, `"tuples"`, `"dicts"` or `"batches"`.

        Raises:
            ArgumentError: `as_` is none of these.
            ArgumentTypeError: `as_` is not a text.
            StateError: The batch is over.
        """
        self._require_open()
        form = checked_form(as_, self._offered.frame.schema)
        return Stream.from_iterable(self._offered.rows(form, self._window), recovery="none")

    def close(self) -> None:
        """Refuse to be read from now on; called when the next element is requested."""
        self._is_open = False

    def _require_open(self) -> None:
        if not self._is_open:
            raise StateError(
                f"micro-batch {self.batch_id} is over, since the next element was requested; read a micro-batch where "
                "it arrives, for example in map or for_each"
            )

    def __repr__(self) -> str:
        again = ", is_redelivered=True" if self.is_redelivered else ""
        return f"MicroBatch(batch_id={self.batch_id}{again})"
