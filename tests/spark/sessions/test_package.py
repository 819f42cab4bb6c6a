"""The archive of this package: what it holds, from which wheel, for which executors."""

import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import reactivestreams
import rs_core
from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import PackageError, package, package_settings, ship, to_dataframe
from reactivestreams.spark.sessions.archive import archive_bytes
from reactivestreams.spark.sessions.package_files import installed_files

pytestmark = pytest.mark.spark


def test_archive_is_the_same_wherever_it_is_written(tmp_path: Path) -> None:
    first, second = package(tmp_path), package(tmp_path / "second.zip")

    assert first.read_bytes() == second.read_bytes() == package().read_bytes()
    assert first.name.startswith(f"reactivestreams-{reactivestreams.__version__}-{sys.implementation.cache_tag[:3]}")
    assert [entry.name for entry in sorted(tmp_path.iterdir())] == sorted([first.name, "second.zip"])


def test_archive_holds_what_executors_run_and_no_sources_of_the_core(tmp_path: Path) -> None:
    with zipfile.ZipFile(package(tmp_path)) as archive:
        names = archive.namelist()

    assert {"reactivestreams/__init__.py", "reactivestreams/spark/sessions/log4j2.properties"} <= set(names)
    assert names == sorted(names)
    assert {name.partition("/")[0] for name in names} == {"reactivestreams", "rs_core"}
    assert [name for name in names if name.endswith((".pyx", ".pxd", ".pyi", ".h", ".pyc"))] == []


def test_unpacked_archive_works_without_this_installation(tmp_path: Path) -> None:
    with zipfile.ZipFile(package(tmp_path)) as archive:
        archive.extractall(tmp_path / "unpacked")
    script = (
        "import reactivestreams, rs_core; from reactivestreams import Stream\n"
        "print(reactivestreams.__file__, rs_core.__file__, Stream.range(0, 3).map(str).to_list())"
    )

    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", script],
        env={"PYTHONPATH": str(tmp_path / "unpacked")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    folder = tmp_path / "unpacked"
    expected = f"{folder}/reactivestreams/__init__.py {folder}/rs_core/__init__.py ['0', '1', '2']\n"
    assert done.stdout == expected


def test_core_that_is_not_compiled_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "demand.pyi").touch()
    (tmp_path / "demand.cpython-39-other.so").touch()
    (tmp_path / "queues").mkdir()
    (tmp_path / "queues/spsc_ring.pyi").touch()
    monkeypatch.setattr(rs_core, "__path__", [str(tmp_path)])

    with pytest.raises(
        PackageError, match=r"not compiled for this.*it has no demand, queues/spsc_ring; install a wheel"
    ):
        package()


@pytest.mark.parametrize(
    ("path", "error", "complaint"),
    [
        (3, ArgumentTypeError, "path must be a path, got 3"),
        ("nowhere/package.zip", ArgumentError, "an existing folder, or a file in one that ends in .zip"),
        ("package.tar", ArgumentError, "ends in .zip"),
    ],
)
def test_bad_path_is_refused(path: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        package(path)


def make_wheel(path: Path, files: dict[str, bytes], version: str = reactivestreams.__version__) -> Path:
    """Write files as a wheel of this distribution."""
    named = {**files, f"reactive_streams_core-{version}.dist-info/METADATA": b"Metadata-Version: 2.1\n"}
    path.write_bytes(archive_bytes(named))
    return path


def foreign(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files as if compiled for another interpreter."""
    return {f"{name.partition('.')[0]}.cpython-399-elsewhere.so" if name.endswith((".so", ".pyd")) else name: content
            for name, content in files.items()}  # fmt: skip


def test_wheel_of_another_platform_is_packed(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "ours.whl", foreign(installed_files()))

    archive = package(tmp_path, wheel=wheel)

    assert "cpython-399-elsewhere" in archive.name
    with zipfile.ZipFile(archive) as file:
        assert "rs_core/demand.cpython-399-elsewhere.so" in file.namelist()


def test_bad_wheel_is_refused(tmp_path: Path) -> None:
    files = {"reactivestreams/__init__.py": b"", "rs_core/demand.cpython-399-elsewhere.so": b""}
    (tmp_path / "broken.whl").write_bytes(b"no zip")

    with pytest.raises(ArgumentError, match=r"has version 0\.0\.1, but"):
        package(wheel=make_wheel(tmp_path / "old.whl", files, "0.0.1"))
    with pytest.raises(ArgumentError, match="does not contain reactivestreams and a compiled rs_core"):
        package(wheel=make_wheel(tmp_path / "other.whl", {"rsocket/__init__.py": b""}))
    with pytest.raises(ArgumentError, match="cannot be read"):
        package(wheel=tmp_path / "broken.whl")
    with pytest.raises(ArgumentError, match="cannot be read"):
        package(wheel=tmp_path / "absent.whl")


def test_settings_name_archive_and_folder() -> None:
    assert package_settings("/share/x.zip") == {
        "spark.archives": "/share/x.zip#reactivestreams_package",
        "spark.executorEnv.PYTHONPATH": "reactivestreams_package",
    }
    with pytest.raises(ArgumentTypeError, match="archive must be a path, got None"):
        package_settings(None)  # type: ignore[arg-type]


def test_what_is_no_session_gets_nothing() -> None:
    with pytest.raises(ArgumentTypeError, match="session must be a Spark session, got 'local'"):
        ship("local")  # type: ignore[arg-type]


def test_what_is_no_session_is_told_without_the_packages_of_spark_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyspark.sql.connect.session", raising=False)
    monkeypatch.setitem(sys.modules, "grpc", None)

    with pytest.raises(ArgumentTypeError, match="session must be a SparkSession, got 5"):
        to_dataframe(Stream.range(3), "id bigint", session=5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="session must be a Spark session, got 5"):
        ship(5)  # type: ignore[arg-type]

    assert "pyspark.sql.connect.session" not in sys.modules


def test_executors_of_another_platform_are_told_to_need_their_wheel(spark: Any, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "ours.whl", foreign(installed_files()))

    with pytest.raises(PackageError, match=r"compiled for .cpython-399-elsewhere.so; pass the wheel for them"):
        ship(spark, wheel=wheel)
