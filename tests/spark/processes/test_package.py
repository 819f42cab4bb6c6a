"""The archive of this package, and executors that have nothing of ours but this archive."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import reactivestreams
import rs_core
from reactivestreams import spark as ours
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import PackageError, package, package_settings, ship
from reactivestreams.spark.shipping.archive import archive_bytes
from reactivestreams.spark.shipping.package_files import installed_files
from tests.spark.bare_python import make_bare_python
from tests.spark.in_process import CONFIG, run_in_process

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]


def test_archive_is_the_same_wherever_it_is_written(tmp_path: Path) -> None:
    first, second = package(tmp_path), package(tmp_path / "second.zip")

    assert first.read_bytes() == second.read_bytes() == package().read_bytes()
    assert first.name.startswith(f"reactivestreams-{reactivestreams.__version__}-{sys.implementation.cache_tag[:3]}")
    assert [entry.name for entry in sorted(tmp_path.iterdir())] == sorted([first.name, "second.zip"])


def test_archive_holds_what_executors_run_and_no_sources_of_the_core(tmp_path: Path) -> None:
    with zipfile.ZipFile(package(tmp_path)) as archive:
        names = archive.namelist()

    assert {"reactivestreams/__init__.py", "reactivestreams/spark/sessions/conf/log4j2.properties"} <= set(names)
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
    monkeypatch.setattr(rs_core, "__path__", [str(tmp_path)])

    with pytest.raises(PackageError, match=r"not compiled for this interpreter.*it has no demand; install a wheel"):
        package()


@pytest.mark.parametrize(
    ("path", "error", "complaint"),
    [
        (3, ArgumentTypeError, "path must be a path, got 3"),
        ("nowhere/package.zip", ArgumentError, "a folder that is there, or a file in one that ends in .zip"),
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

    with pytest.raises(ArgumentError, match=r"is of version 0\.0\.1, but"):
        package(wheel=make_wheel(tmp_path / "old.whl", files, "0.0.1"))
    with pytest.raises(ArgumentError, match="does not hold reactivestreams and a compiled rs_core"):
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


def test_executors_of_another_platform_are_told_to_need_their_wheel(spark: Any, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "ours.whl", foreign(installed_files()))

    with pytest.raises(PackageError, match=r"compiled for .cpython-399-elsewhere.so; pass the wheel for them"):
        ship(spark, wheel=wheel)


def running_sums(spark: Any) -> list[list[Any]]:
    """Return the results of a keyed pipeline that runs on the executors."""
    from reactivestreams import pipeline

    sums = pipeline().filter(lambda row: row.id % 2).key_by(lambda row: row.id % 3).scan(add, (0, 0))
    frame = ours.apply(sums, spark.range(12, numPartitions=3), schema="id long, sum long", order_by="id", buckets=2)
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
    """Return a function that travels whole: the executors do not have this module."""
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the bare interpreter is made of links")
def test_executors_without_this_package_run_pipelines_once_it_is_shipped(spark: Any, tmp_path: Path) -> None:
    bare = make_bare_python(tmp_path / "bare")
    environment = {"PYSPARK_PYTHON": str(bare), "PYSPARK_DRIVER_PYTHON": sys.executable}

    found = run_in_process(on_bare_executors, kind="none", environment=environment)

    expected = running_sums(spark)
    assert len(expected) == 6
    assert found["unaided"] is True
    for way in ("shipped", "set"):
        sums, seen = found[way]
        assert (way, sums, seen["ids"]) == (way, expected, [0, 2, 4, 6])
        assert [f"{os.sep}work{os.sep}app-" in place for place in seen["places"]] == [True]
    assert found["set"][1]["places"][0].endswith("/reactivestreams_package/reactivestreams/__init__.py")
    assert found["connect"]["ids"] == [0, 2, 4, 6]
    assert str(Path(reactivestreams.__file__).parent) not in found["connect"]["places"][0]
