"""What `doctor` says of Spark: its files, the packages of Spark Connect, the archive for executors."""

import json
import sys
import tomllib
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

import rs_core
from reactivestreams.cli import main
from reactivestreams.cli.checks import Status, spark

ROOT = Path(__file__).parents[2]


def installed(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str]) -> None:
    """Let these distributions be installed, and no other."""

    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


def test_without_pyspark_only_java_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, {})
    assert [finding.name for finding in spark.check()] == ["java"]


def test_the_versions_asked_for_are_those_of_the_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    asked = {f"{name}{bounds}" for name, bounds in spark.CONNECT_PACKAGES.items()}
    assert asked == {wanted for wanted in extras["connect"] if "[" not in wanted}


@pytest.mark.parametrize(
    ("versions", "status", "said"),
    [
        ({}, Status.OK, "its packages are not installed; only Spark Connect needs them"),
        (
            {"grpcio": "1.80.1", "grpcio-status": "1.80.1", "googleapis-common-protos": "1.71", "zstandard": "0.25.0"},
            Status.OK,
            "grpcio 1.80.1, grpcio-status 1.80.1, googleapis-common-protos 1.71, zstandard 0.25.0",
        ),
        (
            {"grpcio": "1.48.1", "grpcio-status": "1.80.1", "googleapis-common-protos": "1.71"},
            Status.WARNING,
            "Spark Connect will not work: zstandard is missing; grpcio 1.48.1 is outside >=1.76",
        ),
    ],
)
def test_packages_of_connect(
    monkeypatch: pytest.MonkeyPatch, versions: dict[str, str], status: Status, said: str
) -> None:
    installed(monkeypatch, versions)
    finding = spark._connect()
    assert (finding.status, finding.detail) == (status, said)
    assert (finding.remedy is None) == (len(versions) == 4)


def test_archive_for_executors_is_described() -> None:
    finding = spark._archive()
    assert finding.status is Status.OK
    assert sys.implementation.cache_tag[:3] in finding.detail


def test_core_that_cannot_be_shipped_is_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "demand.pyi").touch()
    monkeypatch.setattr(rs_core, "__path__", [str(tmp_path)])
    finding = spark._archive()
    assert finding.status is Status.WARNING
    assert "has no demand" in finding.detail


@pytest.mark.skipif(find_spec("pyspark") is None, reason="needs pyspark")
def test_home_of_spark_is_found_or_missed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert spark._home().status is Status.OK
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    finding = spark._home()
    assert finding.status is Status.PROBLEM
    assert "unset SPARK_HOME" in str(finding.remedy)


@pytest.mark.spark
@pytest.mark.skipif(find_spec("pyspark") is None, reason="needs pyspark")
def test_doctor_covers_all_that_spark_needs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    checks = {check["name"] for check in json.loads(capsys.readouterr().out)["checks"]}
    assert {"java", "pyspark", "pyarrow", "pandas", "protobuf", "spark", "connect", "shipping"} <= checks
