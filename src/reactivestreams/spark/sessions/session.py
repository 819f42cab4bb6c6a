"""Quiet Spark sessions, which find Java automatically."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.requirements import require_connect, require_spark
from reactivestreams.spark.sessions.connect_session import CONNECT_TIMEOUT_SECONDS, connected_session, served_session
from reactivestreams.spark.sessions.launch import (
    DEFAULT_MASTER,
    FAST_SETTINGS,
    launch_environment,
    prepare_environment,
    quiet_settings,
    user_settings,
)
from reactivestreams.spark.sessions.running_session import running_classic, running_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["session"]

CONNECT_SCHEME = "sc://"
APP_NAME = "reactivestreams"


def session(
    master: str | None = None,
    *,
    app_name: str | None = None,
    config: Mapping[str, str] | None = None,
    fast: bool = False,
    connect: bool = False,
    timeout_seconds: float = CONNECT_TIMEOUT_SECONDS,
) -> "SparkSession":
    """Return the running Spark session, or start one; on this machine the session is quiet.

    A start finds Java (`ensure_java`). For a master `local...` it also sets: only errors are logged, no web interface,
    no progress bar on the console, the warehouse in a temporary folder, as many shuffle partitions as parallel tasks,
    and workers that run this interpreter and can import this package. Settings from `spark-submit`, a `SPARK_CONF_DIR`
    or a `conf` folder of the user's Spark remain in force. On a cluster only `config` is set. If a session of the same
    kind and address is running, it is returned, with the SQL options of `config` set in it.

    Args:
        master: Where Spark runs. `local[n]` uses n threads of this machine; `local-cluster[workers,cores,mebibytes]`
            starts executors on this machine as separate processes; `sc://host:port` is a Spark Connect server. None
            means the setting of `spark-submit` or of Spark's configuration, else `local[2]`.
        app_name: Name of the application in Spark's displays. None means the setting of `spark-submit`, else
            `reactivestreams`.
        config: Spark's options; they override the ones set here.
        fast: Use settings for tests on small data: one shuffle partition, only the fast compiler, cheap checkpoints.
        connect: Use Spark Connect. With `master="local..."` this starts a server that only this process can reach;
            `.stop()` stops it, too.
        timeout_seconds: Longest wait for the answer of a Connect server, more than 0.

    Returns:
        The session; `.stop()` ends it.

    Raises:
        SparkUnavailableError: PySpark, or a package that Spark Connect needs, is missing or of an unsupported version.
        JavaNotFoundError: No Java that runs Spark was found.
        SessionKindError: A session of the other kind, classic or Connect, is running in this process.
        SparkConnectionError: No Connect server answers at the address, or it refuses.
        ArgumentError: `master` or `app_name` is empty; `master` is not an address, or does not allow `connect`; a name
            in `config` does not start with "spark."; `timeout_seconds` is not more than 0 and finite.
        ArgumentTypeError: An argument has the wrong type.
    """
    settings = checked_config(master, app_name, config, fast)
    checked_connection(master, connect, timeout_seconds)
    require_spark()
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"pyspark\.")
    is_address = master is not None and master.startswith(CONNECT_SCHEME)
    if connect or is_address:
        require_connect()
        running = running_connect(master if is_address else None)
    else:
        running = running_classic()
    if running is not None:
        for name, value in settings.items():
            if name.startswith("spark.sql.") and running.conf.isModifiable(name):
                running.conf.set(name, value)
        return running
    if master is not None and is_address:
        return connected_session(master, app_name or APP_NAME, settings, timeout_seconds)
    given = user_settings()
    where = master or given.get("spark.master", DEFAULT_MASTER)
    named = app_name or given.get("spark.app.name", APP_NAME)
    prepare_environment(where)
    quiet = {name: value for name, value in quiet_settings(where).items() if name not in given}
    options = {**quiet, **(FAST_SETTINGS if fast else {}), **settings}
    if connect:
        return served_session(where, named, options)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(where).appName(named).config("spark.api.mode", "classic")
    for name, value in options.items():
        builder = builder.config(name, value)
    with launch_environment(where):
        return builder.getOrCreate()


def checked_config(master: object, app_name: object, config: object, fast: object) -> dict[str, str]:
    """Check the arguments of `session` and return a copy of the options."""
    for name, value in (("master", master), ("app_name", app_name)):
        if value is not None and not isinstance(value, str):
            raise ArgumentTypeError(f"{name} must be a str, got {value!r}; pass a text such as 'local[2]'")
        if value == "":
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
            raise ArgumentError(
                f"config has {name!r}, which is not an option of Spark; their names start with 'spark.'"
            )
    return settings


def checked_connection(master: str | None, connect: object, timeout_seconds: object) -> None:
    """Check the arguments of `session` that concern Spark Connect."""
    if not isinstance(connect, bool):
        raise ArgumentTypeError(f"connect must be a bool, got {connect!r}; pass True or False")
    if connect and master is not None and not master.startswith(("local", CONNECT_SCHEME)):
        raise ArgumentError(
            f"connect=True starts a server on this machine, which is not possible with the master {master!r}; start a "
            "Connect server there and pass its address, such as 'sc://host:15002'"
        )
    if not isinstance(timeout_seconds, (int, float)) or isinstance(timeout_seconds, bool):
        raise ArgumentTypeError(f"timeout_seconds must be a number, got {timeout_seconds!r}; pass seconds such as 10.0")
    if not 0 < timeout_seconds < float("inf"):
        raise ArgumentError(
            f"timeout_seconds must be more than 0 and finite, got {timeout_seconds}; 10.0 is the default"
        )
