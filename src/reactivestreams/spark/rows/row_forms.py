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
"""The values of `as_`: Spark's rows, plain tuples, dicts by column name, or Arrow batches."""

Decoder = Callable[["pa.RecordBatch"], Iterable[Any]]
"""Decodes one batch into elements."""


def checked_form(as_: object, schema: "StructType") -> str:
    """Check the argument `as_` against the forms and the columns.

    Raises:
        ArgumentTypeError: The value is not a text.
        ArgumentError: It is not a form, or it is `"dicts"` and two columns have the same name.
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
    """Return a function that decodes a batch into elements.

    Args:
        form: One of `ROW_FORMS`.
        schema: Schema of the DataFrame.
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
    # tuple.__new__ instead of the class, because Row's constructor checks its arguments one by one in Python.
    make = partial(tuple.__new__, row_class(names))
    return lambda batch: map(make, tuples(batch))


def whole_batch(batch: "pa.RecordBatch") -> "list[pa.RecordBatch]":
    """Return the batch as the only element, or nothing for an empty one."""
    return [batch] if batch.num_rows else []


def batch_tuples(readers: list[Callable[[Any], Any] | None], batch: "pa.RecordBatch") -> Iterable[tuple[Any, ...]]:
    """Return the rows of a batch as tuples, converted column by column."""
    if not readers:
        return [()] * batch.num_rows
    return zip(*map(column_values, batch.columns, readers), strict=True)


def batch_dicts(names: list[str], tuples: Decoder, batch: "pa.RecordBatch") -> Iterable[dict[str, Any]]:
    """Return the rows of a batch as dicts."""
    return [dict(zip(names, values, strict=True)) for values in tuples(batch)]


def row_class(names: list[str]) -> type["Row"]:
    """Return a subclass of Spark's `Row` for these columns with fast attributes.

    Its rows compare, print, index and pickle like Spark's; only `row.column` is a property instead of a search through
    the names. As in Spark, a column named like a method of tuples (`count`, `index`) is available only as
    `row["count"]`.
    """
    from pyspark.sql import Row

    members: dict[str, Any] = {"__fields__": list(names), "__doc__": f"A row of {', '.join(names) or 'no columns'}."}
    for position, name in reversed([*enumerate(names)]):
        if not hasattr(Row, name):
            members[name] = property(itemgetter(position))
    return type("Row", (Row,), members)
