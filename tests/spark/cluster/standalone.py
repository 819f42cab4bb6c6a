"""A Spark standalone cluster with HDFS and S3: storage, master, two workers and a driver, on machines of their own."""

import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from reactivestreams.spark.storage.shared_storage import SHARED_FOLDERS
from tests.maven import fetch
from tests.spark.cluster.machines import Daemon, Machine, Network
from tests.spark.cluster.machines import missing as missing_for_machines
from tests.spark.in_process import ROOT, TIMEOUT_SECONDS, SparkProcess

STORAGE = "hdfs://storage:8020"
S3_ENDPOINT = "http://storage:5000"
BUCKET = "flights"
S3 = f"s3a://{BUCKET}"
S3_SERVER = """
import sys
from moto.server import main
from werkzeug.serving import WSGIRequestHandler

# Both it and its base answer "100 Continue"; the client would take the second one for the end of the request.
WSGIRequestHandler.handle_expect_100 = lambda handler: True
main(sys.argv[1:])
"""
MASTER = "spark://master:7077"
WORKERS = ("worker-1", "worker-2")

EXECUTOR_MEMORY = "1g"
STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
CONFIG = {
    "spark.driver.host": "driver",
    "spark.driver.bindAddress": "driver",
    "spark.driver.memory": "1g",
    "spark.executor.memory": EXECUTOR_MEMORY,
    "spark.hadoop.fs.defaultFS": STORAGE,
    "spark.hadoop.fs.s3a.endpoint": S3_ENDPOINT,
    "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.access.key": "tests",
    "spark.hadoop.fs.s3a.secret.key": "tests",
    "spark.sql.session.timeZone": "Europe/Berlin",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.ui.enabled": "false",
    # A worker that was powered off is noticed within seconds.
    "spark.network.timeout": "20s",
    "spark.network.timeoutInterval": "5s",
    "spark.executor.heartbeatInterval": "2s",
}

HDFS_SETTINGS = {
    "fs.defaultFS": STORAGE,
    "dfs.replication": "1",
    "dfs.permissions.enabled": "false",
    "dfs.namenode.name.dir": "file://{disk}/name",
    "dfs.namenode.http-address": "storage:9870",
    "dfs.datanode.data.dir": "file://{disk}/data",
    "dfs.datanode.hostname": "storage",
    "dfs.datanode.address": "storage:9866",
    "dfs.datanode.http.address": "storage:9864",
    "dfs.datanode.ipc.address": "storage:9867",
}

NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"


def spark_home() -> Path:
    """Return the folder of PySpark, which has Spark's programs and archives."""
    import pyspark

    return Path(pyspark.__file__).parent


def hadoop_version() -> str:
    """Return the version of Hadoop's client in PySpark."""
    (name,) = (path.name for path in (spark_home() / "jars").glob("hadoop-client-api-*.jar"))
    return re.sub(r"hadoop-client-api-(.*)\.jar", r"\1", name)


def hdfs_jars() -> Path:
    """Return the folder of HDFS's servers, which PySpark does not have."""
    return ROOT / "build" / f"hdfs-{hadoop_version()}"


def s3_jars() -> Path:
    """Return the folder of the client of S3, which PySpark does not have."""
    return ROOT / "build" / f"s3a-{hadoop_version()}"


def missing() -> str:
    """Return why there is no cluster here, or an empty text; fetches HDFS and the client of S3 the first time."""
    reason = missing_for_machines()
    if reason:
        return reason
    from reactivestreams.spark import ensure_java
    from reactivestreams.spark.errors import JavaNotFoundError

    try:
        ensure_java()
    except JavaNotFoundError as error:
        return str(error)
    if find_spec("moto") is None:
        return "the server of S3 is missing (pip install 'moto[s3,server]')"
    return fetch(hdfs_jars(), [f"org.apache.hadoop:hadoop-client-minicluster:{hadoop_version()}"], alone=True) or fetch(
        s3_jars(), [f"org.apache.hadoop:hadoop-aws:{hadoop_version()}"]
    )


def client_of_s3() -> dict[str, str]:
    """Return the options that give driver and executors the client of S3."""
    return {f"spark.{who}.extraClassPath": f"{s3_jars()}/*" for who in ("driver", "executor")}


class Driver:
    """A machine with a driver, which runs functions of test modules: `driver.run(function, *arguments)`.

    Args:
        network: The network of the cluster.
        config: Further options of Spark.
        beside: Another driver, on whose machine it runs; None means a machine of its own.
    """

    def __init__(
        self, network: Network, config: Mapping[str, str] | None = None, *, beside: "Driver | None" = None
    ) -> None:
        self.machine: Machine = Machine(network, "driver") if beside is None else beside.machine
        self.is_on = True
        self.process = SparkProcess(
            "standalone",
            session={"master": MASTER, "config": {**CONFIG, **client_of_s3(), **(config or {})}},
            within=self.machine.command(folder=ROOT),
            environment={**self.machine.variables, "SPARK_HOME": None, "SPARK_CONF_DIR": None},
        )

    def run(self, function: Callable[..., Any], *arguments: Any, timeout_seconds: float = TIMEOUT_SECONDS) -> Any:
        """Run `function(session, *arguments)` in the driver and return its result."""
        return self.process.run(function, *arguments, timeout_seconds=timeout_seconds)

    def power_off(self) -> None:
        """Power the machine off, with all that runs there."""
        self.machine.power_off()
        self.process.close()
        self.is_on = False

    def close(self) -> None:
        """End the driver, and then the machine. Further calls do nothing."""
        if self.is_on:
            self.process.close()
            self.power_off()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Cluster:
    """The machines of the cluster, but for the driver's; leaving its `with` block removes them.

    Args:
        folder: A new folder for the logs and for what all machines share.
    """

    def __init__(self, folder: Path) -> None:
        self.network = Network(folder)
        self.machines: dict[str, Machine] = {}
        self.master: Daemon
        try:
            self.start_storage(folder / "hdfs")
            self.start_s3()
            self.master = self.start_spark("master", "org.apache.spark.deploy.master.Master", "--port", "7077")
            self.master.await_text("New state: ALIVE")
            for number, name in enumerate(WORKERS, 1):
                self.start_worker(name)
                self.master.await_text("Registering worker", number)
        except BaseException:
            self.close()
            raise

    @property
    def shared(self) -> Path:
        """A folder that all machines share, like a mounted network file system."""
        return self.network.shared

    def machine(self, name: str) -> Machine:
        """Start a machine."""
        self.machines[name] = Machine(self.network, name)
        return self.machines[name]

    def start_storage(self, conf: Path) -> None:
        """Start HDFS, empty."""
        storage = self.machine("storage")
        conf.mkdir()
        properties = "".join(
            f"<property><name>{name}</name><value>{value.format(disk=self.network.disk)}</value></property>"
            for name, value in HDFS_SETTINGS.items()
        )
        for file in ("core-site.xml", "hdfs-site.xml"):
            (conf / file).write_text(f"<configuration>{properties}</configuration>")
        paths = f"{conf}:{hdfs_jars()}/*:{spark_home()}/jars/*"
        java = [str(Path(os.environ["JAVA_HOME"]) / "bin" / "java"), "-Xmx384m", "-Dlog4j2.level=INFO", "-cp", paths]
        storage.start("format", *java, NAME_NODE, "-format", "-force", "-nonInteractive").process.wait()
        names = storage.start("names", *java, NAME_NODE)
        names.await_text("IPC Server listener on 8020: starting")
        storage.start("data", *java, DATA_NODE)
        names.await_text("registerDatanode")

    def start_s3(self) -> None:
        """Start S3 with an empty bucket, beside HDFS."""
        storage = self.machines["storage"]
        host, port = S3_ENDPOINT.removeprefix("http://").split(":")
        storage.start("s3", sys.executable, "-c", S3_SERVER, "-H", host, "-p", port).await_text("Running on")
        request = f"urllib.request.Request({f'{S3_ENDPOINT}/{BUCKET}'!r}, method='PUT')"
        made = storage.start(
            "bucket", sys.executable, "-c", f"import urllib.request; urllib.request.urlopen({request}); print('made')"
        )
        made.await_text("made")

    def start_spark(self, name: str, program: str, *arguments: str) -> Daemon:
        """Start a machine with a program of Spark."""
        machine = self.machine(name)
        variables = {
            # As if this package and the tests were installed there.
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
            "SPARK_HOME": str(spark_home()),
            "SPARK_WORKER_DIR": str(self.network.disk / "work"),
            "PYSPARK_PYTHON": sys.executable,
        }
        command = [str(spark_home() / "bin" / "spark-class"), program, "--host", name, "--webui-port", "0", *arguments]
        return machine.start(name, *command, variables=variables)

    def start_worker(self, name: str) -> None:
        """Start a machine with a worker that has one core."""
        self.start_spark(
            name, "org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", EXECUTOR_MEMORY, MASTER
        )

    def driver(self, config: Mapping[str, str] | None = None, *, beside: Driver | None = None) -> Driver:
        """Start a driver, which declares the shared folder; there is one machine for drivers at a time."""
        return Driver(self.network, {SHARED_FOLDERS: str(self.shared), **(config or {})}, beside=beside)

    def close(self) -> None:
        """Power all machines off."""
        for machine in self.machines.values():
            machine.power_off()
        self.network.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


if __name__ == "__main__":
    reason = missing()
    sys.exit(f"there can be no cluster here: {reason}" if reason else 0)
