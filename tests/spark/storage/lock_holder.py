"""Another process that holds the lock of a checkpoint, as the Spark of another driver does."""

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

SOON_SECONDS = 30.0

# The same kind of lock that a JVM takes, and the same text.
HOLD = """
import fcntl, os, sys
with open(sys.argv[1], "w") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    file.write(sys.argv[2].format(os.getpid()))
    file.flush()
    print("held", flush=True)
    sys.stdin.read()
"""


class LockHolder:
    """Holds the lock in a `with` block, or until `leave`.

    Args:
        checkpoint: Folder of the checkpoint.
        text: What the file says; `{}` stands for the process id.
    """

    def __init__(self, checkpoint: Path, text: str = "{}") -> None:
        checkpoint.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(checkpoint / "jvm.lock"), text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid: int = self.process.pid

    def leave(self) -> None:
        """Let the lock go; may be called again."""
        self.process.communicate(timeout=SOON_SECONDS)

    def __enter__(self) -> Self:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"held\n"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.returncode is None:
            self.leave()
