"""The servers that tests of the engine share."""

from collections.abc import Iterator

import pytest

from tests.engine import kafka_broker, postgres_server


@pytest.fixture(scope="module")
def conninfo() -> Iterator[str]:
    """Return where a PostgreSQL server is that runs for the tests of a module."""
    if reason := postgres_server.missing():
        pytest.skip(reason)
    with postgres_server.running() as conninfo:
        yield conninfo


@pytest.fixture(scope="module")
def broker() -> Iterator[kafka_broker.Broker]:
    """Return a Kafka broker that runs for the tests of a module."""
    if reason := kafka_broker.missing():
        pytest.skip(reason)
    with kafka_broker.running() as broker:
        yield broker
