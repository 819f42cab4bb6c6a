"""A DataFrame of Spark Connect as a stream: on the client's own connection, as from a server on any machine."""

from typing import Any

import pyarrow as pa
import pytest

from reactivestreams.spark import SparkJobError, from_dataframe
from reactivestreams.spark.sources.dataframe_rows import ReceivedRows
from tests.spark.in_process import SparkProcess

pytestmark = pytest.mark.spark

COLUMNS = [
    "id", "CAST(id AS STRING) AS s", "IF(id % 3 = 0, NULL, id) AS n", "array(id, NULL) AS arr",
    "timestamp_seconds(id * 86400) AS t", "timestamp_ntz'2020-01-01 00:00:00' AS nt", "CAST(s AS BINARY) AS b",
    "map('a', id) AS m", "CAST(id AS DECIMAL(20,2)) AS dec", "struct(id, 'x' AS x) AS st",
]  # fmt: skip


def all_forms_against_collect(session: Any) -> list[bool]:
    frame = session.range(0, 60, 1, 4).selectExpr(*COLUMNS)
    rows = frame.collect()
    batches = from_dataframe(frame, as_="batches").to_list()
    return [
        from_dataframe(frame).to_list() == rows,
        from_dataframe(frame, as_="tuples", window=1).to_list() == [tuple(row) for row in rows],
        from_dataframe(frame, as_="dicts").to_list() == [row.asDict() for row in rows],
        pa.Table.from_batches(batches).equals(frame.toArrow()),
        from_dataframe(session.range(0)).to_list() == [],
        from_dataframe(session.range(0, 9, 1, 3).where("id > 6"), as_="tuples").to_list() == [(7,), (8,)],
    ]


def test_rows_equal_what_collect_gives(connect: SparkProcess) -> None:
    assert connect.run(all_forms_against_collect) == [True] * 6


def read_again(session: Any) -> list[Any]:
    rows = ReceivedRows(session.range(0, 6, 1, 2), form="tuples")
    first = next(iter(rows))
    return [first, rows.is_computed, len(list(rows)), rows.is_computed, len(list(rows))]


def test_rows_can_be_read_again(connect: SparkProcess) -> None:
    assert connect.run(read_again) == [[0], False, 6, True, 6]


def without_end(session: Any) -> Any:
    """Return a DataFrame of which the server sends one row, as all partitions but the first one have no end."""

    def endless(batches: Any) -> Any:
        import time

        for batch in batches:
            while batch.column(0)[0].as_py():
                time.sleep(0.01)
            yield batch

    return session.range(8, numPartitions=8).mapInArrow(endless, "id bigint")


def early_end(session: Any) -> list[Any]:
    return [from_dataframe(without_end(session), as_="tuples").take(1).to_list(), session.range(3).count()]


def test_leaving_early_ends_the_job(connect: SparkProcess) -> None:
    # If the job were not ended, the next one would find no free core.
    assert connect.run(early_end) == [[[0]], 3]


def failing(session: Any) -> list[str]:
    def fail(batches: Any) -> Any:
        for _ in batches:
            raise LookupError("no such airport")
        yield

    frames = (
        session.range(0, 40, 1, 4).selectExpr("assert_true(id < 25, 'too late in the year') AS a"),
        session.range(3).mapInArrow(fail, "id long"),
    )
    said = []
    for frame in frames:
        try:
            from_dataframe(frame).run()
        except SparkJobError as error:
            said.append(str(error))
    return said


def test_failing_job_is_reported_in_one_line(connect: SparkProcess) -> None:
    job, worker = connect.run(failing)

    assert "a Spark job of the DataFrame failed" in job
    assert "too late in the year" in job
    assert "failed: LookupError: no such airport; Spark's exception" in worker
    assert [text for text in (job, worker) if len(text) > 900 or "\n" in text] == []


def streaming(session: Any) -> str:
    try:
        from_dataframe(session.readStream.format("rate").load())
    except ValueError as error:
        return str(error)
    return "no error"


def test_streaming_dataframe_is_refused(connect: SparkProcess) -> None:
    assert "df is a streaming DataFrame, which never ends" in connect.run(streaming)
