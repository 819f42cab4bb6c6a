"""One Spark session of each kind for the whole run: starting one takes seconds."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.spark.in_process import CONFIG, SparkProcess

if find_spec("pyspark") is None:
    collect_ignore_glob = ["test_*.py"]


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
