"""The commands of the guide on clusters, as they stand there: each one continues the query of the one before."""

import json
import os
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.documentation.guide import blocks
from tests.spark.bare_python import make_bare_python
from tests.spark.cluster.machines import SHOWN_CHARACTERS, Machine
from tests.spark.cluster.standalone import CONFIG, SHELL, Cluster
from tests.spark.cluster.yarn import EXECUTORS, Yarn
from tests.spark.in_process import ROOT

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]

COMMAND_SECONDS = 250

DELAYS = ({"AA": 5.0, "UA": 7.0}, {"AA": 9.0}, {"AA": 3.0})
"""The flights that arrive before each of the commands."""

QUIET = """rootLogger.level = error
rootLogger.appenderRef.out.ref = out
appender.out.type = Console
appender.out.name = out
"""


class Submitter:
    """Runs commands of the guide on a machine, whose administrator has set the sizes of the cluster.

    Args:
        yarn: YARN.
        machine: The machine.
        folder: The folder of the job.
    """

    def __init__(self, yarn: Yarn, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder
        conf = folder / "conf"
        conf.mkdir()
        own = ("spark.driver.host", "spark.driver.bindAddress", "spark.sql.streaming.stateStore.providerClass")
        sizes = {**EXECUTORS, "spark.driver.memory": "512m"}
        settings = {name: value for name, value in {**CONFIG, **sizes}.items() if name not in own}
        (conf / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        (conf / "log4j2.properties").write_text(QUIET)
        self.commands = 0
        self.variables = {
            "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
            "SPARK_CONF_DIR": str(conf),
            "HADOOP_CONF_DIR": str(yarn.conf),
            "PYSPARK_PYTHON": str(make_bare_python(folder / "bare")),
        }

    def run(self, command: str) -> None:
        """Run a command; raise with what it printed if it fails."""
        self.commands += 1
        script = f"cd {self.folder} && {command}"
        started = self.machine.start(f"command-{self.commands}", "sh", "-c", script, variables=self.variables)
        status = started.process.wait(COMMAND_SECONDS)
        shown = started.log.read_text(errors="replace")[-SHOWN_CHARACTERS:]
        assert status == 0, f"{command} failed: {shown}"


def test_commands_of_the_guide_continue_one_query(machines: Cluster, yarn: Yarn) -> None:
    """On the standalone cluster and on YARN, in the client mode and in the cluster mode, where the package is not."""
    page = (ROOT / "docs/guides/cluster.md").read_text(encoding="utf-8")
    folder = machines.shared / "guide"
    folder.mkdir()
    (job,) = (text for text in blocks(page, "python") if "readStream" in text)
    (folder / "delays.py").write_text(job)
    package, *submits = blocks(page, "bash")
    assert len(submits) == len(DELAYS)
    machine = Machine(machines.network, "driver")
    try:
        submitter = Submitter(yarn, machine, folder)
        submitter.run(package)
        machines.administer_hdfs(SHELL, "-mkdir", "/flights")
        for number, command in enumerate(submits):
            lines = [json.dumps({"carrier": c, "delay": delay, "at": number}) for c, delay in DELAYS[number].items()]
            (folder / f"{number}.json").write_text("\n".join(lines))
            machines.administer_hdfs(SHELL, "-put", str(folder / f"{number}.json"), "/flights/")
            submitter.run(command)
    finally:
        machine.power_off()
    machines.administer_hdfs(SHELL, "-get", "/worst", str(folder / "worst"))

    worst = pq.read_table(folder / "worst").select(["carrier", "worst"]).to_pylist()
    assert sorted(tuple(row.values()) for row in worst) == [("AA", 5.0), ("AA", 9.0), ("AA", 9.0), ("UA", 7.0)]
