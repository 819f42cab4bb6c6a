"""Workers with another version of this package, without it, or with another Python: the error says so."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import pipeline
from reactivestreams import spark as ours
from tests.spark.bare_python import make_bare_python
from tests.spark.cluster import keyed_query
from tests.spark.cluster.standalone import STORAGE, Cluster
from tests.spark.cluster.test_power_off import ANSWER_SECONDS, require_results
from tests.spark.in_process import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(500)]

OTHER_VERSION = """
import rs_core.version

rs_core.version.__version__ = "0.0.1"
"""


OTHER_PYTHON = """
import collections
import sys

fields = collections.namedtuple("version_info", "major minor micro releaselevel serial")
sys.version_info = fields(sys.version_info[0], sys.version_info[1] - 1, *sys.version_info[2:])
"""


def options_of_executors(folder: Path) -> dict[str, str]:
    """Return options of a session whose executors have another version; all machines share the folder."""
    bare = make_bare_python(folder / "bare")
    (folder / "sitecustomize.py").write_text(OTHER_VERSION)
    return {
        "spark.pyspark.python": str(bare),
        "spark.pyspark.driver.python": sys.executable,
        "spark.executorEnv.PYTHONPATH": os.pathsep.join((str(folder), str(ROOT / "src"), str(ROOT))),
    }


def refused_sums(spark: Any, _: str) -> str:
    """Run a keyed pipeline over a batch DataFrame, and return the error."""
    stages = pipeline().key_by(lambda row: row[0] % 3).scan(lambda state, row: (row[0], state[1] + row[0]), (0, 0))
    frame = ours.apply(stages, spark.range(9), schema="id long, sum long", as_="tuples", order_by="id", buckets=2)
    try:
        with ours.pipeline_errors():
            return str(frame.collect())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def test_worker_without_the_package_is_named(machines: Cluster) -> None:
    folder = machines.shared / "no-package"
    folder.mkdir()
    options = options_of_executors(folder) | {"spark.executorEnv.PYTHONPATH": ""}
    with machines.driver(options, variables={"PYSPARK_PYTHON": options["spark.pyspark.python"]}) as driver:
        said = driver.run(refused_sums, "", timeout_seconds=ANSWER_SECONDS)
    assert said.startswith("PipelineError: the executors lack this package, or have another version of it"), said
    assert "spark.ship(session)" in said


def test_worker_with_another_python_is_told_by_spark(machines: Cluster) -> None:
    folder = machines.shared / "another-python"
    folder.mkdir()
    variables = {"PYSPARK_PYTHON": str(python_of_another_version(folder))}
    with machines.driver(variables=variables) as driver:
        said = driver.run(refused_sums, "", timeout_seconds=ANSWER_SECONDS)
    assert "PYTHON_VERSION_MISMATCH" in said, said


def python_of_another_version(folder: Path) -> Path:
    """Return a script that runs this interpreter, whose workers say that it is another version."""
    (folder / "sitecustomize.py").write_text(OTHER_PYTHON)
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return script


def refused_query(spark: Any, base: str) -> str:
    """Run the query to its end, and return the error."""
    keyed_query.start_in_folder(spark, base)
    return keyed_query.run_on(spark, 10 * keyed_query.DEADLINE_SECONDS)


def test_worker_with_another_version_is_named_and_loses_nothing(machines: Cluster) -> None:
    base = f"{STORAGE}/another-version"
    folder = machines.shared / "another-version"
    folder.mkdir()

    with machines.driver(options_of_executors(folder)) as wrong:
        said = wrong.run(refused_query, base, timeout_seconds=ANSWER_SECONDS)
    with machines.driver() as right:
        right.run(keyed_query.start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
        there = right.run(keyed_query.await_rows, base, timeout_seconds=ANSWER_SECONDS)

    assert "an executor has version 0.0.1 of this package, and the driver" in said
    require_results(there)
