"""Checks of the arguments that name a DataFrame, its columns or a count."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.requirements import require_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = [
    "checked_columns",
    "checked_count",
    "is_connect",
    "require_batch_dataframe",
    "require_dataframe",
    "require_streaming_dataframe",
]


def require_dataframe(df: object) -> "DataFrame":
    """Check that an argument is a DataFrame: batch or streaming, classic or of Spark Connect.

    Raises:
        ArgumentTypeError: It is not a DataFrame.
        SparkUnavailableError: PySpark is missing or of an unsupported version.
    """
    require_spark()
    from pyspark.sql import DataFrame

    if isinstance(df, DataFrame):
        return df
    raise ArgumentTypeError(
        f"df must be a Spark DataFrame, got {df!r:.200}; make one with session.createDataFrame(...) or session.read"
    )


def is_connect(df: object) -> bool:
    """Return whether a DataFrame belongs to Spark Connect, which exposes neither the plan nor the JVM."""
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    return not isinstance(df, ClassicDataFrame)


def require_batch_dataframe(df: object) -> None:
    """Check that an argument is a DataFrame that can be read here, classic or of Spark Connect.

    Raises:
        ArgumentTypeError: It is not a DataFrame.
        ArgumentError: It is a streaming DataFrame.
        SparkUnavailableError: PySpark is missing or of an unsupported version.
    """
    if require_dataframe(df).isStreaming:
        raise ArgumentError(
            "df is a streaming DataFrame, which never ends; pass a batch DataFrame, such as session.read gives, or "
            "read it with from_query"
        )


def require_streaming_dataframe(df: object) -> None:
    """Check that an argument is a streaming DataFrame whose batches can be read here.

    Raises:
        ArgumentTypeError: It is not a DataFrame.
        ArgumentError: It is a batch DataFrame.
        SparkUnavailableError: PySpark is missing or of an unsupported version.
    """
    require_spark()
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(
            f"streaming_df must be a Spark DataFrame, got {df!r:.200}; make one with session.readStream"
        )
    if not df.isStreaming:
        raise ArgumentError(
            "streaming_df is a batch DataFrame; read it with from_dataframe, or make a streaming one with "
            "session.readStream"
        )


def checked_columns(names: object, schema: "StructType") -> tuple[str, ...]:
    """Check the argument `order_by` and return its columns.

    Raises:
        ArgumentTypeError: It is neither a name nor an iterable of names.
        ArgumentError: A name is not a column, or its values cannot be compared.
    """
    from pyspark.sql.types import MapType, VariantType

    if names is None:
        return ()
    if isinstance(names, str):
        names = (names,)
    if not isinstance(names, Iterable):
        raise ArgumentTypeError(
            f"order_by must be the name of a column or several, got {names!r}; pass a text such as 'id'"
        )
    columns = tuple(names)
    for name in columns:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"order_by must contain names of columns, got {name!r}; pass texts such as 'id'")
        if name not in schema.fieldNames():
            raise ArgumentError(
                f"order_by names {name!r}, but the columns are {', '.join(schema.fieldNames())}; name one of these"
            )
        if isinstance(schema[name].dataType, (MapType, VariantType)):
            kind = schema[name].dataType.simpleString()
            raise ArgumentError(
                f"order_by names {name!r}, but values of type {kind} cannot be compared; name a number, a text or a "
                "time"
            )
    return columns


def checked_count(name: str, value: object, default: int, least: int, most: int) -> int:
    """Check a count and return it.

    Raises:
        ArgumentTypeError: It is not an int.
        ArgumentError: It is out of range.
    """
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentTypeError(f"{name} must be an int, got {value!r}; pass a number from {least} to {most}")
    if not least <= value <= most:
        raise ArgumentError(f"{name} must be from {least} to {most}, got {value}; {default} is the default")
    return value
