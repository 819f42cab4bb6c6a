"""filter_batches: keep the rows of each Arrow batch for which a condition is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.arrow.expressions import (
    checked_batch,
    computed_columns,
    is_expression,
    shown_expression,
)
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc


@dataclass(frozen=True, slots=True, eq=False)
class KeptRows:
    """Returns a batch of the rows of another one for which an expression, or a function of the batch, is true."""

    predicate: Any

    def __call__(self, element: Any) -> pa.RecordBatch:
        """Return the batch of the rows."""
        batch = checked_batch(element, operator="filter_batches")
        if callable(self.predicate):
            return batch.filter(checked_mask(self.predicate(batch), batch))
        mask = computed_columns(batch, [self.predicate], ["kept"], operator="filter_batches")
        return batch.filter(checked_mask(mask.column(0), batch))

    def __repr__(self) -> str:
        return shown_expression(self.predicate)


class FilterBatches(OperatorDefinition):
    """Pass on each Arrow batch with only those of its rows for which a condition is true; a null counts as false.

    A batch of which no row is left is passed on without rows.

    Args:
        predicate: An expression of `pyarrow.compute` over the batch's columns, or a function that is called with each
            batch and returns an Arrow array of as many booleans as the batch has rows.

    Raises:
        ArgumentTypeError: When the stream is built: the predicate is neither an expression nor a function, or is a
            coroutine function.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
        `ArgumentTypeError` for an element that is no batch and for a result that is no array of booleans,
        `ArgumentError` for a result of another length and for a column that the batch does not have or has twice,
        PyArrow's own exception where types do not fit or a value cannot be computed, and one of the function.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the condition is computed in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: none.

    Example:
        >>> import pyarrow as pa, pyarrow.compute as pc
        >>> from reactivestreams import Stream
        >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "delay": [7, -3]})
        >>> Stream.just(flights).filter_batches(pc.field("delay") > 0).first().to_pylist()
        [{'id': 1, 'delay': 7}]
    """

    id = "rx://operators/filter_batches"
    method = "filter_batches"
    stage = MapStage

    @staticmethod
    def parameters(predicate: pc.Expression | Callable[[pa.RecordBatch], object]) -> Checked[pa.RecordBatch]:
        """Return the checked parameters."""
        if is_expression(predicate):
            return Checked((KeptRows(predicate),))
        if not callable(predicate):
            raise ArgumentTypeError(
                f"filter_batches(predicate) needs an expression of pyarrow.compute or a function, got "
                f"{predicate!r:.200} ({type(predicate).__name__}); pass such as pyarrow.compute.field('delay') > 0"
            )
        return Checked((KeptRows(checked_callable(predicate, operator="filter_batches", name="predicate")),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        predicate = parameters[0].predicate
        return f"filter_batches({show(predicate) if callable(predicate) else shown_expression(predicate)})"


def checked_mask(mask: Any, batch: pa.RecordBatch) -> Any:
    """Return an array with a boolean for each row of a batch, or raise."""
    import pyarrow as pa

    if isinstance(mask, pa.ChunkedArray):
        mask = mask.combine_chunks()
    if not isinstance(mask, pa.Array) or not pa.types.is_boolean(mask.type):
        kind = mask.type if isinstance(mask, pa.Array) else type(mask).__name__
        raise ArgumentTypeError(
            f"filter_batches(predicate) needs a boolean for each row, got {kind}; compare, such as "
            "pyarrow.compute.field('delay') > 0, or let the function return an array of booleans"
        )
    if len(mask) != batch.num_rows:
        raise ArgumentError(
            f"filter_batches(predicate) needs a boolean for each of the {batch.num_rows} rows, got {len(mask)}; let "
            "the function return one for each row"
        )
    return mask
