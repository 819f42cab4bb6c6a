"""map_batches: pass on the Arrow batch that a function returns for each one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.arrow.expressions import checked_batch
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class BatchFunction:
    """Returns as one batch what a function returns for a batch."""

    function: Callable[[Any], Any]

    def __call__(self, element: Any) -> pa.RecordBatch:
        """Return the batch of the function."""
        import pyarrow as pa

        result = self.function(checked_batch(element, operator="map_batches"))
        if isinstance(result, pa.RecordBatch):
            return result
        if hasattr(result, "to_arrow"):
            result = result.to_arrow()
        if isinstance(result, pa.Table):
            columns = [column.combine_chunks() for column in result.columns]
            return pa.RecordBatch.from_arrays(columns, schema=result.schema)
        raise ArgumentTypeError(
            f"map_batches(function) needs a function that returns an Arrow batch, got {result!r:.200} "
            f"({type(result).__name__}); return a pyarrow.RecordBatch, a pyarrow.Table or a DataFrame of polars, or "
            "use map() for anything else"
        )

    def __repr__(self) -> str:
        return repr(self.function)


class MapBatches(OperatorDefinition):
    """Pass on the Arrow batch that a function returns for each Arrow batch.

    Args:
        function: Called with each `pyarrow.RecordBatch`; returns one, with the same columns and rows or others. A
            `pyarrow.Table`, as grouping and joining give, and what has `to_arrow()`, as the DataFrame of polars, become
            one batch.

    Raises:
        ArgumentTypeError: When the stream is built: the argument is no function, or a coroutine function.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
        `ArgumentTypeError` for an element or a result that is no batch, and an exception of the function.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the function runs in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: none.

    Example:
        >>> import pyarrow as pa
        >>> from reactivestreams import Stream
        >>> numbers = pa.RecordBatch.from_pydict({"number": [3, 1, 2]})
        >>> Stream.just(numbers).map_batches(lambda batch: batch.sort_by("number")).first().to_pylist()
        [{'number': 1}, {'number': 2}, {'number': 3}]
        >>> names = pa.table({"number": [1, 2], "name": ["one", "two"]})
        >>> join = lambda batch: pa.Table.from_batches([batch]).join(names, "number", join_type="inner")
        >>> sorted(Stream.just(numbers).map_batches(join).first()["name"].to_pylist())
        ['one', 'two']
    """

    id = "rx://operators/map_batches"
    method = "map_batches"
    stage = MapStage

    @staticmethod
    def parameters(function: Callable[[pa.RecordBatch], object]) -> Checked[pa.RecordBatch]:
        """Return the checked parameters."""
        return Checked((BatchFunction(checked_callable(function, operator="map_batches", name="function")),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return f"map_batches({show(parameters[0].function)})"
