"""Elements become batches of a schema; what does not fit is named with column, value and row."""

import datetime as dt
from collections import namedtuple
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row
from pyspark.sql import types as t

from reactivestreams.spark import RowEncodingError
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS, RowEncoder

Flight = namedtuple("Flight", "carrier delay")  # noqa: PYI024 - a named tuple of the plain kind is what is tested
SCHEMA = t.StructType([t.StructField("carrier", t.StringType(), nullable=False), t.StructField("delay", t.LongType())])


def encoded(elements: Any, schema: t.StructType = SCHEMA) -> list[dict[str, Any]]:
    return [row for batch in RowEncoder(schema).encode(elements) for row in batch.to_pylist()]


LONG, REQUIRED = t.StructField("id", t.LongType()), t.StructField("id", t.LongType(), nullable=False)


def test_every_form_of_a_row_is_accepted() -> None:
    rows = [("UA", 1), ["UA", 1], Row(carrier="UA", delay=1), Flight("UA", 1), {"delay": 1, "carrier": "UA"}]

    assert encoded(rows) == [{"carrier": "UA", "delay": 1}] * 5


def test_batches_are_of_bounded_size_and_keep_the_order() -> None:
    batches = list(RowEncoder(SCHEMA).encode(("UA", number) for number in range(ENCODED_BATCH_ROWS + 5)))

    assert [batch.num_rows for batch in batches] == [ENCODED_BATCH_ROWS, 5]
    assert batches[1].column(1).to_pylist() == list(range(ENCODED_BATCH_ROWS, ENCODED_BATCH_ROWS + 5))


def test_nothing_becomes_no_batch() -> None:
    assert list(RowEncoder(SCHEMA).encode([])) == []


def test_whole_batches_pass_between_rows_in_order() -> None:
    batch = pa.record_batch({"carrier": ["AA"], "delay": pa.array([2], pa.int32())})

    assert [row["carrier"] for row in encoded([("UA", 1), batch, ("DL", 3)])] == ["UA", "AA", "DL"]


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"carrier": ["AA"]}, r"has the columns \['carrier'\]"),
        ({"carrier": ["AA"], "delay": ["late"]}, "does not fit the schema"),
        ({"carrier": [None], "delay": [1]}, "with null values to non-nullable"),
    ],
)
def test_batch_that_does_not_fit_is_refused(columns: Any, complaint: str) -> None:
    with pytest.raises(RowEncodingError, match=complaint):
        encoded([pa.record_batch(columns)])


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (("UA", 1.5), r"column 'delay' \(bigint\) cannot hold 1.5 of type float: it takes int; row: \('UA', 1.5\)"),
        (("UA", "late"), "column 'delay' .* cannot hold 'late' of type str"),
        (("UA", True), "column 'delay' .* cannot hold True of type bool"),
        (("UA", 2**63), "column 'delay' .* cannot hold 9223372036854775808"),
        ((5, 1), r"column 'carrier' \(string\) cannot hold 5 of type int: it takes str"),
        ((None, 1), "column 'carrier' .* cannot hold None .* NOT NULL"),
        (("UA",), "must have 2 values for the columns carrier, delay, got 1"),
        ({"carrier": "UA", "late": 1}, r"missing: \['delay'\], unknown: \['late'\]"),
        (7, "must be a tuple, a list, a Row, a dict or an object of a dataclass, got int 7"),
        (None, "must be a tuple, a list, a Row, a dict or an object of a dataclass, got NoneType"),
    ],
)
def test_row_that_does_not_fit_is_named(row: Any, complaint: str) -> None:
    with pytest.raises(RowEncodingError, match=complaint) as caught:
        encoded([("UA", 1), row, ("UA", 2)])

    assert caught.value.row == repr(row)


def test_batch_with_the_types_of_the_schema_is_passed_on_as_it_is() -> None:
    batch = pa.record_batch({"id": pa.array([1, None], pa.int64()), "tags": pa.array([["a"], [None]])})

    (passed,) = RowEncoder(t.StructType([LONG, t.StructField("tags", t.ArrayType(t.StringType()))])).encode([batch])

    assert passed is batch


@pytest.mark.parametrize("field", [REQUIRED, t.StructField("s", t.StructType([REQUIRED]))])
def test_null_in_a_batch_is_refused_where_the_schema_does_not_take_it(field: t.StructField) -> None:
    encoder = RowEncoder(t.StructType([field]))
    values = pa.array([1, None], pa.int64())
    kind = encoder.arrow.types[0]
    column = values if kind == pa.int64() else pa.StructArray.from_arrays([values], fields=list(kind))
    batch = pa.RecordBatch.from_arrays([column], schema=encoder.arrow)

    with pytest.raises(RowEncodingError, match="a batch does not fit the schema"):
        list(encoder.encode([batch]))


@pytest.mark.parametrize(
    ("data_type", "value"),
    [
        (t.BooleanType(), True),
        (t.ByteType(), -128),
        (t.DoubleType(), 2.5),
        (t.StringType(), "ü"),
        (t.BinaryType(), b"\x00"),
        (t.DateType(), dt.date(2013, 1, 1)),
        (t.TimestampNTZType(), dt.datetime(2013, 1, 1, 5)),  # noqa: DTZ001 - the type has no zone
        (t.DecimalType(10, 2), Decimal("1.25")),
        (t.ArrayType(t.LongType()), [1, None]),
        (t.StructType([t.StructField("x", t.LongType())]), {"x": 1}),
    ],
)
def test_value_of_each_type_arrives_unchanged(data_type: t.DataType, value: Any) -> None:
    schema = t.StructType([t.StructField("column", data_type)])

    assert encoded([(value,), (None,)], schema) == [{"column": value}, {"column": None}]


def test_map_becomes_pairs() -> None:
    schema = t.StructType([t.StructField("column", t.MapType(t.StringType(), t.LongType()))])

    assert encoded([({"a": 1},)], schema) == [{"column": [("a", 1)]}]


def test_value_whose_repr_raises_is_still_refused_with_a_message() -> None:
    class Silent:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(RowEncodingError, match="got Silent <Silent whose repr raises RuntimeError>"):
        encoded([Silent()])
