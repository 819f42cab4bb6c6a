"""What runs on YARN gives what a thread gives."""

import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from tests.spark.bare_python import make_bare_python
from tests.spark.cluster.keyed_query import await_batch, await_rows, start_in_folder
from tests.spark.cluster.standalone import STORAGE, WORKERS, Cluster, Driver
from tests.spark.cluster.test_cluster import applied, odd_digits, read_rows, seen_by_executors
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, LAST_BATCH, require_results
from tests.spark.cluster.yarn import Yarn
from tests.spark.in_process import ROOT
from tests.spark.keyed.test_keyed_streaming import by_key, digests, made_rows
from tests.spark.processes.test_bare_executors import keyed_sums, running_sums, seen_places

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

ROWS = 400
INSTALLED = {"spark.executorEnv.PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
"""As if this package and the tests were installed on the executors."""


@pytest.fixture(scope="module")
def driver(yarn: Yarn) -> Iterator[Driver]:
    """A driver whose executors are containers of YARN."""
    with yarn.driver(INSTALLED) as running:
        yield running


def test_executors_are_containers_on_the_other_machines(driver: Driver) -> None:
    seen = driver.run(seen_by_executors, timeout_seconds=ANSWER_SECONDS)

    assert seen == {"driver": "driver", "found": [[name, False, False] for name in WORKERS]}


def test_pipelines_give_what_a_thread_gives(driver: Driver) -> None:
    plain, keyed = driver.run(applied)

    rows = Stream.from_iterable(made_rows(ROWS))
    assert sorted(map(tuple, plain)) == sorted(rows.through(odd_digits()).to_list())
    assert by_key(map(tuple, keyed)) == by_key(rows.through(digests()).to_list())


def test_dataframe_is_read_as_a_stream(driver: Driver) -> None:
    read = driver.run(read_rows)

    rests = [number * 7 % 11 for number in range(1000)]
    assert read == {"some": [[number, rests[number]] for number in range(3)], "sum": sum(rests)}


def test_container_is_killed_during_a_keyed_query(yarn: Yarn, driver: Driver) -> None:
    base = f"{STORAGE}/yarn"
    driver.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
    assert driver.run(await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
    yarn.kill_executor(WORKERS[0])

    require_results(driver.run(await_rows, base, timeout_seconds=ANSWER_SECONDS))


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


def test_package_is_shipped_to_containers(machines: Cluster, yarn: Yarn, driver: Driver) -> None:
    driver.close()  # its machine is that of the next one
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
