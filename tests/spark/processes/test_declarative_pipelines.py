"""The example with Spark's declarative pipelines runs as Spark's own command runs it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.dataset
import pytest

from tests.spark.in_process import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

DEADLINE_SECONDS = 300

RUN = """
import sys
from pathlib import Path
from pyspark.pipelines.cli import run
from reactivestreams.spark import session

folder = Path(sys.argv[1])
session("local[2]", connect=True, fast=True, config={"spark.sql.warehouse.dir": f"file://{folder}/warehouse"})
run(folder / "spark-pipeline.yml", full_refresh=[], full_refresh_all=False, refresh=[], dry=False)
"""


def test_declarative_pipeline_makes_its_views(tmp_path: Path) -> None:
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "examples" / "declarative_pipelines", folder)
    spec = folder / "spark-pipeline.yml"
    spec.write_text(spec.read_text().replace("file:///tmp/delays", f"file://{folder}/storage"))

    done = subprocess.run(
        [sys.executable, "-c", RUN, str(folder)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
        cwd=folder,
    )

    assert "Run is COMPLETED" in done.stdout + done.stderr
    views = {
        name: pyarrow.dataset.dataset(folder / "warehouse" / name, format="parquet").to_table().to_pydict()
        for name in ("late", "latest")
    }
    assert sorted(views["late"]["origin"]) == ["EWR", "LGA"]
    assert views["latest"] == {"hours": [7 / 60]}
