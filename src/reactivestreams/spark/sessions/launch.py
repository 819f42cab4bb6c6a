"""The environment in which Spark's JVM is started, and the options of a quiet session."""

import atexit
import os
import re
import shlex
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from reactivestreams.spark.jvm_calls import connect_to_jvm
from reactivestreams.spark.sessions.java import ensure_java
from reactivestreams.spark.sessions.spark_home import linked_home
from reactivestreams.spark.sessions.worker_path import local_worker_path
from reactivestreams.spark.storage.spark_path import spark_path

__all__ = [
    "DEFAULT_MASTER",
    "FAST_SETTINGS",
    "QUIET_LOGGING",
    "WAREHOUSE_PREFIX",
    "launch_environment",
    "prepare_environment",
    "quiet_settings",
    "user_settings",
]

DEFAULT_MASTER = "local[2]"
"""The default master: two threads of this machine."""

LAUNCHED = "PYSPARK_GATEWAY_PORT"
"""The variable with the port of the existing JVM in a program that `spark-submit` has started."""

WAREHOUSE_PREFIX = "reactivestreams-warehouse-"
"""Prefix of the names of warehouses that are removed when this process ends."""

QUIET_LOGGING = Path(__file__).absolute().parent / "log4j2.properties"
"""The logging settings: errors only. A folder of settings on the class path would make Java refuse a class archive."""

FAST_JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:MetaspaceSize=256m"
"""Java's options of `fast=True`: the fast compiler alone.

Java then reserves 48 MB for compiled code, which the classes that Spark generates exceed, so that methods are dropped
and compiled anew; and it collects garbage at 21 MB of classes, of which a session has more at its start.
"""

FAST_SETTINGS: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": FAST_JAVA,
    "spark.executor.extraJavaOptions": FAST_JAVA,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
}
"""Options of `fast=True`: fast for small data and at the start, slow for large data."""

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def user_settings() -> dict[str, str]:
    """Return the options that the user has set for `spark-submit`, or in Spark's configuration files.

    A program's options override these in Spark, so they are read first.
    """
    if LAUNCHED in os.environ:
        from pyspark import SparkConf

        connect_to_jvm()
        return dict(SparkConf().getAll())
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (home and str(Path(home) / "conf"))
    settings = defaults_in(Path(folder) / "spark-defaults.conf") if folder else {}
    if os.environ.get("MASTER"):
        settings["spark.master"] = os.environ["MASTER"]
    words = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    for option, value in pairwise(words):
        if option == "--master":
            settings["spark.master"] = value
        elif option in ("--conf", "-c") and "=" in value:
            name, _, text = value.partition("=")
            settings[name] = text
    return settings


def defaults_in(file: Path) -> dict[str, str]:
    """Return the options in a `spark-defaults.conf`: a name, white space, `=` or `:`, and a value in each line."""
    try:
        lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return {}
    pairs = (re.split(r"\s*[=:\s]\s*", line, maxsplit=1) for line in lines if line and line[0] not in "#!")
    return {pair[0]: pair[-1] if len(pair) == 2 else "" for pair in pairs}


def prepare_environment(master: str) -> None:
    """Set the environment of the JVM and the workers; variables that the user has set remain.

    Args:
        master: Where Spark runs. For a cluster, whose executors must reach this machine, only Java and the interpreter
            of the workers are set.
    """
    if LAUNCHED not in os.environ:
        ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if not master.startswith("local"):
        return
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


@contextmanager
def launch_environment(master: str, **more: str) -> Iterator[None]:
    """Set variables only during the start of a JVM; this process and its other children keep their environment.

    Args:
        master: Where Spark runs. For `local...` the JVM gets the home of links, the path from which the workers of
            this machine import this package, and the logging settings if the user has no folder of settings.
        more: Further variables.
    """
    wanted = dict(more)
    if master.startswith("local"):
        named = os.environ.get("SPARK_HOME")
        if "SPARK_CONF_DIR" not in os.environ and not (named and (Path(named) / "conf").is_dir()):
            # The last one of several options with the same name is in force.
            logging = f"-Dlog4j2.configurationFile={QUIET_LOGGING.as_uri()}"
            wanted["SPARK_SUBMIT_OPTS"] = f"{logging} {os.environ.get('SPARK_SUBMIT_OPTS', '')}".strip()
        home = linked_home(master)
        if home is not None:
            wanted["SPARK_HOME"] = str(home)
        # The workers of a Connect server get no options of a session, but they inherit the environment of the JVM.
        wanted["PYTHONPATH"] = local_worker_path(master)
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def quiet_settings(master: str) -> dict[str, str]:
    """Return the options of a quiet session on this machine; empty for a cluster, which its users configure."""
    if not master.startswith("local"):
        return {}
    warehouse = tempfile.mkdtemp(prefix=WAREHOUSE_PREFIX)
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": spark_path(Path(warehouse)),
        "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
        # Spark's default, 200, is meant for a cluster: here each micro-batch would have as many tasks.
        "spark.sql.shuffle.partitions": str(local_threads(master)),
    }
    if hasattr(socket, "AF_UNIX"):
        # The JVM and a worker exchange small pieces: over TCP each task waits 40 ms for a delayed acknowledgement.
        settings["spark.python.unix.domain.socket.enabled"] = "true"
    settings["spark.executorEnv.PYTHONPATH"] = local_worker_path(master)
    return settings


def local_threads(master: str) -> int:
    """Return the number of parallel tasks of a master on this machine."""
    if master == "local":
        return 1
    cluster = re.fullmatch(r"local-cluster\[\s*(\d+)\s*,\s*(\d+)\s*,.*\]", master)
    if cluster:
        return int(cluster[1]) * int(cluster[2])
    threads = re.match(r"local\[\s*(\d+)", master)
    return int(threads[1]) if threads else os.cpu_count() or 1
