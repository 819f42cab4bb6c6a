"""A Spark standalone cluster with HDFS and S3, on machines of their own.

They are storage, master, two workers, a driver and a server of Spark Connect.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from reactivestreams.spark.sessions.spark_home import LEFT_OUT
from reactivestreams.spark.storage.shared_storage import SHARED_FOLDERS
from tests.maven import fetch
from tests.spark.cluster.machines import Daemon, Machine, Network, run
from tests.spark.cluster.machines import missing as missing_for_machines
from tests.spark.in_process import ROOT, TIMEOUT_SECONDS, SparkProcess

STORAGE = "hdfs://storage:8020"
S3_ENDPOINT = "http://storage:5000"
BUCKET = "flights"
S3 = f"s3a://{BUCKET}"
MASTER = "spark://master:7077"
WORKERS = ("worker-1", "worker-2")
CONNECT = "sc://connect:15002"
CONNECT_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"

DEPLOY = "org.apache.spark.deploy"
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
    "dfs.namenode.name.dir": "file://{disk}/name",
    "dfs.namenode.http-address": "storage:9870",
    "dfs.datanode.data.dir": "file://{disk}/data",
    "dfs.datanode.hostname": "storage",
    "dfs.datanode.address": "storage:9866",
    "dfs.datanode.http.address": "storage:9864",
    "dfs.datanode.ipc.address": "storage:9867",
}

ENCRYPTION = [f"org.bouncycastle:{name}-jdk18on:1.82" for name in ("bcprov", "bcpkix", "bcutil")]
"""What YARN's resource manager needs besides."""

NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode"
SHELL = "org.apache.hadoop.fs.FsShell"
DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"


def spark_home() -> Path:
    """Return the folder of PySpark, which has Spark's programs and archives."""
    import pyspark

    return Path(pyspark.__file__).parent


def hadoop_version() -> str:
    """Return the version of Hadoop's client in PySpark."""
    (name,) = (path.name for path in (spark_home() / "jars").glob("hadoop-client-api-*.jar"))
    return re.sub(r"hadoop-client-api-(.*)\.jar", r"\1", name)


def server_jars() -> Path:
    """Return the folder of the servers of HDFS and YARN, which PySpark does not have."""
    return ROOT / "build" / f"hadoop-{hadoop_version()}"


def s3_jars() -> Path:
    """Return the folder of the client of S3, which PySpark does not have."""
    return ROOT / "build" / f"s3a-{hadoop_version()}"


def missing() -> str:
    """Return why there is no cluster here, or an empty text; fetches parts of Hadoop the first time."""
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
    servers = [f"org.apache.hadoop:hadoop-client-minicluster:{hadoop_version()}", *ENCRYPTION]
    return fetch(server_jars(), servers, alone=True) or fetch(
        s3_jars(), [f"org.apache.hadoop:hadoop-aws:{hadoop_version()}"]
    )


def hadoop_java(conf: Path) -> list[str]:
    """Return the beginning of a command that runs a server of Hadoop, with the options in a folder."""
    paths = f"{conf}:{server_jars()}/*:{spark_home()}/jars/*"
    return [str(Path(os.environ["JAVA_HOME"]) / "bin" / "java"), "-Xmx384m", "-Dlog4j2.level=INFO", "-cp", paths]


def address(name: str) -> tuple[str, ...]:
    """Return the arguments that give a master or a worker its address."""
    return ("--host", name, "--webui-port", "0")


def client_of_s3() -> dict[str, str]:
    """Return the options that give driver and executors the client of S3."""
    return {f"spark.{who}.extraClassPath": f"{s3_jars()}/*" for who in ("driver", "executor")}


class Driver:
    """A machine with a driver, which runs functions of test modules: `driver.run(function, *arguments)`.

    Args:
        network: The network of the cluster.
        session: Arguments of `reactivestreams.spark.session`.
        beside: Another driver, on whose machine it runs; None means a machine of its own.
        variables: Further variables of the process; None removes one.
    """

    def __init__(
        self,
        network: Network,
        session: Mapping[str, Any],
        *,
        beside: "Driver | None" = None,
        variables: Mapping[str, str | None] | None = None,
    ) -> None:
        self.machine: Machine = Machine(network, "driver") if beside is None else beside.machine
        self.is_on = True
        self.process = SparkProcess(
            "standalone",
            session=session,
            within=self.machine.command(folder=ROOT),
            environment={**self.machine.variables, "SPARK_HOME": None, "SPARK_CONF_DIR": None, **(variables or {})},
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
        # Spark's copy of PySpark has no byte code: with it, workers on a busy machine start too late for Spark.
        self.home: Path = folder / "spark"
        self.home.mkdir()
        for entry in spark_home().iterdir():
            if entry.name not in LEFT_OUT:
                (self.home / entry.name).symlink_to(entry)
        try:
            self.start_storage(folder / "hdfs")
            self.start_s3()
            self.put_s3(BUCKET)
            self.master = self.start_spark("master", f"{DEPLOY}.master.Master", *address("master"), "--port", "7077")
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
        self.write_settings(conf, HDFS_SETTINGS, "core-site.xml", "hdfs-site.xml")
        java = hadoop_java(conf)
        storage.start("format", *java, NAME_NODE, "-format", "-force", "-nonInteractive").process.wait()
        names = storage.start("names", *java, NAME_NODE)
        names.await_text("IPC Server listener on 8020: starting")
        storage.start("data", *java, DATA_NODE)
        names.await_text("registerDatanode")

    def write_settings(self, conf: Path, settings: Mapping[str, str], *files: str) -> None:
        """Write files with Hadoop's options into a new folder."""
        conf.mkdir()
        properties = "".join(
            f"<property><name>{name}</name><value>{value.format(disk=self.network.disk)}</value></property>"
            for name, value in settings.items()
        )
        for file in files:
            (conf / file).write_text(f"<configuration>{properties}</configuration>")

    def start_s3(self, endpoint: str = S3_ENDPOINT, *options: str) -> Daemon:
        """Start a server of S3, beside HDFS."""
        host, port = endpoint.removeprefix("http://").split(":")
        command = [sys.executable, "-m", "tests.spark.cluster.s3_server", host, port, *options]
        variables = {"PYTHONPATH": str(ROOT)}
        server = self.machines["storage"].start(f"s3-{port}", *command, variables=variables)
        server.await_text("Running on")
        return server

    def put_s3(self, path: str, content: str = "", endpoint: str = S3_ENDPOINT) -> None:
        """Send content to a path of S3."""
        kind = {"Content-Type": "application/octet-stream"}  # what else urllib sends, the server takes for a form
        request = f"urllib.request.Request({f'{endpoint}/{path}'!r}, {content.encode()!r}, {kind!r}, method='PUT')"
        code = f"import urllib.request; urllib.request.urlopen({request})"
        run(*self.machines["storage"].command(sys.executable, "-c", code))

    def administer_hdfs(self, program: str, *arguments: str) -> None:
        """Run a command of HDFS, such as `org.apache.hadoop.fs.FsShell -mkdir /new`, as its superuser."""
        run(*self.machines["storage"].command(*hadoop_java(self.network.logs.parent / "hdfs"), program, *arguments))

    def start_spark(self, name: str, program: str, *arguments: str) -> Daemon:
        """Start a machine with a program of Spark."""
        return self.run_spark(self.machine(name), program, *arguments)

    def run_spark(
        self, machine: Machine, program: str, *arguments: str, further: Mapping[str, str] | None = None
    ) -> Daemon:
        """Start a program of Spark on a machine, with further variables."""
        variables = {
            # As if this package and the tests were installed there.
            "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT))),
            "SPARK_HOME": str(self.home),
            "SPARK_WORKER_DIR": str(self.network.disk / "work"),
            "PYSPARK_PYTHON": sys.executable,
            **(further or {}),
        }
        command = [str(self.home / "bin" / "spark-class"), program, *arguments]
        return machine.start(machine.name, *command, variables=variables)

    def start_worker(self, name: str, variables: Mapping[str, str] | None = None) -> None:
        """Start a machine with a worker that has one core, and further variables for what runs there."""
        self.run_worker(self.machine(name), variables)

    def run_worker(self, machine: Machine, variables: Mapping[str, str] | None = None) -> None:
        """Start the worker of a machine."""
        options = (*address(machine.name), "--cores", "1", "--memory", EXECUTOR_MEMORY)
        self.run_spark(machine, f"{DEPLOY}.worker.Worker", *options, MASTER, further=variables)

    def options(self) -> dict[str, str]:
        """Return the options of a driver's session."""
        return {**CONFIG, **client_of_s3(), SHARED_FOLDERS: str(self.shared)}

    def driver(
        self,
        config: Mapping[str, str] | None = None,
        *,
        beside: Driver | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Driver:
        """Start a driver, which declares the shared folder; there is one machine for drivers at a time."""
        options = {**self.options(), **(config or {})}
        return Driver(self.network, {"master": MASTER, "config": options}, beside=beside, variables=variables)

    def client(self) -> Driver:
        """Start a client of the Connect server, on the driver's machine."""
        config = {"spark.sql.session.timeZone": CONFIG["spark.sql.session.timeZone"], SHARED_FOLDERS: str(self.shared)}
        return Driver(self.network, {"master": CONNECT, "config": config})

    def start_connect(self) -> Machine:
        """Start a machine with a server of Spark Connect, which is the driver of its clients."""
        place = {"spark.driver.host": "connect", "spark.driver.bindAddress": "connect"}
        options = [f"--conf={name}={value}" for name, value in {**CONFIG, **client_of_s3(), **place}.items()]
        started = self.start_spark(
            "connect", f"{DEPLOY}.SparkSubmit", "--class", CONNECT_SERVER, "--master", MASTER, *options,
            "spark-internal",
        )  # fmt: skip
        started.await_text("Spark Connect server started at")
        return self.machines["connect"]

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
