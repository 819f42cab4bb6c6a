"""Dataclasses, named tuples, typed dicts and models of pydantic are rows, and their type hints the columns."""

import datetime as dt
import functools
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple, NotRequired, Required, TypedDict

import pydantic
import pytest
from pyspark.sql.types import DecimalType, ShortType, StructType

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators import MapNotNone
from reactivestreams.spark import apply, explain, to_dataframe
from reactivestreams.spark.errors import PipelineError, RowEncodingError
from reactivestreams.spark.plan.result_schema import MADE_ELEMENTS, checked_schema
from reactivestreams.spark.rows.row_classes import class_schema, returned_class
from reactivestreams.spark.rows.row_encoding import RowEncoder
from reactivestreams.stream import pipeline


@dataclass(frozen=True)
class Leg:
    to: str
    km: float | None = None


@dataclass(frozen=True, slots=True)
class Flight:
    carrier: str
    delay: int | None
    at: dt.datetime
    day: dt.date
    took: dt.timedelta
    late: bool
    raw: bytes
    fee: Decimal
    exact: Annotated[Decimal, DecimalType(10, 2)]
    small: Annotated[int | None, "of few", ShortType()]
    tags: list[str]
    marks: tuple[int | None, ...]
    names: Sequence[str]
    sums: dict[str, float | None]
    seats: Mapping[int, list[int]]
    legs: list[Leg]


class Pair(NamedTuple):
    number: int
    text: str | None


class Entry(TypedDict):
    number: Required[int]
    text: str | None


class Model(pydantic.BaseModel):
    number: int
    text: str | None = None


@dataclass(slots=True)
class Slotted:
    number: int
    text: str | None = None


@dataclass
class Trip:
    legs: list[Leg]
    one: Leg | None
    model: Model | None


@dataclass
class Holder:
    inner: Slotted


def test_type_hints_are_the_columns() -> None:
    columns = {field.name: field for field in class_schema(Flight).fields}

    assert {name: field.dataType.simpleString() for name, field in columns.items()} == {
        "carrier": "string",
        "delay": "bigint",
        "at": "timestamp",
        "day": "date",
        "took": "interval day to second",
        "late": "boolean",
        "raw": "binary",
        "fee": "decimal(38,18)",
        "exact": "decimal(10,2)",
        "small": "smallint",
        "tags": "array<string>",
        "marks": "array<bigint>",
        "names": "array<string>",
        "sums": "map<string,double>",
        "seats": "map<bigint,array<bigint>>",
        "legs": "array<struct<to:string,km:double>>",
    }
    assert [name for name, field in columns.items() if field.nullable] == ["delay", "small"]
    assert '"containsNull":true' in columns["marks"].json()
    assert '"containsNull":false' in columns["tags"].json()
    assert '"valueContainsNull":true' in columns["sums"].json()


@pytest.mark.parametrize("kind", [Pair, Entry, Model, Slotted])
def test_rows_of_each_kind_of_class_are_encoded(kind: Callable[..., Any]) -> None:
    assert checked_schema(kind) == StructType().add("number", "long", False).add("text", "string")
    rows = [kind(number=1, text="x"), kind(number=2, text=None)]
    (batch,) = RowEncoder(checked_schema(kind)).encode(rows)
    assert batch.to_pylist() == [{"number": 1, "text": "x"}, {"number": 2, "text": None}]


def test_rows_of_several_kinds_are_mixed() -> None:
    rows = [Slotted(1, "a"), Model(number=2, text="b"), (3, "c"), {"text": "d", "number": 4}]
    (batch,) = RowEncoder(checked_schema(Model)).encode(rows)
    assert batch["text"].to_pylist() == ["a", "b", "c", "d"]


def test_nested_objects_are_encoded() -> None:
    (batch,) = RowEncoder(checked_schema(Trip)).encode([Trip([Leg("X", 1.5), Leg("Y")], Leg("Z"), Model(number=1))])
    assert batch.to_pylist() == [
        {
            "legs": [{"to": "X", "km": 1.5}, {"to": "Y", "km": None}],
            "one": {"to": "Z", "km": None},
            "model": {"number": 1, "text": None},
        }
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            Leg("X"),
            r"a row must have the keys number, text; missing: \['number', 'text'\], unknown: \['to', 'km'\], in",
        ),
        (
            Model.model_construct(number=None),
            r"column 'number' \(bigint\) cannot hold None .* the schema says NOT NULL",
        ),
        (object(), "a row must be a tuple, a list, a Row, a dict or an object of a dataclass, got object"),
    ],
)
def test_row_that_does_not_fit_is_refused(row: object, message: str) -> None:
    with pytest.raises(RowEncodingError, match=message):
        list(RowEncoder(checked_schema(Model)).encode([row]))


@dataclass
class Unknown:
    place: complex


@dataclass
class Either:
    value: int | str


@dataclass
class Tree:
    left: "list[Tree] | None"


class Loose(TypedDict):
    number: NotRequired[int]


class Missing(NamedTuple):
    number: "NotThere"  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            Unknown,
            "schema Unknown cannot be used: there is no type of Spark for field 'place' of <class 'complex'>; take",
        ),
        (Either, r"no type of Spark for field 'value' of int \| str; take bool, int"),
        (Tree, r"no type of Spark for field 'left' of list\[.*Tree\] \| None"),
        (Loose, "no type of Spark for field 'number' of typing.NotRequired"),
        (Holder, "no type of Spark for field 'inner' of <class '.*Slotted'>; take"),
        (namedtuple("Bare", "number"), "schema Bare cannot be used: field 'number' has no type hint"),  # noqa: PYI024
        (Missing, "schema Missing cannot be used, since its type hints cannot be resolved: name 'NotThere' is not"),
    ],
)
def test_class_without_columns_is_refused(kind: type, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        checked_schema(kind)


def test_what_is_no_class_of_rows_is_refused() -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"schema must be a DDL text, a StructType, or a dataclass, .*got <class 'int'>"
    ):
        checked_schema(int)


def as_model(row: Any) -> Model | None:
    return Model(number=row.id)


def as_pair(text: str, row: Any) -> Pair:
    return Pair(row.id, text)


def as_text(row: Any) -> str:
    return str(row)


def as_unknown(row: Any) -> "NotThere":  # type: ignore[name-defined]  # noqa: F821
    return row


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (as_model, Model),
        (functools.partial(as_pair, "x"), Pair),
        (Slotted, Slotted),
        (as_text, None),
        (as_unknown, None),
        (len, None),
        (lambda row: row, None),
    ],
)
def test_class_that_a_function_returns_is_known_by_its_hint(function: Any, kind: type | None) -> None:
    assert returned_class(function) is kind


def add(total: Slotted, row: Any) -> Slotted:
    return Slotted(total.number + row.id, total.text)


def by_index(row: Any, index: int) -> Pair:
    return Pair(index, None)


def of_parts(number: int, *rest: Any) -> Pair:
    return Pair(number, None)


@pytest.mark.spark
def test_schema_is_known_behind_each_operator_whose_elements_a_function_makes(spark: Any) -> None:
    stages = [
        pipeline().map(functools.partial(as_pair, "x")),
        pipeline().map_indexed(by_index),
        pipeline().map_not_none(as_model).map(lambda model: (model.number,)).starmap(of_parts),
        pipeline().key_by(lambda row: 0).scan(as_pair, ""),
    ]
    assert {each.operators[-1].definition for each in stages} == MADE_ELEMENTS - {MapNotNone}
    for each in (*stages, pipeline().map_not_none(as_model)):
        assert explain(each, spark.range(1), order_by="id").result_schema(None) == class_schema(Model)


@pytest.mark.spark
def test_schema_comes_from_the_last_function(spark: Any) -> None:
    numbers = spark.range(0, 4, 1, 1)

    def rows(stages: Any, **arguments: Any) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in apply(stages, numbers, **arguments).collect()]

    assert rows(pipeline().map_not_none(as_model).filter(lambda model: model.number > 1)) == [(2, None), (3, None)]
    assert rows(pipeline().map(functools.partial(as_pair, "x")))[0] == (0, "x")
    assert rows(pipeline().key_by(lambda row: 0).scan(add, Slotted(0)), order_by="id") == [
        (0, None),
        (1, None),
        (3, None),
        (6, None),
    ]
    assert rows(pipeline().map(lambda row: Model(number=row.id)), schema=Model)[3] == (3, None)
    with pytest.raises(
        ArgumentError, match="let the function of the last operator say with a type hint that it returns"
    ):
        rows(pipeline().map(as_model).map(lambda model: model))


@pytest.mark.spark
def test_stream_of_objects_becomes_a_dataframe(spark: Any) -> None:
    at = dt.datetime(2026, 1, 2, 3)  # noqa: DTZ001  # as Spark gives it back
    flight = Flight(
        *("UA", None, at, dt.date(2026, 1, 2), dt.timedelta(hours=2), True, b"x"),
        *(Decimal("1.5"), Decimal("2.25"), 3, ["a"], (1, None), ["n"], {"s": None}, {1: [2]}, [Leg("X", 1.0)]),
    )

    df = to_dataframe(Stream.just(flight), Flight, session=spark)

    (row,) = df.collect()
    assert df.schema == class_schema(Flight)
    assert row.asDict(recursive=True) == {
        **{name: getattr(flight, name) for name in df.columns},
        "marks": [1, None],
        "legs": [{"to": "X", "km": 1.0}],
    }
    with pytest.raises(PipelineError, match=r"element 0 .*unknown: .*'carrier'"):
        to_dataframe(Stream.just(flight), Model, session=spark)
