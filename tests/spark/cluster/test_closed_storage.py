"""Storage that refuses, is full or does not answer: the error says which, and no row is lost once it is mended."""

import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from tests.spark.cluster.keyed_query import SCHEMA, Rows
from tests.spark.cluster.standalone import BUCKET, S3, SHELL, STORAGE, Cluster, Driver
from tests.spark.keyed.test_keyed_streaming import made_rows

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

ROWS = 300
ADMINISTRATOR = "org.apache.hadoop.hdfs.tools.DFSAdmin"
CLOSED = """{"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:PutObject",
"Resource": "arn:aws:s3:::flights/closed/*"}]}"""
OPEN = """{"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:PutObject",
"Resource": "arn:aws:s3:::flights/nothing"}]}"""

Change = Callable[[Cluster], None]


@pytest.fixture(scope="module")
def guest(machines: Cluster) -> Iterator[Driver]:
    """A driver of a user who owns nothing on HDFS."""
    with machines.driver(variables={"HADOOP_USER_NAME": "guest"}) as running:
        yield running


def close_hdfs(cluster: Cluster) -> None:
    cluster.administer_hdfs(SHELL, "-mkdir", "/closed")


def open_hdfs(cluster: Cluster) -> None:
    cluster.administer_hdfs(SHELL, "-chmod", "777", "/closed")


def fill_hdfs(cluster: Cluster) -> None:
    cluster.administer_hdfs(SHELL, "-mkdir", "/full")
    cluster.administer_hdfs(SHELL, "-chmod", "777", "/full")
    cluster.administer_hdfs(ADMINISTRATOR, "-setSpaceQuota", "1m", "/full")


def enlarge_hdfs(cluster: Cluster) -> None:
    cluster.administer_hdfs(ADMINISTRATOR, "-clrSpaceQuota", "/full")


def close_s3(cluster: Cluster) -> None:
    cluster.put_s3(f"{BUCKET}?policy", CLOSED)


def open_s3(cluster: Cluster) -> None:
    cluster.put_s3(f"{BUCKET}?policy", OPEN)


def written(spark: Any, base: str, checkpoint: str) -> Any:
    """Write the rows; return what is there, or the error."""
    from reactivestreams.errors import ReactiveStreamsError
    from reactivestreams.spark import to_path, to_streaming_dataframe

    arriving = to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=100, tasks=2)
    try:
        assert to_path(arriving, f"{base}/out", checkpoint=checkpoint, trigger="available_now").await_end(120)
    except (ReactiveStreamsError, OSError) as error:
        return f"{type(error).__name__}: {error}"
    return [list(row) for row in spark.read.parquet(f"{base}/out").select("id", "key", "number", "at").collect()]


@pytest.mark.parametrize(
    ("base", "break_", "mend", "cause"),
    [
        (f"{STORAGE}/closed", close_hdfs, open_hdfs, "Permission denied: user=guest, access=WRITE"),
        (f"{STORAGE}/full", fill_hdfs, enlarge_hdfs, "quota"),
        (f"{S3}/closed", close_s3, open_s3, "403"),
    ],
    ids=["hdfs closed", "hdfs full", "s3 closed"],
)
def test_rows_are_written_once_storage_is_mended(
    machines: Cluster, guest: Driver, base: str, break_: Change, mend: Change, cause: str
) -> None:
    break_(machines)
    checkpoint = f"file://{machines.shared}/{base.replace(':', '').replace('/', '-')}"

    beside = guest.run(written, base, f"{base}/checkpoint")
    during = guest.run(written, base, checkpoint)
    mend(machines)
    after = guest.run(written, base, checkpoint)

    assert cause in beside
    assert base in beside
    assert cause in during
    assert base in during
    assert sorted(after) == [list(row) for row in made_rows(ROWS)]


def silent(spark: Any, scheme: str) -> list[Any]:
    """Use storage behind a port that answers nothing; return what is said, and whether it was said within seconds."""
    from reactivestreams.spark import to_path

    numbers = spark.readStream.format("rate").load()
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        # The queue of a server that accepts nothing takes one connection, and the system answers no further one.
        with socket.create_connection(("127.0.0.1", port)):
            spark.sparkContext._jsc.hadoopConfiguration().set("fs.s3a.endpoint", f"http://127.0.0.1:{port}")
            begun = time.monotonic()
            try:
                to_path(numbers, f"{scheme.format(port=port)}/o", checkpoint=f"{scheme.format(port=port)}/c")
            except ArgumentError as error:
                return [str(error).replace(str(port), "PORT"), time.monotonic() - begun < 60]
    return ["nothing", False]


@pytest.mark.parametrize(
    ("scheme", "source"),
    [("hdfs://127.0.0.1:{port}", "the URI"), ("s3a://silent", "the option spark.hadoop.fs.s3a.endpoint")],
)
def test_port_that_does_not_answer_is_named(guest: Driver, scheme: str, source: str) -> None:
    said, is_soon = guest.run(silent, scheme)

    assert f"127.0.0.1 accepts no connection at port PORT, which {source} names (timed out)" in said
    assert is_soon
