"""A session on a cluster: what would lose rows there is refused."""

from pathlib import Path
from typing import Any

import pytest

from tests.spark.in_process import run_in_process

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(300)]


def refusals(_: Any, base: str) -> dict[str, str]:
    """Start a session on a standalone master, without workers, and return what the sinks of files say."""
    from pyspark import SparkConf, SparkContext

    from reactivestreams.errors import ArgumentError
    from reactivestreams.spark import session, to_path, to_table
    from reactivestreams.spark.sessions.launch import launch_environment, prepare_environment

    prepare_environment("local[1]")
    with launch_environment("local[1]"):
        SparkContext._ensure_initialized()
    jvm: Any = SparkContext._jvm
    settings = SparkConf(_jvm=jvm).set("spark.master.rest.enabled", "false")
    cluster = jvm.org.apache.spark.deploy.LocalSparkCluster(0, 1, 512, settings._jconf)
    (master,) = cluster.start()
    spark = session(master, fast=True)
    try:
        said = {"master": spark.sparkContext.master}
        numbers = spark.readStream.format("rate").load()
        for name, sink in (("to_path", to_path), ("to_table", to_table)):
            try:
                sink(numbers, f"{base}/out" if name == "to_path" else "numbers", checkpoint=f"{base}/checkpoint")
            except ArgumentError as error:
                said[name] = str(error)
        return said
    finally:
        spark.stop()
        cluster.stop()


def test_folders_of_one_machine_are_refused_on_a_cluster(tmp_path: Path) -> None:
    said = run_in_process(refusals, str(tmp_path), kind="none")

    assert said["master"].startswith("spark://")
    for sink, folder, path in (("to_path", "path", "out"), ("to_table", "checkpoint", "checkpoint")):
        assert said[sink].startswith(
            f"{folder} is the folder '{tmp_path / path}' of this machine, but the executors of the master 'spar"
        )
    assert list(tmp_path.iterdir()) == []
