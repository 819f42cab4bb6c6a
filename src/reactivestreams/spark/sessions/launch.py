"""What a JVM of Spark is started with: its environment, and the options of a quiet session."""

import atexit
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from reactivestreams.spark.sessions.java import ensure_java
from reactivestreams.spark.sessions.spark_home import linked_home
from reactivestreams.spark.sessions.worker_path import local_worker_path
from reactivestreams.spark.spark_path import spark_path

__all__ = ["FAST_SETTINGS", "QUIET_CONF", "launch_environment", "prepare_environment", "quiet_settings"]

QUIET_CONF = Path(__file__).parent / "conf"
"""Folder with the logging settings: errors only."""

FAST_SETTINGS: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
}
"""What `fast=True` sets: quick to start and for small data, slow for much data."""

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def prepare_environment() -> None:
    """Set the environment that the JVM and the workers start from; what the user has set stays."""
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # A conf folder inside the user's own SPARK_HOME has settings that must not get lost.
    home = os.environ.get("SPARK_HOME")
    if "SPARK_CONF_DIR" not in os.environ and not (home and (Path(home) / "conf").is_dir()):
        os.environ["SPARK_CONF_DIR"] = str(QUIET_CONF)


@contextmanager
def launch_environment(master: str, **more: str) -> Iterator[None]:
    """Set, while a JVM is started, what it alone needs; this process and its other children keep what they had.

    Args:
        master: Where Spark runs. For `local...` the JVM gets the home of links, and the path on which the workers of
            this machine find this package.
        more: Further variables.
    """
    wanted = dict(more)
    if master.startswith("local"):
        home = linked_home()
        if home is not None:
            wanted["SPARK_HOME"] = str(home)
        # Workers that a Connect server starts see no option of a session, but they do inherit from the JVM.
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
    """Return the options of a quiet session."""
    warehouse = tempfile.mkdtemp(prefix="reactivestreams-warehouse-")
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": spark_path(Path(warehouse)),
        "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    }
    if master.startswith("local") and hasattr(socket, "AF_UNIX"):
        # The JVM and a worker write small pieces in turn: over TCP each task waits 40 ms for a delayed acknowledgement.
        settings["spark.python.unix.domain.socket.enabled"] = "true"
    path = local_worker_path(master)
    if path:
        settings["spark.executorEnv.PYTHONPATH"] = path
    return settings
