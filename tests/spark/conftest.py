"""One Spark session of each kind for the whole run, since starting one takes seconds; live elements that are closed."""

import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.spark.in_process import CONFIG, SparkProcess

if find_spec("pyspark") is None:
    collect_ignore_glob = ["*test_*.py"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return the quiet session of this run, with two threads and the settings for small data."""
    from reactivestreams.spark import session

    running = session("local[2]", fast=True, config=CONFIG)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[SparkProcess]:
    """Return a process whose session has two executors with one core each, as processes: `cluster.run(function)`."""
    with SparkProcess("cluster") as process:
        yield process


@pytest.fixture(scope="session")
def connect() -> Iterator[SparkProcess]:
    """Return a process whose session is one of Spark Connect, with a server of its own: `connect.run(function)`."""
    with SparkProcess("connect") as process:
        yield process


@pytest.fixture
def made_elements() -> Iterator[Any]:
    """Return the function that subscribes to a publisher for a query; what it makes is closed at the end."""
    from pyspark.sql.types import LongType, StructField, StructType

    from reactivestreams.spark.bridge.live_publisher_buffer import LivePublisherBuffer

    schema = StructType([StructField("id", LongType(), nullable=False), StructField("half", LongType())])
    opened: list[LivePublisherBuffer] = []

    def make(publisher: Any, *, form: str = "rows", log: Any = None) -> Any:
        opened.append(LivePublisherBuffer(publisher, schema, form=form, log=log, name=f"test-elements-{len(opened)}"))
        return opened[-1]

    yield make
    for elements in opened:
        elements.close()
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("test-elements")] == []
