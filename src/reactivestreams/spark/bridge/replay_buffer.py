"""The elements of planned batches, in memory until their batches are finished."""

from typing import TYPE_CHECKING

from reactivestreams.spark.storage.element_run import ElementRun

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ReplayBuffer"]


class ReplayBuffer:
    """Consecutive runs of elements from `start` up to, not including, `end`. The owner holds a lock.

    Args:
        start: Number of the first element that will be added.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, start: int, form: str) -> None:
        self.start: int = start
        self.end: int = start
        self.form = form
        self.runs: list[ElementRun] = []

    def add(self, run: ElementRun) -> None:
        """Add the next run."""
        self.runs.append(run)
        self.end = run.end

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the batches of a buffered range."""
        return [batch for run in self.runs for batch in run.part(start, end)]

    def planned_end(self, start: int, most_rows: int) -> int:
        """Return the end of the elements from `start` with at most `most_rows` rows; a single batch may have more."""
        if self.form == "rows":
            return max(start, min(self.end, start + most_rows))
        end, rows = start, 0
        for batch in self.read(start, self.end):
            if end > start and rows + batch.num_rows > most_rows:
                break
            end, rows = end + 1, rows + batch.num_rows
        return end

    def rows_from(self, start: int) -> int:
        """Return the number of rows of the elements from `start`."""
        if self.form == "rows":
            return max(0, self.end - start)
        return sum(batch.num_rows for batch in self.read(start, self.end))

    def drop_before(self, offset: int) -> None:
        """Drop the elements before an offset."""
        kept = []
        for run in self.runs:
            if run.end <= offset:
                continue
            if run.start < offset:
                kept.append(ElementRun(offset, run.end, run.part(offset, run.end), run.form))
            else:
                kept.append(run)
        self.runs = kept
        self.start = min(max(self.start, offset), self.end)
