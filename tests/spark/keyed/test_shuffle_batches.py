"""The order of a bucket's elements: that of Spark, for all types and however the rows were sent."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactivestreams.spark.keyed import shuffle_batches
from reactivestreams.spark.keyed.shuffle_batches import ShuffleDecoder
from reactivestreams.spark.rows.arrow_stream import batch_bytes
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.payload import payload_writer
from reactivestreams.spark.steps.step_results import RowsIn

KINDS: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "integer": ("integer", st.integers(-3, 3)),
    "double": ("double", st.sampled_from([-1.5, 0.0, -0.0, 2.0, math.inf, -math.inf, math.nan])),
    "text": ("string", st.sampled_from(["", "a", "ab", "Z", "ä", "\U0001f600", "\uffff"])),
    "flag": ("boolean", st.booleans()),
    "day": ("date", st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 4))),
    "number": ("decimal(6,2)", st.sampled_from([Decimal("1.00"), Decimal("-2.50"), Decimal("10.00")])),
    "bytes": ("binary", st.sampled_from([b"", b"a", b"\xff"])),
}


def place(value: Any) -> tuple[Any, ...]:
    """Return what compares as in Spark: nulls first, NaN last."""
    if value is None:
        return (0,)
    return (2,) if isinstance(value, float) and math.isnan(value) else (1, value)


@pytest.mark.parametrize(
    "kinds", [("integer",), ("double",), ("text",), ("double", "day"), ("flag", "number"), ("bytes",)]
)
@pytest.mark.parametrize("decoded", [2, 10_000])
def test_rows_are_sorted_as_in_spark_and_equal_ones_stay_as_read(
    kinds: tuple[str, ...], decoded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    monkeypatch.setattr(shuffle_batches, "DECODED_ROWS", decoded)
    types = [KINDS[kind] for kind in kinds]
    schema = StructType().add("id", "integer")
    for number, (name, _) in enumerate(types):
        schema = schema.add(f"key_{number}", name)
    keys = st.tuples(*(st.none() | values for _, values in types))

    @settings(deadline=None)
    @given(st.lists(st.lists(keys, max_size=6), min_size=1, max_size=4))
    def check(parts: list[list[tuple[Any, ...]]]) -> None:
        cells: list[tuple[int, int, bytes]] = []
        rows: list[tuple[Any, ...]] = []
        for number, part in enumerate(parts):
            part_rows = [(len(rows) + position, *values) for position, values in enumerate(part)]
            rows += part_rows
            columns = [list(column) for column in zip(*part_rows, strict=True)] or [[] for _ in range(len(kinds) + 1)]
            fields = arrow_schema(schema)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, fields, strict=True)]
            cells.append((0, number, batch_bytes(pa.RecordBatch.from_arrays(arrays, schema=fields))))
        order_by = tuple(f"key_{number}" for number in range(len(kinds)))
        sent_as_rows = ShuffleDecoder(RowsIn("tuples", schema), order_by).elements(cells[::-1])
        expected = [row[0] for row in sorted(rows, key=lambda row: tuple(map(place, row[1:])))]
        assert [row[0] for row in sent_as_rows] == expected

        write = payload_writer()
        as_elements = [
            (0, number, write(([[row[1 + at] for row in chosen] for at in range(len(kinds))], chosen)))
            for number, chosen in enumerate([rows[:3], rows[3:]])
        ]
        sent_as_elements = ShuffleDecoder(None, order_by).elements(as_elements)
        assert [row[0] for row in sent_as_elements] == expected

    check()


def test_elements_without_an_order_stay_as_read() -> None:
    write = payload_writer()
    cells = [(1, 0, write(([], [5]))), (0, 1, write(([], [3, 4]))), (0, 0, write(([], [1, 2])))]
    assert list(ShuffleDecoder(None, ()).elements(cells)) == [1, 2, 3, 4, 5]
