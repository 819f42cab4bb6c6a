"""Executors that have nothing of ours but the archive of this package."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import reactivestreams
from reactivestreams import Stream, pipeline
from reactivestreams import spark as ours
from reactivestreams.spark import package, package_settings, ship
from tests.spark.bare_python import make_bare_python
from tests.spark.in_process import CONFIG, run_in_process

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]


def keyed_sums() -> Any:
    """Return a keyed pipeline."""
    return pipeline().filter(lambda row: row.id % 2).key_by(lambda row: row.id % 3).scan(add, (0, 0))


def running_sums(spark: Any) -> list[list[Any]]:
    """Return the results of the pipeline on the executors."""
    rows = spark.range(12, numPartitions=3)
    frame = ours.apply(keyed_sums(), rows, schema="id long, sum long", order_by="id", buckets=2)
    return sorted(list(row) for row in frame.collect())


def add(state: Any, row: Any) -> Any:
    return row.id, state[1] + row.id


def places(batches: Any) -> Any:
    import pyarrow as pa

    import reactivestreams
    from reactivestreams import Stream

    for batch in batches:
        doubled = Stream.from_iterable(batch.column("id").to_pylist()).map(lambda value: 2 * value).to_list()
        yield pa.record_batch({"id": doubled, "place": [reactivestreams.__file__] * len(doubled)})


def seen_places(spark: Any) -> dict[str, Any]:
    rows = spark.range(4, numPartitions=1).mapInArrow(by_value(places), "id long, place string").collect()
    return {"ids": [row.id for row in rows], "places": sorted({row.place for row in rows})}


def by_value(function: Any) -> Any:
    """Return a function that is sent whole: the executors do not have this module."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[function.__module__])
    return function


def on_bare_executors(_: None) -> dict[str, Any]:
    """Run a pipeline on executors without this package: unaided, with it shipped, set beforehand, through Connect."""
    from pyspark.errors import PySparkException

    import reactivestreams.spark.sessions.launch as launch
    import reactivestreams.spark.sessions.worker_path as worker_path

    # As for a cluster elsewhere: paths of this machine mean nothing to its executors.
    launch.local_worker_path = worker_path.local_worker_path = lambda master: ""  # type: ignore[assignment]
    by_value(add)
    found: dict[str, Any] = {}
    options = {**CONFIG, "spark.executor.memory": "1g", "spark.task.maxFailures": "1"}
    running = ours.session("local-cluster[1,1,1024]", fast=True, config=options)
    try:
        running_sums(running)
        found["unaided"] = "nothing failed"
    except PySparkException as error:
        found["unaided"] = "No module named 'reactivestreams'" in str(error)
    ship(running)
    ship(running)
    found["shipped"] = [running_sums(running), seen_places(running)]
    running.stop()
    options.update(package_settings(package()))
    running = ours.session("local-cluster[1,1,1024]", fast=True, config=options)
    found["set"] = [running_sums(running), seen_places(running)]
    running.stop()
    running = ours.session("local[1]", fast=True, connect=True)
    ship(running)
    ship(running)
    found["connect"] = seen_places(running)
    running.stop()
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="the bare interpreter is made of links")
def test_executors_without_this_package_run_pipelines_once_it_is_shipped(tmp_path: Path) -> None:
    bare = make_bare_python(tmp_path / "bare")
    environment = {"PYSPARK_PYTHON": str(bare), "PYSPARK_DRIVER_PYTHON": sys.executable}

    found = run_in_process(on_bare_executors, kind="none", environment=environment)

    rows = Stream.range(12).map(lambda number: SimpleNamespace(id=number))
    expected = sorted(list(result) for result in rows.through(keyed_sums()).to_list())
    assert len(expected) == 6
    assert found["unaided"] is True
    for way in ("shipped", "set"):
        sums, seen = found[way]
        assert (way, sums, seen["ids"]) == (way, expected, [0, 2, 4, 6])
        assert [f"{os.sep}work{os.sep}app-" in place for place in seen["places"]] == [True]
    assert found["set"][1]["places"][0].endswith("/reactivestreams_package/reactivestreams/__init__.py")
    assert found["connect"]["ids"] == [0, 2, 4, 6]
    assert str(Path(reactivestreams.__file__).parent) not in found["connect"]["places"][0]
