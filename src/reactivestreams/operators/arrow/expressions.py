"""Expressions of PyArrow over the columns of a batch: their checks, and what computes them.

PyArrow is imported when an expression or a batch is there, since who has made one has imported it.
"""

import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["checked_batch", "checked_expression", "computed_columns", "is_expression", "shown_expression"]

UNFIT_COLUMN = re.compile(
    r"(?P<problem>No match|Multiple matches) for FieldRef\.(?P<reference>Name\((?P<name>.*?)\)|.*?) in ", re.DOTALL
)
"""What PyArrow says of a column that is not there, or there twice."""

LONGEST_SHOWN_CHARACTERS = 80
"""Where an expression is cut in the text of a description."""


def is_expression(value: object) -> bool:
    """Tell whether a value is an expression of PyArrow."""
    compute: Any = sys.modules.get("pyarrow.compute")
    return compute is not None and isinstance(value, compute.Expression)


def checked_expression(value: Any, *, operator: str, name: str) -> Any:
    """Return an argument that is an expression, or raise.

    Raises:
        ArgumentTypeError: It is none.
    """
    if is_expression(value):
        return value
    raise ArgumentTypeError(
        f"{operator}({name}) needs an expression of pyarrow.compute, got {value!r:.200} ({type(value).__name__}); pass "
        f"pyarrow.compute.field('column'), a calculation with it, or pyarrow.compute.scalar(value)"
    )


def checked_batch(element: Any, *, operator: str) -> "pa.RecordBatch":
    """Return an element that is a batch, or raise.

    Raises:
        ArgumentTypeError: It is none.
    """
    import pyarrow as pa

    if isinstance(element, pa.RecordBatch):
        return element
    raise ArgumentTypeError(
        f"{operator} needs elements that are Arrow batches, got {element!r:.200} ({type(element).__name__}); make "
        "pyarrow.RecordBatch elements before it, such as by from_dataframe(df, as_='batches')"
    )


def computed_columns(
    batch: "pa.RecordBatch", expressions: Sequence[Any], names: Sequence[str], *, operator: str
) -> "pa.RecordBatch":
    """Return a batch of what expressions give for each row of another one.

    Args:
        batch: The columns that the expressions name.
        expressions: One for each column of the result.
        names: Names of the result's columns.
        operator: Whose error it is where a column is not there.

    Raises:
        ArgumentError: An expression names a column that the batch does not have, or has twice.
        pyarrow.ArrowException: The types do not fit, or a value cannot be computed.
    """
    import pyarrow as pa
    from pyarrow import acero

    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(pa.Table.from_batches([batch])))
    project = acero.Declaration("project", acero.ProjectNodeOptions(list(expressions), list(names)), [source])
    try:
        # In this thread: threads would cost more than a batch does, and its rows would change their order.
        table = project.to_table(use_threads=False)
    except pa.ArrowInvalid as error:
        found = UNFIT_COLUMN.match(str(error))
        if found is None:
            raise
        column = repr(found["name"]) if found["name"] else found["reference"]
        if found["problem"] == "Multiple matches":
            reason = "has two of that name; rename one"
        else:
            present = ", ".join(batch.schema.names) or "no columns"
            reason = f"has {present}; name one of these, or add it by with_columns() before"
        raise ArgumentError(f"{operator} names the column {column}, but the batch {reason}") from error
    return one_batch(table)


def one_batch(table: "pa.Table") -> "pa.RecordBatch":
    """Return the rows of a table as one batch."""
    import pyarrow as pa

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def shown_expression(expression: object) -> str:
    """Return a short text for an expression."""
    text = " ".join(str(expression).split())
    return text if len(text) <= LONGEST_SHOWN_CHARACTERS else f"{text[:LONGEST_SHOWN_CHARACTERS]}…"
