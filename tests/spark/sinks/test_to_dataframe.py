"""A stream as a batch DataFrame: order, types, bounded files, and what is left behind."""

import datetime as dt
import decimal
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams import Publisher, Stream, Subscription
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark import PipelineError, from_dataframe, to_dataframe
from reactivestreams.spark import to_dataframe as to_dataframe_function
from tests.spark.stream_cases import SCHEMA, batch, pairs

pytestmark = pytest.mark.spark

MODULE = sys.modules[to_dataframe_function.__module__]


@pytest.fixture
def files_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "ROWS_A_FILE", 10)
    monkeypatch.setattr(MODULE, "ENCODED_ROWS", 5)


@pytest.fixture(params=["in files", "inside"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where the elements of a DataFrame are: in files here, or inside the DataFrame as on a cluster."""
    if request.param == "inside":
        monkeypatch.setattr(MODULE, "runs_on_one_machine", lambda _: False)
    return request.param


@pytest.mark.usefixtures("files_of_ten")
def test_rows_keep_order_and_types_over_several_files(spark: Any, tmp_path: Path) -> None:
    df = to_dataframe(pairs(0, 34), SCHEMA, session=spark, folder=tmp_path)

    assert [tuple(row) for row in df.collect()] == [(number, str(number)) for number in range(34)]
    assert (df.rdd.getNumPartitions(), df.schema["id"].nullable) == (4, False)
    assert df.filter("id >= 30").count() == 4
    assert len(list(tmp_path.glob("*/*.arrow"))) == 4


@pytest.mark.smoke
def test_stream_comes_back_from_its_dataframe(spark: Any) -> None:
    df = to_dataframe(pairs(0, 7), SCHEMA, session=spark)

    assert from_dataframe(df, as_="tuples").to_list() == pairs(0, 7).to_list()


TYPES = (
    "id bigint not null, at timestamp, local timestamp_ntz, day date, price decimal(10,2), tags array<string>, "
    "times array<timestamp>, counts map<string,int>, place struct<x: double, y: timestamp>, raw binary, small tinyint"
)
NOON = dt.datetime(2024, 3, 31, 12, 30, 15, 250_000)  # noqa: DTZ001 - as Spark gives them


@pytest.mark.usefixtures("files_of_ten")
def test_types_order_and_nulls_are_the_same_in_files_and_inside(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        (
            id_,
            NOON,
            NOON,
            NOON.date(),
            decimal.Decimal("1.50"),
            ["a", "b"],
            [NOON, None],
            {"a": 1},
            (0.5, NOON),
            b"x",
            7,
        )
        if id_ % 3
        else (id_, *[None] * 10)
        for id_ in range(32)
    ]

    in_files = to_dataframe(Stream.from_iterable(rows), TYPES, session=spark)
    monkeypatch.setattr(MODULE, "runs_on_one_machine", lambda _: False)
    inside = to_dataframe(Stream.from_iterable(rows), TYPES, session=spark)

    assert inside.schema == in_files.schema
    assert inside.collect() == in_files.collect()
    assert [row.id for row in inside.collect()] == list(range(32))
    assert inside.collect()[1].place.y == NOON


@pytest.mark.usefixtures("files_of_ten")
def test_dataframe_without_files_has_a_bound(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "runs_on_one_machine", lambda _: False)
    monkeypatch.setattr(MODULE, "MAX_SHIPPED_BYTES", 500)
    sent: list[int] = []

    def row(number: int) -> tuple[int, str]:
        sent.append(number)
        return number, str(number)

    with pytest.raises(CapacityError, match=r"the first \d+ rows of the stream have \d+ bytes, .* 500, .*pass folder="):
        to_dataframe(Stream.range(10**9).map(row), SCHEMA, session=spark)

    assert len(sent) < 2 * MODULE.ELEMENTS_AHEAD
    assert to_dataframe(pairs(0, 9), SCHEMA, session=spark).count() == 9


@pytest.mark.usefixtures("way")
def test_empty_stream_is_an_empty_dataframe(spark: Any) -> None:
    df = to_dataframe(Stream.empty(), SCHEMA, session=spark)

    assert (df.collect(), df.columns) == ([], ["id", "name"])


@pytest.mark.usefixtures("way")
def test_batches_are_requested_one_by_one(spark: Any) -> None:
    requested: list[int] = []

    class Batches(Publisher[Any]):
        def subscribe(self, subscriber: Any, /) -> None:
            class Own(Subscription):
                sent = 0

                def request(self, n: int, /) -> None:
                    requested.append(n)
                    for _ in range(n):
                        if self.sent == 3:
                            subscriber.on_complete()
                            return
                        self.sent += 1
                        subscriber.on_next(batch(self.sent, 1))

                def cancel(self) -> None:
                    pass

            subscriber.on_subscribe(Own())

    df = to_dataframe(Batches(), SCHEMA, session=spark, as_="batches")

    assert [row.id for row in df.collect()] == [1, 2, 3]
    assert set(requested) == {1}


@pytest.mark.usefixtures("files_of_ten")
@pytest.mark.parametrize(
    ("stream", "complaint"),
    [
        (pairs(0, 30).map(lambda row: row if row[0] != 23 else (None, "x")), "element 23 .*column 'id'"),
        (
            Stream.just(batch(0, 2), pa.record_batch({"id": ["a"], "name": ["b"]})),
            "element 1 .*does not fit the schema",
        ),
    ],
)
def test_schema_mismatch_is_named_and_leaves_no_files(spark: Any, stream: Any, complaint: str, tmp_path: Path) -> None:
    form = "rows" if "23" in complaint else "batches"

    with pytest.raises(PipelineError, match=complaint):
        to_dataframe(stream, SCHEMA, session=spark, folder=tmp_path, as_=form)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("files_of_ten")
def test_failing_stream_raises_its_own_error_and_leaves_no_files(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        to_dataframe(
            Stream.range(30).map(lambda number: (1 // (25 - number), "")), SCHEMA, session=spark, folder=tmp_path
        )

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"stream": [1, 2]}, ArgumentTypeError, r"stream must be a Stream .*got \[1, 2\] \(list\)"),
        ({"schema": 3}, ArgumentTypeError, "schema must be"),
        ({"schema": "id nonsense"}, ArgumentError, "cannot be used"),
        ({"session": "spark"}, ArgumentTypeError, "session must be a SparkSession, got 'spark'"),
        ({"as_": "tuples"}, ArgumentError, "as_ must be one of 'rows', 'batches', got 'tuples'"),
        ({"as_": None}, ArgumentTypeError, "as_ must be a str"),
        ({"folder": 1}, ArgumentTypeError, "folder must be a path"),
        ({"folder": "/no/such/folder"}, ArgumentError, "which is not a folder"),
    ],
)
def test_bad_argument_is_refused(spark: Any, arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        to_dataframe(**{"stream": pairs(0, 1), "schema": SCHEMA, "session": spark, **arguments})
