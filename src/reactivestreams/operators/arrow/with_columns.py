"""with_columns: add computed columns to each Arrow batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.arrow.columns import AddedColumns, checked_computed
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc


class WithColumns(OperatorDefinition):
    """Pass on each Arrow batch with computed columns, which take the place of those of the same name.

    All expressions see the columns as they came in, also those that another one of them replaces.

    Args:
        computed: By the name of its column an expression of `pyarrow.compute` over the batch's columns.

    Raises:
        ArgumentError: When the stream is built: no column is given.
        ArgumentTypeError: When the stream is built: a column is no expression.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
        `ArgumentTypeError` for an element that is no batch, `ArgumentError` for a column that an expression names and
        the batch does not have, or that is named or replaced and the batch has twice, and PyArrow's own exception
        where types do not fit or a value cannot be computed.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the columns are computed in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: none.

    Example:
        >>> import pyarrow as pa, pyarrow.compute as pc
        >>> from reactivestreams import Stream
        >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "delay": [7, -3]})
        >>> Stream.just(flights).with_columns(late=pc.field("delay") > 0).first().to_pylist()
        [{'id': 1, 'delay': 7, 'late': True}, {'id': 2, 'delay': -3, 'late': False}]
    """

    id = "rx://operators/with_columns"
    method = "with_columns"
    stage = MapStage

    @staticmethod
    def parameters(**computed: pc.Expression) -> Checked[pa.RecordBatch]:
        """Return the checked parameters."""
        if not computed:
            raise ArgumentError("with_columns() needs at least one column; pass name=expression")
        return Checked((AddedColumns(checked_computed(computed, operator="with_columns")),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return f"with_columns({parameters[0]!r})"
