"""Containers of YARN that are killed, and some without this package; test_cluster.py runs everything else in them."""

from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from tests.spark.bare_python import make_bare_python
from tests.spark.cluster.keyed_query import await_batch, await_rows, start_in_folder
from tests.spark.cluster.standalone import STORAGE, WORKERS, Cluster
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, LAST_BATCH, require_results
from tests.spark.cluster.yarn import INSTALLED, Yarn
from tests.spark.processes.test_bare_executors import keyed_sums, running_sums, seen_places

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]


def test_container_is_killed_during_a_keyed_query(yarn: Yarn) -> None:
    base = f"{STORAGE}/yarn"
    with yarn.driver(INSTALLED) as driver:
        driver.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        assert driver.run(await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        yarn.kill_executor(WORKERS[0])
        there = driver.run(await_rows, base, timeout_seconds=ANSWER_SECONDS)

    require_results(there)


def shipped(spark: Any) -> dict[str, Any]:
    """Run a pipeline in containers without this package, before and after it was sent."""
    from pyspark.errors import PySparkException

    from reactivestreams.spark import ship
    from tests.spark.processes.test_bare_executors import add, by_value

    by_value(add)
    found: dict[str, Any] = {}
    try:
        running_sums(spark)
    except PySparkException as error:
        found["unaided"] = "No module named 'reactivestreams'" in str(error)
    ship(spark)
    return {**found, "sums": running_sums(spark), **seen_places(spark)}


def test_package_is_shipped_to_containers(machines: Cluster, yarn: Yarn) -> None:
    python = make_bare_python(machines.shared / "bare")
    options = {"spark.executor.instances": "1", "spark.task.maxFailures": "1"}
    # YARN would send the driver's path to the containers, and here they would find what it names.
    with yarn.driver(options, variables={"PYSPARK_PYTHON": str(python), "PYTHONPATH": None}) as bare:
        found = bare.run(shipped, timeout_seconds=ANSWER_SECONDS)

    numbers = Stream.range(12).map(lambda number: SimpleNamespace(id=number))
    assert found["unaided"] is True
    assert found["sums"] == sorted(list(result) for result in numbers.through(keyed_sums()).to_list())
    (place,) = found["places"]
    assert "/yarn/local/" in place
