"""Clocks of all machines that are set back by an hour during a query with state: no row is lost or repeated.

This package measures durations by the monotonic clock alone, and numbers what has an order.
"""

import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.spark.cluster import keyed_query
from tests.spark.cluster.standalone import STORAGE, WORKERS, Cluster
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, LAST_BATCH, require_results

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

SOURCE = Path(__file__).with_name("moved_clock.c")
HOUR = 3600


@pytest.fixture
def clock(machines: Cluster) -> Iterator[tuple[Path, dict[str, str]]]:
    """The file with the seconds by which clocks are moved, and the variables; the workers have them."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler (on Debian: apt-get install gcc)")
    library, file = machines.shared / "moved_clock.so", machines.shared / "moved_clock"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)], check=True)
    file.write_bytes(struct.pack("q", 0))
    variables = {"LD_PRELOAD": str(library), "MOVED_CLOCK": str(file)}
    restart_workers(machines, variables)
    yield file, variables
    restart_workers(machines, {})


def restart_workers(machines: Cluster, variables: dict[str, str]) -> None:
    """Start the machines of the workers again, with these variables."""
    for name in WORKERS:
        machines.machines[name].power_off()
        machines.start_worker(name, variables)


def times_of(batches: Any) -> Any:
    """Return the time of day on an executor."""
    import pyarrow as pa

    for _ in batches:
        yield pa.record_batch({"at": [time.time()]})


def clocks(spark: Any) -> dict[str, float]:
    """Return the time of day of the driver, its JVM and an executor."""
    executor = spark.range(1, numPartitions=1).mapInArrow(times_of, "at double").collect()[0].at
    return {
        "driver": time.time(),
        "JVM": spark.sparkContext._jvm.java.lang.System.currentTimeMillis() / 1000,
        "executor": executor,
    }


def test_clocks_that_are_set_back_during_a_query(machines: Cluster, clock: tuple[Path, dict[str, str]]) -> None:
    file, variables = clock
    base = f"{STORAGE}/clock"
    with machines.driver(variables=variables) as driver:
        driver.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        assert driver.run(keyed_query.await_batch, 1, timeout_seconds=ANSWER_SECONDS) < LAST_BATCH
        with file.open("r+b") as content:  # in its place: it is mapped
            content.write(struct.pack("q", -HOUR))
        seen = driver.run(clocks, timeout_seconds=ANSWER_SECONDS)
        there = driver.run(keyed_query.await_rows, base, timeout_seconds=ANSWER_SECONDS)

    late = {name: round((at - time.time()) / HOUR) for name, at in seen.items()}
    assert late == {"driver": -1, "JVM": -1, "executor": -1}
    require_results(there)
