"""One Spark session for the whole run: starting it takes seconds."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

if find_spec("pyspark") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return the quiet session of this run, with two threads and the settings for small data."""
    from reactivestreams.spark import session

    running = session("local[2]", fast=True, config={"spark.sql.session.timeZone": "Europe/Berlin"})
    yield running
    running.stop()
