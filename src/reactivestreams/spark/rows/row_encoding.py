"""Conversion of a pipeline's elements into Arrow batches of a schema, column by column."""

import datetime as dt
import decimal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from types import NoneType
from typing import TYPE_CHECKING, Any, SupportsIndex

from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import RowEncodingError
from reactivestreams.spark.rows.arrow_values import arrow_schema, writer_of
from reactivestreams.spark.rows.row_classes import field_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import DataType, StructType

__all__ = ["ENCODED_BATCH_ROWS", "RowEncoder", "short_repr"]

ENCODED_BATCH_ROWS = 10_000
"""Rows per batch of the result; Spark's default for Arrow batches."""

TRANSPOSED_ROWS = 256
"""How many rows are transposed at a time."""

OTHER_FORM = "the value has another form"
"""The message if one of Spark's conversions asserts without a text."""

LONGEST_REPR_CHARACTERS = 200
"""Maximum length of a representation in a message."""


class RowEncoder:
    """Encodes rows as Arrow batches.

    A row is a tuple (also Spark's `Row` and named tuples) or a list with the values in the order of the schema, or a
    dict, or an object of a dataclass or a model of pydantic, with exactly the schema's names. An Arrow batch whose
    columns fit passes unchanged. Values are not converted to another kind: a float does not fit an integer column, a
    number does not fit a text column.

    Args:
        schema: Schema of the result.
    """

    def __init__(self, schema: "StructType") -> None:
        self.schema = schema
        self.names: list[str] = schema.fieldNames()
        self.arrow: pa.Schema = arrow_schema(schema)
        self.takes_nulls: bool = "not null" not in str(self.arrow)
        """Whether any value, also inside of others, may be null, so that a batch with these types fits."""
        self.columns: list[ColumnEncoder] = [
            ColumnEncoder(kind, accepted_types(field.dataType), column_writer(field.dataType), field.nullable)
            for field, kind in zip(schema.fields, self.arrow.types, strict=True)
        ]

    def encode(self, elements: Iterable[Any]) -> "Iterator[pa.RecordBatch]":
        """Yield batches of the elements, in order.

        Raises:
            RowEncodingError: A row does not fit; the message names the column, the value and the row.
        """
        import pyarrow as pa

        elements = iter(elements)
        for first in elements:
            if isinstance(first, pa.RecordBatch):
                yield self.fitted(first)
                continue
            chunk = [first, *islice(elements, ENCODED_BATCH_ROWS - 1)]
            kinds = set(map(type, chunk))
            if pa.RecordBatch in kinds:
                yield from self.mixed(chunk)
            else:
                yield self.batch(chunk, kinds)

    def mixed(self, chunk: list[Any]) -> "Iterator[pa.RecordBatch]":
        """Yield the batches of a chunk that contains whole batches."""
        import pyarrow as pa

        rows: list[Any] = []
        for element in chunk:
            if not isinstance(element, pa.RecordBatch):
                rows.append(element)
                continue
            if rows:
                yield self.batch(rows, set(map(type, rows)))
                rows = []
            yield self.fitted(element)
        if rows:
            yield self.batch(rows, set(map(type, rows)))

    def fitted(self, batch: "pa.RecordBatch") -> "pa.RecordBatch":
        """Return a whole batch with exactly the types of the schema."""
        import pyarrow as pa

        if self.takes_nulls and batch.schema.equals(self.arrow):
            return batch
        if batch.schema.names != self.names:
            raise RowEncodingError(
                f"a batch has the columns {batch.schema.names}, but the schema has {self.names}; select or rename them"
            )
        try:
            # Also refuses a null in a NOT NULL column.
            return batch.cast(self.arrow)
        except (pa.ArrowException, ValueError) as error:
            raise RowEncodingError(
                f"a batch does not fit the schema: {first_line(error)}; cast its columns to {self.arrow.types}"
            ) from error

    def batch(self, rows: list[Any], kinds: set[type]) -> "pa.RecordBatch":
        """Return the batch of some rows of these types."""
        import pyarrow as pa

        transposed = self.transposed(rows, kinds)
        columns = [self.column(position, values, rows) for position, values in enumerate(transposed)]
        return pa.RecordBatch.from_arrays(columns, schema=self.arrow)

    def transposed(self, rows: list[Any], kinds: set[type]) -> list[list[Any]]:
        """Return the columns of some rows."""
        if all(issubclass(kind, tuple) for kind in kinds) and len(rows[0]) == len(self.names):
            # Tuples need no check one by one, unless a length differs.
            with suppress(ValueError):
                return self.columns_of(rows)
        if len(kinds) == 1 and field_names(*kinds) == tuple(self.names):
            return [[*map(attrgetter(name), rows)] for name in self.names]
        return self.columns_of([*map(self.values_of, rows)])

    def columns_of(self, rows: list[Any]) -> list[list[Any]]:
        """Return the columns of rows that are tuples or lists, some rows at a time.

        `zip` makes an iterator per row. For all rows at once these would make the garbage collector traverse the whole
        heap again and again.
        """
        columns: list[list[Any]] = [[] for _ in self.names]
        for start in range(0, len(rows), TRANSPOSED_ROWS):
            for column, values in zip(columns, zip(*rows[start : start + TRANSPOSED_ROWS], strict=True), strict=True):
                column.extend(values)
        return columns

    def values_of(self, row: Any) -> tuple[Any, ...] | list[Any]:
        """Return the values of one row in the order of the columns."""
        if isinstance(row, (tuple, list)):
            if len(row) != len(self.names):
                raise RowEncodingError(
                    f"a row must have {len(self.names)} values for the columns {', '.join(self.names)}, got "
                    f"{len(row)}: {short_repr(row)}; let the last operator return one value per column",
                    row=short_repr(row),
                )
            return row
        kind: type = type(row)
        names = row.keys() if isinstance(row, dict) else field_names(kind)
        if names is not None:
            if set(names) != set(self.names):
                missing = [name for name in self.names if name not in names]
                unknown = [name for name in names if name not in self.names]
                raise RowEncodingError(
                    f"a row must have the keys {', '.join(self.names)}; missing: {missing}, unknown: {unknown}, in "
                    f"{short_repr(row)}; let the last operator return one entry per column",
                    row=short_repr(row),
                )
            return [row[name] if isinstance(row, dict) else getattr(row, name) for name in self.names]
        raise RowEncodingError(
            f"a row must be a tuple, a list, a Row, a dict or an object of a dataclass, got {type(row).__name__} "
            f"{short_repr(row)}; let the last operator return one, such as ({', '.join(self.names)},)",
            row=short_repr(row),
        )

    def column(self, position: int, values: list[Any], rows: list[Any]) -> "pa.Array[Any]":
        """Return one column; if that fails, find the value that does not fit."""
        field, encoder = self.schema.fields[position], self.columns[position]
        try:
            return encoder.array(values)
        except Exception as failure:
            for value, row in zip(values, rows, strict=True):
                try:
                    encoder.array((value,))
                except Exception as error:
                    raise RowEncodingError(
                        f"column {field.name!r} ({field.dataType.simpleString()}) cannot hold {short_repr(value)} of "
                        f"type {type(value).__name__}: {first_line(error, otherwise=OTHER_FORM)}; row: "
                        f"{short_repr(row)}; convert the value in the last operator, or change the type of the column",
                        row=short_repr(row),
                    ) from error
            # Each value fits, so the whole column fails, for example because of its size.
            raise RowEncodingError(
                f"column {field.name!r} cannot be encoded: {first_line(failure, otherwise=OTHER_FORM)}; use shorter "
                "values"
            ) from failure


def accepted_types(data_type: "DataType") -> tuple[type, ...]:
    """Return the Python types that a column takes, the plainest first; empty if the conversion decides.

    Arrow by itself would cut a float to an integer, and read an integer as a date.
    """
    from pyspark.sql import types

    accepted: dict[type, tuple[type, ...]] = {
        types.ByteType: (int, SupportsIndex),
        types.ShortType: (int, SupportsIndex),
        types.IntegerType: (int, SupportsIndex),
        types.LongType: (int, SupportsIndex),
        types.StringType: (str,),
        types.BinaryType: (bytes, bytearray, memoryview),
        types.DateType: (dt.date,),
        types.TimestampType: (dt.datetime,),
        types.TimestampNTZType: (dt.datetime,),
        types.DecimalType: (decimal.Decimal, int),
    }
    return accepted.get(type(data_type), ())


def column_writer(data_type: "DataType") -> Callable[[Any], Any] | None:
    """Return the conversion of a column's values before Arrow takes them; None where it takes them as they are."""
    from pyspark.sql.types import BinaryType, StringType

    if isinstance(data_type, (BinaryType, StringType)):
        return None
    return writer_of(data_type)


@dataclass(frozen=True, slots=True)
class ColumnEncoder:
    """Builds the Arrow array of one column."""

    arrow_type: "pa.DataType"
    accepted: tuple[type, ...]
    writer: Callable[[Any], Any] | None
    nullable: bool

    def array(self, values: Sequence[Any]) -> "pa.Array[Any]":
        """Return the array of some values; raise if one does not fit."""
        import pyarrow as pa

        array = self.inferred(values)
        if array is None:
            for kind in set(map(type, values)):
                if self.accepted and not issubclass(kind, (*self.accepted, NoneType)):
                    raise TypeError(f"it takes {self.accepted[0].__name__}")
            array = pa.array(values if self.writer is None else [*map(self.writer, values)], self.arrow_type)
        if array.null_count and not self.nullable:
            raise ValueError("the schema says NOT NULL")
        return array

    def inferred(self, values: Sequence[Any]) -> "pa.Array[Any] | None":
        """Return the array if Arrow infers this type from values of accepted types, else None.

        That is faster than checking the types first.
        """
        import pyarrow as pa

        if self.accepted and self.writer is None:
            with suppress(pa.ArrowException):
                array = pa.array(values)
                if array.type == self.arrow_type:
                    return array
        return None


def short_repr(value: object) -> str:
    """Return the representation of a value in one line of bounded length."""
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= LONGEST_REPR_CHARACTERS else f"{text[:LONGEST_REPR_CHARACTERS]}…"
