"""One reader for each checkpoint: a lock file, which the system lets go when its process ends, however it ends.

Spark's JVM outlives a driver that was killed by two or three seconds and may still write to the checkpoint, so the file
also names that JVM, and who takes the lock next waits for its end.
"""

import os
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from reactivestreams.spark.errors import CheckpointInUseError
from reactivestreams.spark.sources.delivery_record import FOLDER

__all__ = ["JVM_EXIT_SECONDS", "CheckpointLock"]

LOCK_NAME = "lock"

JVM_EXIT_SECONDS = 15.0
"""Longest wait for the JVM of a killed driver; beyond it Spark's own check against two writers has to do."""

JVM_POLL_SECONDS = 0.05
LONGEST_OWNER_BYTES = 200


class CheckpointLock:
    """The lock of one checkpoint, held from `__enter__` to `__exit__`.

    Args:
        checkpoint: Folder of the checkpoint; it is made if it is missing.
        jvm_pid: Process id of this driver's JVM on this machine, or None.
    """

    def __init__(self, checkpoint: Path, jvm_pid: int | None) -> None:
        self.path: Path = checkpoint / FOLDER / LOCK_NAME
        self.jvm_pid = jvm_pid
        self.file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            CheckpointInUseError: Another subscription holds it.
            OSError: The folder cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Never removed: who opened a removed file would lock what nobody else sees.
        file = self.path.open("a+b")
        try:
            if not try_lock(file):
                raise CheckpointInUseError(
                    f"the checkpoint {self.path.parents[1]} is in use by {described(owner_of(file))}; end that "
                    "subscription, or give each one a checkpoint of its own"
                )
            await_jvm_exit(owner_of(file).get("jvm"), self.jvm_pid)
            file.truncate(0)
            file.write(f"pid {os.getpid()}\njvm {self.jvm_pid or 0}\n".encode())
            file.flush()
        except BaseException:
            file.close()
            raise
        self.file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let the lock go; its file stays."""
        if self.file is not None:
            self.file.truncate(0)
            self.file.close()
            self.file = None


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file for this open file alone, if nobody has."""
    try:
        import fcntl
    except ImportError:
        # Windows. A byte far behind the text is locked, so that the text can be read.
        import msvcrt

        file.seek(1 << 30)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def owner_of(file: IO[bytes]) -> dict[str, int]:
    """Return the numbers that the last owner has written; an owner that was killed while it wrote left fewer."""
    file.seek(0)
    words = file.read(LONGEST_OWNER_BYTES).decode("ascii", "replace").split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=False) if number.isdigit()}


def described(owner: dict[str, int]) -> str:
    """Return who holds a lock, for messages."""
    pid = owner.get("pid")
    if pid is None:
        return "another subscription"
    return "another subscription of this process" if pid == os.getpid() else f"process {pid}"


def await_jvm_exit(pid: int | None, own: int | None) -> None:
    """Wait, not for ever, until the JVM of an owner that was killed has ended."""
    if not pid or pid == own:
        return
    deadline = time.monotonic() + JVM_EXIT_SECONDS
    while is_running_java(pid) and time.monotonic() < deadline:
        time.sleep(JVM_POLL_SECONDS)


def is_running_java(pid: int) -> bool:
    """Tell whether a process is a JVM; False where this system does not say."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    name, _, rest = status.partition("(")[2].rpartition(")")
    return name == "java" and rest.split()[:1] != ["Z"]
