"""The driver on a machine of a cluster, and kills there.

A driver that was killed loses its machine, too, and starts again on another one. A worker's machine that was powered
off is started again with an empty disk.
"""

import os
import random
import signal
import subprocess
from pathlib import Path

from tests.spark.cluster.machines import Machine
from tests.spark.cluster.standalone import MASTER, WORKERS, Cluster
from tests.spark.in_process import ROOT
from tests.spark_crash.crash_run import Driver
from tests.spark_crash.kill_points import parent_of

__all__ = ["ClusterDriver"]

MACHINES = ("driver", "driver-2")

PROGRAMS = {
    "daemon": "pyspark.daemon",
    "worker": "pyspark.daemon",
    "executor": "CoarseGrainedExecutorBackend",
    "service": "org.apache.spark.deploy.worker.Worker",
}
"""What the command of a victim contains; the daemon forks workers, so they have its command."""


class ClusterDriver(Driver):
    """The driver's process on one of two machines.

    Args:
        cluster: The cluster; its shared folder has the files of the run.
        kind: Kind of the query.
        place: Name of the file system.
        base: URI of the folder for files and checkpoint.
    """

    def __init__(self, cluster: Cluster, kind: str, place: str, base: str) -> None:
        folder = cluster.shared / f"{kind}-{place}"
        folder.mkdir()
        super().__init__(folder, kind, f"cluster, {place}", base)
        self.cluster = cluster
        self.machine: Machine | None = None

    def start(self) -> "subprocess.Popen[bytes]":
        """Power off the machine of the one before, and start it on the other."""
        self.stop()
        name = MACHINES[self.starts % len(MACHINES)]
        self.machine = Machine(self.cluster.network, name)
        here = {"spark.driver.host": name, "spark.driver.bindAddress": name}
        command = self.command({"master": MASTER, "config": {**self.cluster.options(), **here}})
        variables = {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
        return self.machine.start(self.output.stem, *command, variables=variables).process

    @property
    def output(self) -> Path:
        """The file with what the latest driver says."""
        return self.cluster.network.logs / f"{self.folder.name}-{self.starts}.log"

    def stop(self) -> None:
        """Power the machine off."""
        if self.machine is not None:
            self.machine.power_off()

    def kill(self, victim: str, order: random.Random) -> bool:
        """Kill a victim wherever it stands; return False where there is none at the moment."""
        if victim == "driver":
            if self.machine is None or self.process is None or self.process.poll() is not None:
                return False
            self.stop()
            return True
        name = order.choice(WORKERS)
        if victim != "machine":
            running = self.cluster.machines[name].processes()
            of_kind = [process for process, command in running.items() if PROGRAMS.get(victim, victim) in command]
            if victim in ("daemon", "worker"):
                is_worker = victim == "worker"
                of_kind = [process for process in of_kind if (parent_of(process) in of_kind) == is_worker]
            if not of_kind:
                return False
            os.kill(order.choice(of_kind), signal.SIGKILL)
        self.restore(victim, name)
        return True

    def restore(self, victim: str, machine: str) -> None:
        """Power a machine off and on that claimed its end, and start Spark's service on one that has lost it."""
        if victim == "machine":
            self.cluster.machines[machine].power_off()
            self.cluster.start_worker(machine)
        elif victim == "service":
            self.cluster.run_worker(self.cluster.machines[machine])
