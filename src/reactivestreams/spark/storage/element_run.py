"""A run of consecutive elements of a stream, as Arrow batches, addressed by the numbers of its elements."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ELEMENT_FORMS", "ElementRun", "checked_element_form"]

ELEMENT_FORMS = ("rows", "batches")
"""The forms of a stream's elements for Spark: rows or Arrow batches."""


def checked_element_form(as_: object) -> str:
    """Check the argument `as_` of a sink.

    Raises:
        ArgumentTypeError: The value is not a text.
        ArgumentError: It is not a form of an element.
    """
    if not isinstance(as_, str):
        raise ArgumentTypeError(f"as_ must be a str, got {as_!r}; pass 'rows' or 'batches'")
    if as_ not in ELEMENT_FORMS:
        raise ArgumentError(
            f"as_ must be 'rows' or 'batches', got {as_!r}; a row may be a tuple, a list, a dict or a Row"
        )
    return as_


@dataclass(frozen=True, slots=True)
class ElementRun:
    """The elements with the numbers from `start` up to, not including, `end`.

    Args:
        start: Number of the first element.
        end: Number after the last one.
        batches: The elements: one batch per element if the form is `"batches"`, else one row per element.
        form: One of `ELEMENT_FORMS`.
    """

    start: int
    end: int
    batches: "list[pa.RecordBatch]"
    form: str

    def part(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the batches of the run's elements in a range, in order."""
        first, last = max(start, self.start), min(end, self.end)
        if first >= last:
            return []
        if self.form == "batches":
            return self.batches[first - self.start : last - self.start]
        found = []
        position = self.start
        for batch in self.batches:
            low, high = max(first, position), min(last, position + batch.num_rows)
            if low < high:
                found.append(batch.slice(low - position, high - low))
            position += batch.num_rows
        return found
