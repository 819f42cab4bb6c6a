"""The forms in which the rows of a DataFrame become elements."""

from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.rows.arrow_values import column_values, reader_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row
    from pyspark.sql.types import StructType

__all__ = ["ROW_FORMS", "Decoder", "checked_form", "decoder"]

ROW_FORMS = ("rows", "tuples", "dicts", "batches")
"""What `as_` may be: Spark's rows, plain tuples, dicts by column name, or whole Arrow batches."""

Decoder = Callable[["pa.RecordBatch"], Iterable[Any]]
"""Makes the elements of one batch."""


def checked_form(as_: object, schema: "StructType") -> str:
    """Check the argument `as_` against the forms and the columns.

    Raises:
        ArgumentTypeError: It is no text.
        ArgumentError: It is no form, or dicts are wanted of columns with the same name.
    """
    form = checked_choice("as_", as_, ROW_FORMS)
    names = schema.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if form == "dicts" and twice:
        raise ArgumentError(
            f"as_='dicts' needs columns of different names, got {twice[0]!r} twice; rename one with withColumnsRenamed"
        )
    return form


def decoder(form: str, schema: "StructType") -> Decoder:
    """Return the function from a batch to its elements.

    Args:
        form: One of `ROW_FORMS`.
        schema: Schema of the DataFrame that the batches come from.
    """
    if form == "batches":
        return whole_batch
    names = schema.fieldNames()
    readers = [reader_of(field.dataType) for field in schema.fields]
    tuples = partial(batch_tuples, readers)
    if form == "tuples":
        return tuples
    if form == "dicts":
        return partial(batch_dicts, names, tuples)
    # tuple.__new__ and not the class: Row's own constructor looks at its arguments one by one, in Python.
    make = partial(tuple.__new__, row_class(names))
    return lambda batch: map(make, tuples(batch))


def whole_batch(batch: "pa.RecordBatch") -> "list[pa.RecordBatch]":
    """Return the batch as the only element, or nothing for an empty one."""
    return [batch] if batch.num_rows else []


def batch_tuples(readers: list[Callable[[Any], Any] | None], batch: "pa.RecordBatch") -> Iterable[tuple[Any, ...]]:
    """Return the rows of a batch as tuples, converted a column at a time."""
    if not readers:
        return [()] * batch.num_rows
    return zip(*map(column_values, batch.columns, readers), strict=True)


def batch_dicts(names: list[str], tuples: Decoder, batch: "pa.RecordBatch") -> Iterable[dict[str, Any]]:
    """Return the rows of a batch as dicts."""
    return [dict(zip(names, values, strict=True)) for values in tuples(batch)]


def row_class(names: list[str]) -> type["Row"]:
    """Return a subclass of Spark's `Row` for these columns, whose attributes need no search.

    Its rows equal, print, index and pickle as Spark's own; only `row.column` is a property instead of a search through
    the names. A column named like a method of tuples (`count`, `index`) is reached by `row["count"]` alone, as with
    Spark's own.
    """
    from pyspark.sql import Row

    members: dict[str, Any] = {"__fields__": list(names), "__doc__": f"A row of {', '.join(names) or 'no columns'}."}
    for position, name in reversed([*enumerate(names)]):
        if not hasattr(Row, name):
            members[name] = property(itemgetter(position))
    return type("Row", (Row,), members)
