"""Workers with another version of this package: the error says so, and no row is lost."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

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


def options_of_executors(folder: Path) -> dict[str, str]:
    """Return options of a session whose executors have another version; all machines share the folder."""
    bare = make_bare_python(folder / "bare")
    (folder / "sitecustomize.py").write_text(OTHER_VERSION)
    return {
        "spark.pyspark.python": str(bare),
        "spark.pyspark.driver.python": sys.executable,
        "spark.executorEnv.PYTHONPATH": os.pathsep.join((str(folder), str(ROOT / "src"), str(ROOT))),
    }


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
