"""The home of links that Spark is started from, and the environment of the JVM."""

import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.cache_folder import CACHE_VARIABLE
from reactivestreams.spark.sessions import spark_home
from reactivestreams.spark.sessions.launch import launch_environment
from reactivestreams.spark.sessions.spark_home import linked_home, real_home
from tests.spark.in_process import SparkProcess, run_in_process

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of Spark as a distribution has it, and an empty cache."""
    home = tmp_path / "spark"
    for folder in ("jars", "bin", "conf", "python/lib", "work", "logs"):
        (home / folder).mkdir(parents=True)
    (home / "RELEASE").write_text("Spark\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(spark_home, "own_homes", {})
    return home


@pytest.mark.parametrize(("master", "parent"), [("local[2]", "cache/spark"), ("local-cluster[2,1,1024]", "temporary")])
def test_home_of_links_has_all_but_the_copy_of_pyspark_and_the_folders_written_to(
    home: Path, master: str, parent: str
) -> None:
    linked = linked_home(master)

    assert linked is not None
    assert linked.parent == home.parent / parent
    assert {entry.name: entry.resolve() for entry in linked.iterdir()} == {
        name: home / name for name in ("jars", "bin", "conf", "RELEASE")
    }
    assert linked_home(master) == linked
    assert [*linked.parent.iterdir()] == [linked]


def test_home_with_other_entries_has_other_links(home: Path) -> None:
    before = linked_home("local[2]")
    (home / "sbin").mkdir()
    after = linked_home("local[2]")

    assert before is not None
    assert after is not None
    assert before != after
    assert (after / "sbin").is_dir()


def test_links_to_a_spark_that_is_gone_are_removed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = linked_home("local[2]")
    monkeypatch.setenv("SPARK_HOME", str(home.rename(home.with_name("moved"))))
    after = linked_home("local[2]")

    assert before != after
    assert [*(home.parent / "cache/spark").iterdir()] == [after]


def test_processes_that_make_the_links_at_the_same_time_have_the_same_home(home: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        homes = set(threads.map(linked_home, ["local[2]"] * 8))

    assert len(homes) == 1
    assert {*(home.parent / "cache/spark").iterdir()} == homes


def test_links_in_a_cache_of_another_user_are_not_taken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = linked_home("local[2]")
    user = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: user)

    own = linked_home("local[2]")

    assert own is not None
    assert own != kept
    assert own.parent == home.parent / "temporary"


def test_home_without_jars_is_left_to_spark(home: Path) -> None:
    (home / "jars").rmdir()

    assert (real_home(), linked_home("local[2]")) == (None, None)


def test_home_is_not_linked_where_links_are_not_allowed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(Path, "symlink_to", refuse)

    assert linked_home("local[2]") is None
    assert [*(home.parent / "temporary").iterdir(), *(home.parent / "cache/spark").iterdir()] == []


def made_home(_: None) -> str:
    return str(linked_home("local-cluster[2,1,1024]"))


def test_home_of_links_of_a_process_is_removed_at_exit() -> None:
    linked = Path(run_in_process(made_home, kind="none"))

    assert linked.name.startswith("reactivestreams-spark-home-")
    assert not linked.exists()


def run_spark(spark: Any) -> int:
    count: int = spark.range(3).count()
    return count


@pytest.mark.slow
@pytest.mark.skipif("SharedArchiveFile" not in os.environ.get("SPARK_SUBMIT_OPTS", ""), reason="there is no archive")
def test_jvm_loads_its_classes_from_the_archive_of_another_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "classes.log"
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", f"{os.environ['SPARK_SUBMIT_OPTS']} -Xlog:class+load:file={log}")

    assert run_in_process(run_spark, kind="local") == 3

    assert "org.apache.spark.SparkContext source: shared objects file (top)" in log.read_text(encoding="utf-8")


def test_environment_of_the_jvm_is_not_that_of_this_process(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "as it was")
    with launch_environment("local[2]", RS_TEST_TOKEN="secret"):
        during = {name: os.environ[name] for name in ("SPARK_HOME", "PYTHONPATH", "RS_TEST_TOKEN")}

    assert during["SPARK_HOME"] == str(linked_home("local[2]"))
    assert str(Path(spark_home.__file__).resolve().parents[3]) in during["PYTHONPATH"].split(os.pathsep)
    assert (os.environ["SPARK_HOME"], os.environ["PYTHONPATH"]) == (str(home), "as it was")
    assert "RS_TEST_TOKEN" not in os.environ


def test_jvm_of_a_cluster_elsewhere_keeps_its_home(home: Path) -> None:
    with launch_environment("spark://host:7077"):
        assert os.environ["SPARK_HOME"] == str(home)


def look(batches: Any) -> Any:
    import pyarrow as pa
    import pyspark

    for _ in batches:
        yield pa.record_batch(
            {"home": [os.environ["SPARK_HOME"]], "package": [pyspark.__file__], "folder": [os.getcwd()]}
        )


def seen_by_workers(spark: Any) -> list[list[str]]:
    frame = spark.range(2, numPartitions=2).mapInArrow(look, "home string, package string, folder string")
    return [list(row) for row in frame.collect()]


def test_workers_import_pyspark_with_byte_code(spark: Any) -> None:
    import pyspark

    homes, packages, _ = zip(*seen_by_workers(spark), strict=True)

    assert set(packages) == {pyspark.__file__}
    assert set(homes) == {str(linked_home("local[2]"))}


def test_executors_of_a_cluster_write_into_the_home_of_links(cluster: SparkProcess) -> None:
    import pyspark

    homes, packages, folders = zip(*cluster.run(seen_by_workers), strict=True)

    assert set(packages) == {pyspark.__file__}
    assert [Path(folder).is_relative_to(Path(homes[0], "work")) for folder in folders] == [True, True]
    assert not (Path(pyspark.__file__).parent / "work").exists()
