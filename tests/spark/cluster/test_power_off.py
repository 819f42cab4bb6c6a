"""Machines of the cluster that are powered off in the middle of a query with state: no row is lost or repeated."""

from typing import Any

import pytest

from reactivestreams import Stream
from tests.spark.cluster.keyed_query import (
    DEADLINE_SECONDS,
    ROWS,
    await_batch,
    await_rows,
    numbers_of,
    read_batches,
    run_on,
    start_in_folder,
    start_numbers,
    start_on_storage,
)
from tests.spark.cluster.standalone import S3, STORAGE, WORKERS, Cluster
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


@pytest.mark.parametrize("place", ["shared", "hdfs", "s3a"])
def test_driver_is_powered_off(machines: Cluster, place: str) -> None:
    base = {"shared": f"file://{machines.shared}/driver", "hdfs": f"{STORAGE}/driver", "s3a": f"{S3}/driver"}[place]
    with machines.driver() as first:
        first.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        assert first.run(await_batch, 2, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        first.power_off()
    with machines.driver() as second:
        second.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        there = second.run(await_rows, base, timeout_seconds=ANSWER_SECONDS)

    require_results(there)


@pytest.mark.parametrize("storage", [STORAGE, S3])
def test_driver_that_reads_a_query_is_powered_off(machines: Cluster, storage: str) -> None:
    base = f"{storage}/read"
    with machines.driver() as first:
        before = first.run(read_batches, base, 3, timeout_seconds=ANSWER_SECONDS)
        first.power_off()
    with machines.driver() as second:
        after = second.run(read_batches, base, None, timeout_seconds=ANSWER_SECONDS)

    # The third was read, and not the element behind it: it comes again, and says so.
    assert [number for number, _, _ in before] == [0, 1, 2]
    assert [(number, again) for number, again, _ in after][:2] == [(2, True), (3, False)]
    assert after[0][2] == before[2][2]
    require_results([row for _, _, rows in (*before[:2], *after) for row in rows])


@pytest.mark.parametrize("storage", [STORAGE, S3])
def test_of_two_drivers_on_one_checkpoint_one_goes_on(machines: Cluster, storage: str) -> None:
    base = f"{storage}/two"
    one_core = {"spark.cores.max": "1"}
    with machines.driver(one_core) as first:
        second = machines.driver(one_core, beside=first)
        try:
            first.run(start_numbers, base, timeout_seconds=ANSWER_SECONDS)
            second.run(start_numbers, base, timeout_seconds=ANSWER_SECONDS)
            ends = [driver.run(run_on, DEADLINE_SECONDS, timeout_seconds=ANSWER_SECONDS) for driver in (second, first)]
            numbers = first.run(numbers_of, base, timeout_seconds=ANSWER_SECONDS)
        finally:
            second.process.close()

    assert any("FolderInUseError: another driver runs a query with the checkpoint" in end for end in ends), ends
    assert sorted(numbers) == list(range(len(numbers)))
