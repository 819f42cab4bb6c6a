"""Disks of machines that are full: the query ends and says so, and loses nothing once there is space again."""

import time
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.spark.storage.shared_storage import SHARED_FOLDERS
from tests.spark.cluster import keyed_query
from tests.spark.cluster.standalone import STORAGE, WORKERS, Cluster
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, LAST_BATCH, require_results

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

LIVE_ROWS = 400
LIVE_SCHEMA = "id bigint, text string"
TEXT = "full" * 500

kept: list[Any] = []
"""The DataFrame of the live stream in this driver."""


def test_workers_whose_disks_are_full(machines: Cluster) -> None:
    base = f"{STORAGE}/full-workers"
    workers = [machines.machines[name] for name in WORKERS]
    with machines.driver() as first:
        first.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        assert first.run(keyed_query.await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        for worker in workers:
            worker.fill_disk()
        try:
            said = first.run(keyed_query.run_on, 10 * keyed_query.DEADLINE_SECONDS, timeout_seconds=ANSWER_SECONDS)
        finally:
            for worker in workers:
                worker.enlarge_disk()
    with machines.driver() as second:
        second.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        there = second.run(keyed_query.await_rows, base, timeout_seconds=ANSWER_SECONDS)

    assert "No space left on device" in said
    require_results(there)


def arriving() -> Any:
    """Yield rows of a live stream, which come one by one."""
    for number in range(LIVE_ROWS):
        time.sleep(0.02)
        yield number, TEXT


def start_live(spark: Any, base: str, log: str) -> None:
    """Start a query of a live stream, or start it again."""
    from reactivestreams.spark import to_path, to_streaming_dataframe

    if not kept:
        stream = Stream.from_iterable(arriving())
        kept.append(to_streaming_dataframe(stream, LIVE_SCHEMA, max_rows=20, tasks=1, log=log))
    keyed_query.running.append(to_path(kept[0], f"{base}/out", checkpoint=f"{base}/checkpoint"))


def numbers_of_all(spark: Any, base: str) -> list[int]:
    """Wait until all rows are written, stop the query, and return their numbers."""
    end = time.monotonic() + keyed_query.DEADLINE_SECONDS
    numbers: list[int] = []
    while len(numbers) < LIVE_ROWS and time.monotonic() < end:
        time.sleep(1)
        numbers = sorted(row.id for row in spark.read.parquet(f"{base}/out").select("id").collect())
    keyed_query.running[-1].stop()
    return numbers


def test_driver_whose_disk_with_the_log_is_full(machines: Cluster) -> None:
    base = f"{STORAGE}/full-driver"
    disk = machines.network.disk
    with machines.driver({SHARED_FOLDERS: str(disk)}) as driver:
        driver.run(start_live, base, f"{disk}/log", timeout_seconds=ANSWER_SECONDS)
        driver.run(keyed_query.await_batch, 1, timeout_seconds=ANSWER_SECONDS)
        driver.machine.fill_disk()
        try:
            said = driver.run(keyed_query.run_on, 10 * keyed_query.DEADLINE_SECONDS, timeout_seconds=ANSWER_SECONDS)
        finally:
            driver.machine.enlarge_disk()
        driver.run(start_live, base, f"{disk}/log", timeout_seconds=ANSWER_SECONDS)
        numbers = driver.run(numbers_of_all, base, timeout_seconds=ANSWER_SECONDS)

    assert f"cannot be written to {disk}/log" in said
    assert "free space" in said
    assert numbers == list(range(LIVE_ROWS))
