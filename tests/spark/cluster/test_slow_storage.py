"""Storage whose servers stand still in the middle of a query with state: it waits, and no row is lost or repeated."""

import time

import pytest

from tests.spark.cluster.keyed_query import await_batch, await_rows, start_in_folder
from tests.spark.cluster.standalone import S3, STORAGE, Cluster
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, LAST_BATCH, require_results

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

STILL_SECONDS = 15.0


@pytest.mark.parametrize("storage", [STORAGE, S3], ids=["hdfs", "s3a"])
def test_query_waits_for_storage_that_stands_still(machines: Cluster, storage: str) -> None:
    base = f"{storage}/still"
    with machines.driver() as driver:
        driver.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        assert driver.run(await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        machines.machines["storage"].freeze()
        try:
            time.sleep(STILL_SECONDS)
        finally:
            machines.machines["storage"].thaw()
        there = driver.run(await_rows, base, timeout_seconds=ANSWER_SECONDS)

    require_results(there)
