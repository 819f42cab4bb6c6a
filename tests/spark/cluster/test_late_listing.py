"""Storage that lists a file seconds after it was written: no query starts there, since rows could be lost."""

from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from tests.spark.cluster import keyed_query
from tests.spark.cluster.keyed_query import SCHEMA, Rows
from tests.spark.cluster.standalone import STORAGE, Cluster, Driver
from tests.spark.cluster.test_power_off import ANSWER_SECONDS
from tests.spark.keyed.test_keyed_streaming import made_rows

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

ENDPOINT = "http://storage:5002"
LATE_SECONDS = "3"
BUCKET = "late"
LATE = f"s3a://{BUCKET}"
ROWS = 100


@pytest.fixture(scope="module")
def user(machines: Cluster) -> Iterator[Driver]:
    """A driver with a bucket that lists late."""
    server = machines.start_s3(ENDPOINT, "--late", LATE_SECONDS)
    machines.put_s3(BUCKET, endpoint=ENDPOINT)
    with machines.driver({f"spark.hadoop.fs.s3a.bucket.{BUCKET}.endpoint": ENDPOINT}) as running:
        yield running
    server.process.kill()


def refusals(spark: Any, log: str) -> dict[str, str]:
    """Return what each function says of the bucket."""
    from reactivestreams.spark import (
        close_bridge,
        for_each_batch,
        from_query,
        to_path,
        to_streaming_dataframe,
        to_table,
    )

    arriving = to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=50, tasks=2)
    keyed = keyed_query.results()
    live = to_streaming_dataframe(Stream.from_iterable(made_rows(ROWS)), SCHEMA, max_rows=50, log=log)
    good = f"{STORAGE}/beside-late"
    calls: dict[str, Any] = {
        "to_path": lambda: to_path(arriving, f"{LATE}/out", checkpoint=f"{good}/c1"),
        "to_path checkpoint": lambda: to_path(keyed, f"{good}/out", checkpoint=f"{LATE}/c2"),
        "to_table": lambda: to_table(arriving, "late", path=f"{LATE}/table", checkpoint=f"{good}/c3"),
        "for_each_batch": lambda: for_each_batch(arriving, print, checkpoint=f"{LATE}/c4"),
        "from_query": lambda: from_query(arriving, checkpoint=f"{LATE}/c5", as_="tuples").to_list(),
        "live": lambda: from_query(live, checkpoint=f"{LATE}/c6", as_="tuples").to_list(),
    }
    said = {}
    for name, call in calls.items():
        try:
            call()
        except OSError as error:
            said[name] = str(error)
    close_bridge(live)
    assert spark.streams.active == []
    return said


def test_storage_that_lists_late_is_refused(machines: Cluster, user: Driver) -> None:
    said = user.run(refusals, str(machines.shared / "log-late"), timeout_seconds=ANSWER_SECONDS)

    message = " does not list a file that was just written, and rows would be lost or repeated there"
    assert {name: text.partition(message)[0] for name, text in said.items()} == {
        "to_path": f"{LATE}/out",
        "to_path checkpoint": f"{LATE}/c2",
        "to_table": f"{LATE}/table",
        "for_each_batch": f"{LATE}/c4",
        "from_query": f"{LATE}/c5",
        "live": f"{LATE}/c6",
    }


def started_by_spark(spark: Any, base: str) -> str:
    """Start the keyed query with a sink of Spark, and return the error."""
    try:
        keyed_query.start_on_storage(spark, base)
    except Exception as error:
        return str(error)
    return "nothing"


def test_spark_starts_no_query_of_its_own_sinks_there(user: Driver) -> None:
    said = user.run(started_by_spark, f"{LATE}/own", timeout_seconds=ANSWER_SECONDS)

    assert f"FileNotFoundException: No such file or directory: {LATE}/own/checkpoint" in said
