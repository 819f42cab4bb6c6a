"""Machines of the cluster that are powered off in the middle of a query with state: no row is lost or repeated."""

from typing import Any

import pytest

from reactivestreams import Stream
from tests.spark.cluster.keyed_query import ROWS, await_batch, await_rows, start_in_folder, start_on_storage
from tests.spark.cluster.standalone import STORAGE, WORKERS, Cluster
from tests.spark.keyed.test_keyed_streaming import by_key, digests, made_rows

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

LAST_BATCH = 7
ANSWER_SECONDS = 250


def require_results(there: list[Any]) -> None:
    """Check that results are those of a thread, each once."""
    here = Stream.from_iterable(made_rows(ROWS)).through(digests()).to_list()
    assert by_key(map(tuple, there)) == by_key(here)


def test_worker_is_powered_off(machines: Cluster) -> None:
    base = f"{STORAGE}/worker"
    with machines.driver() as driver:
        driver.run(start_on_storage, base, timeout_seconds=ANSWER_SECONDS)
        assert driver.run(await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        machines.machines[WORKERS[0]].power_off()
        try:
            there = driver.run(await_rows, base, timeout_seconds=ANSWER_SECONDS)
        finally:
            machines.start_worker(WORKERS[0])

    require_results(there)


@pytest.mark.parametrize("is_shared", [False, True], ids=["on hdfs", "in a shared folder"])
def test_driver_is_powered_off(machines: Cluster, is_shared: bool) -> None:
    base = str(machines.shared / "driver") if is_shared else f"{STORAGE}/driver"
    start = start_in_folder if is_shared else start_on_storage
    with machines.driver() as first:
        first.run(start, base, timeout_seconds=ANSWER_SECONDS)
        assert first.run(await_batch, 2, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        first.power_off()
    with machines.driver() as second:
        second.run(start, base, timeout_seconds=ANSWER_SECONDS)
        there = second.run(await_rows, f"file://{base}" if is_shared else base, timeout_seconds=ANSWER_SECONDS)

    require_results(there)
