"""A DataFrame of Spark Connect as a stream on the client's own connection, as from a server on another machine."""

from typing import Any

import pyarrow as pa
import pytest

from reactivestreams import Stream
from reactivestreams.spark import SparkJobError
from reactivestreams.spark.sources.received_rows import ReceivedRows
from tests.spark.in_process import SparkProcess
from tests.spark.sources.test_from_dataframe_connect import COLUMNS

pytestmark = pytest.mark.spark


def all_forms_against_collect(session: Any) -> list[bool]:
    frame = session.range(0, 60, 1, 4).selectExpr(*COLUMNS)
    rows = frame.collect()
    repeated = ReceivedRows(frame, form="rows")
    return [
        list(repeated) == rows,
        repeated.is_computed,
        list(repeated) == rows,
        list(ReceivedRows(frame, form="tuples")) == [tuple(row) for row in rows],
        pa.Table.from_batches(ReceivedRows(frame, form="batches")).equals(frame.toArrow()),
        list(ReceivedRows(session.range(0), form="rows")) == [],
    ]


def test_rows_equal_what_collect_gives(connect: SparkProcess) -> None:
    assert connect.run(all_forms_against_collect) == [True] * 6


def early_end(session: Any) -> list[Any]:
    def endless(batches: Any) -> Any:
        import time

        for batch in batches:
            while batch.column(0)[0].as_py():
                time.sleep(0.01)
            yield batch

    rows = ReceivedRows(session.range(8, numPartitions=8).mapInArrow(endless, "id bigint"), form="tuples")
    return [Stream.from_iterable(rows).take(1).to_list(), rows.is_computed, session.range(3).count()]


def test_leaving_early_ends_the_job(connect: SparkProcess) -> None:
    # All partitions but the first one are endless: the next job would find no free core.
    assert connect.run(early_end) == [[[0]], False, 3]


def failing(session: Any) -> str:
    frame = session.range(0, 40, 1, 4).selectExpr("assert_true(id < 25, 'too late in the year') AS a")
    try:
        list(ReceivedRows(frame, form="rows"))
    except SparkJobError as error:
        return str(error)
    return "no error"


def test_failing_job_is_reported_in_one_line(connect: SparkProcess) -> None:
    text = connect.run(failing)

    assert "too late in the year" in text
    assert "\n" not in text
