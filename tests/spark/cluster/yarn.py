"""YARN on the machines of the cluster: a resource manager beside the master, a node manager on each worker."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from reactivestreams.spark.storage.shared_storage import SHARED_FOLDERS
from tests.spark.cluster.machines import Daemon, run
from tests.spark.cluster.standalone import (
    CONFIG,
    HDFS_SETTINGS,
    WORKERS,
    Cluster,
    Driver,
    client_of_s3,
    hadoop_java,
    spark_home,
)
from tests.spark.in_process import ROOT

RESOURCES = "org.apache.hadoop.yarn.server.resourcemanager"
RESOURCE_MANAGER = f"{RESOURCES}.ResourceManager"
NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
EXECUTOR = "YarnCoarseGrainedExecutorBackend"

SETTINGS = {
    "fs.defaultFS": HDFS_SETTINGS["fs.defaultFS"],
    "yarn.resourcemanager.hostname": "master",
    "yarn.resourcemanager.scheduler.class": f"{RESOURCES}.scheduler.fifo.FifoScheduler",
    "yarn.scheduler.minimum-allocation-mb": "256",
    # An executor and the driver or its deputy fit on a machine, but not two executors.
    "yarn.nodemanager.resource.memory-mb": "2304",
    "yarn.nodemanager.resource.cpu-vcores": "4",
    "yarn.nodemanager.pmem-check-enabled": "false",
    "yarn.nodemanager.vmem-check-enabled": "false",
    "yarn.nodemanager.disk-health-checker.enable": "false",
    "yarn.nodemanager.local-dirs": "{disk}/yarn/local",
    "yarn.nodemanager.log-dirs": "{disk}/yarn/logs",
    # A container that was killed is noticed within seconds.
    "yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
}

EXECUTORS = {
    "spark.executor.instances": "2",
    "spark.executor.cores": "1",
    "spark.executor.memory": "640m",
    "spark.executor.memoryOverhead": "512m",
    "spark.yarn.am.memory": "256m",
    "spark.yarn.am.memoryOverhead": "256m",
    # PySpark is installed on all machines, and its archives need not be sent.
    "spark.yarn.jars": f"local:{spark_home()}/jars/*",
}

INSTALLED = {"spark.executorEnv.PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
"""As if this package and the tests were installed on the executors."""


class Yarn:
    """YARN's servers; leaving its `with` block ends them, and their machines remain.

    Args:
        cluster: The machines.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.conf: Path = cluster.network.logs.parent / "yarn"
        self.daemons: list[Daemon] = []
        if not self.conf.exists():
            cluster.write_settings(self.conf, SETTINGS, "core-site.xml", "yarn-site.xml")
        resources = self.start("master", "resources", RESOURCE_MANAGER)
        resources.await_text("Transitioned to active state")
        for number, name in enumerate(WORKERS, 1):
            self.start(name, f"node-{number}", NODE_MANAGER)
            resources.await_text("Node Transitioned from NEW to RUNNING", number)

    def start(self, machine: str, name: str, program: str) -> Daemon:
        """Start a server on a machine."""
        self.daemons.append(self.cluster.machines[machine].start(name, *hadoop_java(self.conf), program))
        return self.daemons[-1]

    def driver(self, config: Mapping[str, str], variables: Mapping[str, str | None] | None = None) -> Driver:
        """Start a driver in YARN's client mode."""
        options = {**CONFIG, **client_of_s3(), **EXECUTORS, SHARED_FOLDERS: str(self.cluster.shared), **config}
        return Driver(
            self.cluster.network,
            {"master": "yarn", "config": options},
            variables={"HADOOP_CONF_DIR": str(self.conf), "PYSPARK_PYTHON": sys.executable, **(variables or {})},
        )

    def kill_executor(self, machine: str) -> None:
        """Kill the executors on a machine with kill -9."""
        place = self.cluster.machines[machine]
        found = subprocess.run(place.command("pgrep", "-f", EXECUTOR), capture_output=True, text=True, check=True)
        run(*place.command("kill", "-9", *found.stdout.split()))

    def close(self) -> None:
        """End the servers."""
        for daemon in reversed(self.daemons):
            daemon.process.kill()
            daemon.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
