"""Classes whose objects are rows: dataclasses, named tuples, typed dicts and models of pydantic; and their columns."""

import dataclasses
import datetime as dt
import decimal
import functools
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from reactivestreams.errors import ArgumentError

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

__all__ = ["class_schema", "field_names", "returned_class"]

REMEDY = (
    "take bool, int, float, str, bytes, Decimal, date, datetime, timedelta, a list or dict of them, or another such "
    "class without slots, each or None; name another type of Spark such as Annotated[int, ShortType()]"
)


@functools.lru_cache(maxsize=256)
def field_names(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a class whose objects are rows; None of another class."""
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    if is_typeddict(cls):
        return tuple(cls.__annotations__)
    names: Any = getattr(cls, "_fields" if issubclass(cls, tuple) else "model_fields", None)
    return None if names is None else tuple(names)


def class_schema(cls: type, within: tuple[type, ...] = ()) -> "StructType":
    """Return the columns of a class whose objects are rows, from the type hints of its fields.

    A column takes nulls where its hint says `None`.

    Args:
        cls: A class with `field_names`.
        within: The classes whose field this one is, from outside to inside.

    Raises:
        ArgumentError: A hint is missing, cannot be resolved, or there is no type of Spark for it.
    """
    from pyspark.sql.types import StructField, StructType

    try:
        hints = get_type_hints(cls, include_extras=True)
    except (NameError, AttributeError, TypeError) as error:
        raise ArgumentError(
            f"schema {cls.__name__} cannot be used, since its type hints cannot be resolved: {error}; define the names "
            "where the class is, or pass a DDL text"
        ) from error
    columns = []
    for name in field_names(cls) or ():
        if name not in hints:
            raise ArgumentError(f"schema {cls.__name__} cannot be used: field {name!r} has no type hint; {REMEDY}")
        found, nullable = column_type(hints[name], (*within, cls))
        if found is None:
            raise ArgumentError(
                f"schema {cls.__name__} cannot be used: there is no type of Spark for field {name!r} of {hints[name]}; "
                f"{REMEDY}"
            )
        columns.append(StructField(name, found, nullable))
    return StructType(columns)


def returned_class(function: Callable[..., object]) -> type | None:
    """Return the class of rows that a function makes, as its type hints say; None if they do not."""
    while isinstance(function, functools.partial):
        function = function.func
    if isinstance(function, type):
        hint: Any = function
    else:
        try:
            hint = get_type_hints(function).get("return")
        except (NameError, AttributeError, TypeError):
            return None
        alternatives = [each for each in get_args(hint) if each is not NoneType]
        if get_origin(hint) in (Union, UnionType) and len(alternatives) == 1:
            (hint,) = alternatives
    return hint if isinstance(hint, type) and field_names(hint) else None


def column_type(hint: Any, within: tuple[type, ...]) -> "tuple[DataType | None, bool]":
    """Return Spark's type for a hint, None where there is none; and whether `None` is among its values.

    Args:
        hint: The hint.
        within: The classes in which it stands: Spark has no type for a class that contains itself.
    """
    from pyspark.sql import types

    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        kinds = [each for each in arguments if each is not NoneType]
        return (column_type(kinds[0], within)[0] if len(kinds) == 1 else None), len(kinds) < len(arguments)
    if origin is Required:
        return column_type(arguments[0], within)
    if origin is Annotated:
        found, nullable = column_type(arguments[0], within)
        return next((each for each in arguments[1:] if isinstance(each, types.DataType)), found), nullable
    if origin in (list, Sequence) or (origin is tuple and arguments[1:] == (...,)):
        element, nullable = column_type(arguments[0], within)
        return (None if element is None else types.ArrayType(element, nullable)), False
    if origin in (dict, Mapping):
        key, (value, nullable) = column_type(arguments[0], within)[0], column_type(arguments[1], within)
        return (None if key is None or value is None else types.MapType(key, value, nullable)), False
    if not isinstance(hint, type):
        return None, False
    if field_names(hint):
        # Spark's conversion reads the objects inside of a row by their dictionary.
        is_read = issubclass(hint, (tuple, dict)) or hint.__dictoffset__ != 0
        return (class_schema(hint, within) if is_read and hint not in within else None), False
    plain: dict[type, DataType] = {
        bool: types.BooleanType(),
        int: types.LongType(),
        float: types.DoubleType(),
        str: types.StringType(),
        bytes: types.BinaryType(),
        decimal.Decimal: types.DecimalType(38, 18),
        dt.date: types.DateType(),
        dt.datetime: types.TimestampType(),
        dt.timedelta: types.DayTimeIntervalType(),
    }
    return plain.get(hint), False
