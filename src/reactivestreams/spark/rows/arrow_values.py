"""Conversion between the values of Arrow columns and Spark's Python values.

Only this file uses the conversions of `pyspark.sql.conversion`. They are not public, but they define what
`DataFrame.collect()` and Python functions get for each type (timestamps without zone in local time, maps as dicts,
structs as rows, user-defined types); a second implementation would sooner or later differ. `requirements.py` pins the
version.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import DataType, StructType

__all__ = ["arrow_schema", "column_values", "reader_of", "spark_schema", "writer_of"]

Conversion = Callable[[Any], Any]


def arrow_schema(schema: "StructType", *, large_types: bool = False) -> "pa.Schema":
    """Return the Arrow schema of a DataFrame's schema; timestamps are in UTC, as in `DataFrame.toArrow`."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(
        schema,
        error_on_duplicated_field_names_in_struct=True,
        timezone="UTC",
        prefers_large_types=large_types,
    )


def spark_schema(schema: "pa.Schema") -> "StructType":
    """Return the schema of a DataFrame for an Arrow schema.

    Raises:
        PySparkException: Spark has no such type.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def reader_of(data_type: "DataType") -> Conversion | None:
    """Return a function from a value of `to_pylist` to Spark's Python value; None if they are the same."""
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    reader: Conversion | None = ArrowTableToRowsConversion._create_converter(
        data_type, none_on_identity=True, binary_as_bytes=True
    )
    return reader


def writer_of(data_type: "DataType") -> Conversion | None:
    """Return a function from Spark's Python value to a value for Arrow; None if they are the same.

    The function raises if the value does not fit. None fits every type.
    """
    from pyspark.sql.conversion import LocalDataToArrowConversion

    writer: Conversion | None = LocalDataToArrowConversion._create_converter(
        data_type, True, none_on_identity=True, int_to_decimal_coercion_enabled=True
    )
    return writer


def column_values(column: "pa.Array[Any]", reader: Conversion | None) -> list[Any]:
    """Return the values of a column as Spark's Python values."""
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    values: list[Any] = ArrowTableToRowsConversion._to_pylist(column)
    return values if reader is None else [reader(value) for value in values]
