"""Places in a running query at which a process kills itself or another when the test has asked for it.

A place costs one look at a folder. The test arms it by making a file there; who renames that file does the killing, so
that each armed file kills once.
"""

import os
import signal
import time
from pathlib import Path

__all__ = ["PHASES", "VICTIMS", "KillPoints"]

PHASES = ("planning", "reading", "processing", "commit", "written")
VICTIMS = ("driver", "jvm", "planner", "worker", "executor")

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

    def is_claimed(self, number: int) -> bool:
        """Tell whether a kill was done."""
        return any((self.folder / "claimed").glob(f"*-{number:04d}"))

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
                os.rename(self.folder / "armed" / name, self.folder / "claimed" / name)
            except FileNotFoundError:
                continue
            os.kill(process, signal.SIGKILL)
            # Nothing more is done here until that has taken effect; a worker may outlive its driver for a moment.
            if victim in ("driver", "planner", "worker"):
                time.sleep(DEATH_SECONDS)

    def victim_process(self, victim: str) -> int | None:
        """Return the process to kill as seen from this one; None where this is the wrong place for it."""
        driver = int((self.folder / "driver.pid").read_text())
        if victim == "driver":
            return driver
        if victim == "jvm":
            return int((self.folder / "jvm.pid").read_text())
        if os.getpid() == driver:
            return None
        if victim == "executor":
            # The worker's parent is the daemon that forks workers, whose parent is the executor.
            daemon = os.getppid()
            return int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
        return os.getpid()
