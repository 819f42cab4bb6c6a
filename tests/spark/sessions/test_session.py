"""The session: quiet, taken where one runs, and careful with what the user has set."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import ensure_java, session
from reactivestreams.spark.sessions import launch
from reactivestreams.spark.sessions.launch import (
    QUIET_LOGGING,
    launch_environment,
    prepare_environment,
    quiet_settings,
    user_settings,
)
from reactivestreams.spark.sessions.worker_path import local_worker_path
from tests.spark.in_process import run_in_process
from tests.spark.made_java import make_java

pytestmark = pytest.mark.spark
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Leave the environment as it was, and find no Java."""
    monkeypatch.setattr(launch, "ensure_java", lambda: None)
    for name in (
        "MASTER",
        "PYSPARK_PYTHON",
        "PYSPARK_SUBMIT_ARGS",
        "SPARK_CONF_DIR",
        "SPARK_HOME",
        "SPARK_LOCAL_IP",
        "SPARK_SUBMIT_OPTS",
    ):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return monkeypatch


def test_running_session_is_taken(spark: Any) -> None:
    assert session("local[7]", app_name="another", fast=False) is spark


def test_sql_options_are_set_in_a_running_session(spark: Any) -> None:
    assert session(config={"spark.sql.shuffle.partitions": "3"}).conf.get("spark.sql.shuffle.partitions") == "3"
    assert session(config={"spark.sql.shuffle.partitions": "1"}).conf.get("spark.sql.shuffle.partitions") == "1"


def test_session_is_quiet(spark: Any) -> None:
    context = spark.sparkContext

    assert context.uiWebUrl is None
    assert context.getConf().get("spark.ui.showConsoleProgress") == "false"
    assert context._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel().toString() == "ERROR"
    assert "reactivestreams-warehouse-" in spark.conf.get("spark.sql.warehouse.dir")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets in the file system")
def test_workers_are_reached_without_the_delays_of_tcp(spark: Any) -> None:
    def connected(_: Any) -> Any:
        import os

        yield os.environ.get("PYTHON_UNIX_DOMAIN_ENABLED")

    assert spark.sparkContext.parallelize([1], 1).mapPartitions(connected).collect() == ["True"]


def test_workers_run_this_interpreter_and_find_this_package(spark: Any) -> None:
    def look(batches: Any) -> Any:
        import pyarrow as pa

        import reactivestreams

        for _ in batches:
            yield pa.record_batch({"interpreter": [sys.executable], "package": [reactivestreams.__file__]})

    found = spark.range(1, numPartitions=1).mapInArrow(look, "interpreter string, package string").first()

    import reactivestreams

    assert tuple(found) == (sys.executable, reactivestreams.__file__)


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"master": 2}, ArgumentTypeError, "master must be a str, got 2"),
        ({"master": ""}, ArgumentError, "master must not be empty"),
        ({"app_name": 7}, ArgumentTypeError, "app_name must be a str"),
        ({"fast": 1}, ArgumentTypeError, "fast must be a bool, got 1"),
        ({"config": [1]}, ArgumentTypeError, "config must be a mapping"),
        (
            {"config": {"spark.ui.enabled": False}},
            ArgumentTypeError,
            "must map str to str, got 'spark.ui.enabled': False",
        ),
        ({"config": {"ui.enabled": "false"}}, ArgumentError, "'ui.enabled', which is not an option of Spark"),
    ],
)
def test_bad_argument_is_refused(arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        session(**arguments)


def test_environment_is_set_for_the_jvm(environment: pytest.MonkeyPatch) -> None:
    prepare_environment("local[2]")

    assert os.environ["PYSPARK_PYTHON"] == sys.executable
    assert os.environ["SPARK_LOCAL_IP"] == "127.0.0.1"


def submit_options(master: str = "local[2]") -> list[str]:
    """Return the options with which a JVM is started."""
    with launch_environment(master):
        return os.environ.get("SPARK_SUBMIT_OPTS", "").split()


def test_jvm_logs_errors_only_and_the_last_option_is_the_users(environment: pytest.MonkeyPatch) -> None:
    quiet = f"-Dlog4j2.configurationFile={QUIET_LOGGING.as_uri()}"
    assert QUIET_LOGGING.is_file()
    assert submit_options() == [quiet]

    environment.setenv("SPARK_SUBMIT_OPTS", "-Dlog4j2.configurationFile=mine.properties")
    assert submit_options() == [quiet, "-Dlog4j2.configurationFile=mine.properties"]


def test_settings_of_the_user_stay(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment.setenv("SPARK_CONF_DIR", str(tmp_path))
    environment.setenv("PYSPARK_PYTHON", "python3.12")

    prepare_environment("local[2]")

    assert (os.environ["SPARK_CONF_DIR"], os.environ["PYSPARK_PYTHON"]) == (str(tmp_path), "python3.12")
    assert submit_options() == []


def test_conf_folder_of_the_users_own_spark_stays_in_force(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    environment.setenv("SPARK_HOME", str(tmp_path))

    assert submit_options() == []


def test_nothing_is_set_for_a_cluster(environment: pytest.MonkeyPatch) -> None:
    prepare_environment("spark://host:7077")

    assert "SPARK_LOCAL_IP" not in os.environ
    assert submit_options("spark://host:7077") == []
    assert quiet_settings("spark://host:7077") == {}


@pytest.mark.parametrize(
    ("master", "threads"),
    [
        ("local", "1"),
        ("local[7]", "7"),
        ("local[3,2]", "3"),
        ("local[*]", str(os.cpu_count())),
        ("local-cluster[2,3,1024]", "6"),
    ],
)
def test_local_session_has_as_many_shuffle_partitions_as_tasks_run_at_once(master: str, threads: str) -> None:
    assert quiet_settings(master)["spark.sql.shuffle.partitions"] == threads


def test_settings_are_read_where_spark_reads_them(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert user_settings() == {}

    defaults = "# of the team\nspark.master   yarn\nspark.ui.enabled=true\n\nspark.app.name nightly run\n"
    (tmp_path / "spark-defaults.conf").write_text(defaults, encoding="utf-8")
    environment.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert user_settings() == {
        "spark.master": "yarn",
        "spark.ui.enabled": "true",
        "spark.app.name": "nightly run",
    }

    environment.setenv("PYSPARK_SUBMIT_ARGS", "--master local[3] --conf 'spark.app.name=by hand' pyspark-shell")
    assert user_settings()["spark.master"] == "local[3]"
    assert user_settings()["spark.app.name"] == "by hand"


SUBMITTED = """
from reactivestreams.spark import session

running = session()
context = running.sparkContext
partitions = running.conf.get("spark.sql.shuffle.partitions")
print("told", context.master, context.appName, context.uiWebUrl is not None, partitions)
running.stop()
"""


def test_program_of_spark_submit_has_what_spark_submit_was_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SUBMITTED, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("spark-submit")), "--master", "local[3]", "--name", "nightly"]
    options = ["--conf", "spark.ui.enabled=true", "--conf", "spark.ui.port=0", str(program)]
    run = run_program([*command, *options])

    assert "told local[3] nightly True 3" in run.stdout, run.stdout + run.stderr


def run_program(command: list[str]) -> "subprocess.CompletedProcess[str]":
    home = str(ensure_java().home)
    environment = {**os.environ, "JAVA_HOME": home, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_worker_path_of_a_cluster_is_empty() -> None:
    assert local_worker_path("spark://host:7077") == ""


def test_worker_path_holds_the_users_folders_but_not_the_interpreters(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(tmp_path)

    folders = local_worker_path("local[2]").split(os.pathsep)

    assert str(tmp_path.resolve()) in folders
    assert os.path.dirname(os.path.realpath(os.__file__)) not in folders


def without_java(_: None, home: str) -> str:
    """Return what `session` says where JAVA_HOME names an old Java and nothing else is there."""
    from reactivestreams.spark import JavaNotFoundError
    from reactivestreams.spark.sessions import java

    java.packaged_java = lambda: java.UnsuitableJavaError("the package is not installed")
    os.environ.update(JAVA_HOME=home, PATH=home)
    try:
        session("local[1]", connect=True)
    except JavaNotFoundError as error:
        return str(error)
    return "a session"


def test_session_says_which_java_is_too_old_and_what_to_install(tmp_path: Path) -> None:
    program = make_java(tmp_path / "eleven", "11") / "bin" / "java"

    said = run_in_process(without_java, str(tmp_path / "eleven"), kind="none")

    assert f"JAVA_HOME: {program} is Java 11, older than 17" in said
    assert 'pip install "reactive-streams-core[spark]"' in said


@pytest.mark.parametrize(
    "name",
    [
        "executor.Executor",
        "scheduler.TaskSetManager",
        "sql.execution.datasources.v2.WriteToDataSourceV2Exec",
        "sql.execution.datasources.v2.DataWritingSparkTask",
        "broadcast.TorrentBroadcast",
    ],
)
def test_loggers_that_repeat_an_exception_are_silent(spark: Any, name: str) -> None:
    java = spark.sparkContext._jvm.java.lang
    logs = spark.sparkContext._jvm.org.apache.logging.log4j.LogManager
    full = f"org.apache.spark.{name}"

    assert java.Class.forName(full).getName() == full
    assert logs.getLogger(full).getLevel().toString() == "FATAL"


def test_only_the_aborted_task_of_spark_s_utils_is_silent(spark: Any) -> None:
    logs = spark.sparkContext._jvm.org.apache.logging.log4j.LogManager
    configured = logs.getContext(False).getConfiguration().getLoggerConfig("org.apache.spark.util.Utils")

    assert configured.getLevel().toString() == "ERROR"
    assert "pattern=Aborting task.*" in configured.getFilter().toString()
