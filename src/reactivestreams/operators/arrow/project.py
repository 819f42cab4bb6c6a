"""project: pass on some columns of each Arrow batch, and computed ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.arrow.columns import ProjectedColumns, checked_computed, checked_names
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import MapStage

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc


class Project(OperatorDefinition):
    """Pass on a batch of the named columns, then the computed ones, for each Arrow batch.

    Args:
        names: Columns that are kept, in this order.
        computed: New columns: by their name an expression of `pyarrow.compute` over the batch's columns.

    Raises:
        ArgumentError: When the stream is built: no column is named, or one twice.
        ArgumentTypeError: When the stream is built: a name is no text, or a computed column no expression.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on. When a batch arrives, these cancel the upstream and become `on_error`:
        `ArgumentTypeError` for an element that is no batch, `ArgumentError` for a column that the batch does not have
        or has twice, and PyArrow's own exception where types do not fit or a value cannot be computed.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the columns are computed in the thread that drains the stream.
    Rules: §1.3, §1.4, §2.13.
    Elsewhere: none.

    Example:
        >>> import pyarrow as pa, pyarrow.compute as pc
        >>> from reactivestreams import Stream
        >>> flights = pa.RecordBatch.from_pydict({"id": [1, 2], "miles": [300, 90], "hours": [2, 1]})
        >>> Stream.just(flights).project("id", speed=pc.field("miles") / pc.field("hours")).first().to_pylist()
        [{'id': 1, 'speed': 150}, {'id': 2, 'speed': 90}]
    """

    id = "rx://operators/project"
    method = "project"
    stage = MapStage

    @staticmethod
    def parameters(*names: str, **computed: pc.Expression) -> Checked[pa.RecordBatch]:
        """Return the checked parameters."""
        kept, new = checked_names(names, operator="project"), checked_computed(computed, operator="project")
        if not kept and not new:
            raise ArgumentError("project() needs at least one column; name it, or pass name=expression")
        twice = next((name for name in new if name in kept), None)
        if twice is not None:
            raise ArgumentError(f"project names the column {twice!r} twice; keep it or compute it")
        return Checked((ProjectedColumns(kept, new),))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return f"project({parameters[0]!r})"
