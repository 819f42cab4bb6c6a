"""A quiet Spark session on this machine, with a Java that is found by itself."""

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.sessions.java import ensure_java
from reactivestreams.spark.sessions.worker_path import local_worker_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["FAST_SETTINGS", "session"]

QUIET_CONF = Path(__file__).parent / "conf"
"""Folder with the logging settings: errors only."""

FAST_SETTINGS: Mapping[str, str] = {
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
}
"""What `fast=True` sets: quick to start and for small data, slow for much data."""

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def session(
    master: str = "local[2]",
    *,
    app_name: str = "reactivestreams",
    config: Mapping[str, str] | None = None,
    fast: bool = False,
) -> "SparkSession":
    """Take the running Spark session, or start a quiet one.

    Starting means: find Java (`ensure_java`), log errors only, no web interface, no progress bar on the console,
    warehouse in a temporary folder, the workers run this interpreter and find this package. A `SPARK_CONF_DIR` or a
    `conf` folder of the user's own Spark is left in force. Where a session is running already it is returned as it is,
    with the SQL options of `config` set in it.

    Args:
        master: Where Spark runs; `local[n]` takes n threads of this machine.
        app_name: Name of the application in Spark's own displays.
        config: Spark's options; they win over the ones set here.
        fast: Take the settings for tests on small data: one shuffle partition, the quick compiler alone, cheap
            checkpoints.

    Returns:
        The session; `.stop()` ends it.

    Raises:
        SparkUnavailableError: PySpark is missing or of an unsupported version.
        JavaNotFoundError: No Java that runs Spark was found.
        ArgumentError: `master` is empty or `config` has a name without "spark." in front.
        ArgumentTypeError: An argument has the wrong type.
    """
    settings = checked_config(master, app_name, config, fast)
    require_spark()
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # Asked of the context: the active session is known per thread, and this may be another one.
    if SparkContext._active_spark_context is not None:
        running = SparkSession.builder.getOrCreate()
        for name, value in settings.items():
            if name.startswith("spark.sql.") and running.conf.isModifiable(name):
                running.conf.set(name, value)
        return running
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")
    prepare_environment()
    builder = SparkSession.builder.master(master).appName(app_name)
    for name, value in {**quiet_settings(master), **(FAST_SETTINGS if fast else {}), **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def checked_config(master: object, app_name: object, config: object, fast: object) -> dict[str, str]:
    """Check the arguments of `session` and return a copy of the options."""
    for name, value in (("master", master), ("app_name", app_name)):
        if not isinstance(value, str):
            raise ArgumentTypeError(f"{name} must be a str, got {value!r}; pass a text such as 'local[2]'")
        if not value:
            raise ArgumentError(f"{name} must not be empty; leave it out for the default")
    if not isinstance(fast, bool):
        raise ArgumentTypeError(f"fast must be a bool, got {fast!r}; pass True or False")
    if config is not None and not isinstance(config, Mapping):
        raise ArgumentTypeError(f"config must be a mapping of Spark's options, got {config!r}; pass {{'spark.…': '…'}}")
    settings = dict(config or {})
    for name, value in settings.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise ArgumentTypeError(
                f"config must map str to str, got {name!r}: {value!r}; write the value as Spark's documentation does"
            )
        if not name.startswith("spark."):
            raise ArgumentError(f"config has {name!r}, which is no option of Spark; their names start with 'spark.'")
    return settings


def prepare_environment() -> None:
    """Set the environment that the JVM and the workers start from; what the user has set stays."""
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # A conf folder inside the user's own SPARK_HOME has settings that must not get lost.
    home = os.environ.get("SPARK_HOME")
    if "SPARK_CONF_DIR" not in os.environ and not (home and (Path(home) / "conf").is_dir()):
        os.environ["SPARK_CONF_DIR"] = str(QUIET_CONF)


def quiet_settings(master: str) -> dict[str, str]:
    """Return the options of a quiet session."""
    warehouse = tempfile.mkdtemp(prefix="reactivestreams-warehouse-")
    atexit.register(shutil.rmtree, warehouse, ignore_errors=True)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": Path(warehouse).as_uri(),
        "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    }
    path = local_worker_path(master)
    if path:
        settings["spark.executorEnv.PYTHONPATH"] = path
    return settings
