"""Places in a running query at which a process kills itself or another when the test has asked for it.

A place costs one look at a folder. The test arms it by making a file there; who renames that file does the killing, so
that each armed file kills once.
"""

import os
import signal
import socket
import time
from pathlib import Path

__all__ = ["ANY_TIME", "PHASES", "VICTIMS", "KillPoints", "parent_of"]

ANY_TIME = "any time"
"""The phase of a kill that waits for no place."""

PHASES = ("planning", "reading", "processing", "commit", "written", ANY_TIME)

VICTIMS = ("driver", "jvm", "planner", "worker", "daemon", "executor", "service", "machine")
"""A worker is forked by a daemon, which an executor starts, which on a cluster Spark's service on the machine starts; a
machine is one with such a service."""

ANCESTORS = {"daemon": 1, "executor": 2, "service": 3}
"""How many steps above a worker a process is."""

DEATH_SECONDS = 30.0
"""How long a process waits for its own end after it had another one killed."""


class KillPoints:
    """The places of one run; it is sent to the workers.

    Args:
        folder: Folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def arm(self, number: int, phase: str, victim: str) -> None:
        """Have the next process that passes a place of a phase kill the victim."""
        (self.folder / "armed").mkdir(parents=True, exist_ok=True)
        (self.folder / "claimed").mkdir(exist_ok=True)
        (self.folder / "armed" / f"{phase}-{victim}-{number:04d}").touch()

    def register(self, jvm: int) -> None:
        """Register this process as the driver, and its JVM."""
        for name, process in (("driver", os.getpid()), ("jvm", jvm)):
            (self.folder / f"{name}.pid").write_text(f"{process} {socket.gethostname()}")

    def claimed_on(self, number: int) -> str | None:
        """Return the machine of the process that has claimed a kill; None as long as nobody has."""
        return next((file.name.partition("@")[2] for file in (self.folder / "claimed").glob(f"*-{number:04d}@*")), None)

    def disarm(self) -> None:
        """Take back what was armed and not done."""
        for file in (self.folder / "armed").glob("*"):
            file.unlink(missing_ok=True)

    def passing(self, phase: str) -> None:
        """Kill what is to be killed in this phase, if anything is."""
        try:
            armed = [name for name in os.listdir(self.folder / "armed") if name.startswith(phase)]
        except FileNotFoundError:
            return
        for name in armed:
            victim = name.split("-")[1]
            process = self.victim_process(victim)
            if process is None:
                continue
            try:
                os.rename(self.folder / "armed" / name, self.folder / "claimed" / f"{name}@{socket.gethostname()}")
            except FileNotFoundError:
                continue
            if victim != "machine":  # which only the test can power off, and does as soon as it is claimed
                os.kill(process, signal.SIGKILL)
            # Nothing more is done here until that has taken effect; a worker may outlive its driver for a moment.
            if victim in ("driver", "planner", "worker", "machine"):
                time.sleep(DEATH_SECONDS)

    def victim_process(self, victim: str) -> int | None:
        """Return the process to kill as seen from this one; None where this is the wrong place for it."""
        driver, host = (self.folder / "driver.pid").read_text().split()
        is_beside_driver = socket.gethostname() == host
        if victim in ("driver", "jvm"):
            process = int((self.folder / f"{victim}.pid").read_text().split()[0])
            return process if is_beside_driver else None
        if is_beside_driver and (os.getpid() == int(driver) or victim == "machine"):
            return None
        process = os.getpid()
        for _ in range(ANCESTORS.get(victim, 0)):
            process = parent_of(process)
        return process


def parent_of(process: int) -> int:
    """Return the parent of a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
