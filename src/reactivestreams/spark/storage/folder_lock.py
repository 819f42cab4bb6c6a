"""Locks on checkpoints and logs. A lock ends with the process that holds it.

When a Python driver is killed, its JVM lives for some seconds and may finish a batch. So the JVM holds the lock on a
checkpoint, and the JVM of a restarted driver waits for it. The file names the Python process that took the lock last.
"""

import atexit
import logging
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.spark.errors import FolderInUseError
from reactivestreams.spark.jvm_calls import java_class

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["LOCK_TIMEOUT_SECONDS", "FolderLock"]

LOCK_TIMEOUT_SECONDS = 60.0
"""How long a restarted driver waits for the JVM of a killed one, which ends within a few seconds."""

RETRY_SECONDS = 0.1
PROCESS_LOCK = "process.lock"
JVM_LOCK = "jvm.lock"

LOCKED_BYTE = 1 << 30
"""The byte that is locked: one far after the text, because Windows prevents reading of locked bytes."""

LONGEST_OWNER_BYTES = 20

logger: logging.Logger = logging.getLogger("reactivestreams.spark")
registry_guard: threading.Lock = threading.Lock()
registry: set[Path] = set()
"""Files that this process has locked: the system would grant it a second lock, and release both at once."""


class FolderLock:
    """A lock on a folder; `release`, the end of its `with` block and the end of the process release it.

    Threads: any thread may take or release it.
    """

    def __init__(self, path: Path, what: str) -> None:
        # Resolved, so that different names of a folder share one lock.
        path = path.resolve()
        self.path = path
        self.what = what
        self.held: Any = None
        self.registered: bool = False
        with registry_guard:
            if path in registry:
                raise FolderInUseError(
                    f"the {what} {path.parent} is already in use in this process; stop that query, close that log, or "
                    "use another folder"
                )
            registry.add(path)
            self.registered = True

    @classmethod
    def of_process(cls, folder: Path, *, what: str) -> "FolderLock":
        """Take the lock for this Python process at once.

        Raises:
            FolderInUseError: Another process, or another part of this one, holds it.
        """
        lock = cls(folder / PROCESS_LOCK, what)
        try:
            lock.held = locked_file(lock.path)
            if lock.held is None:
                raise FolderInUseError(
                    f"the {what} {folder} is in use by {lock.owner}; stop that process, or use another folder"
                )
            lock.held.truncate(0)
            lock.held.write(str(os.getpid()).encode())
            lock.held.flush()
        except BaseException:
            lock.release()
            raise
        return lock

    @classmethod
    def of_jvm(
        cls, folder: Path, session: "SparkSession", *, what: str, timeout_seconds: float = LOCK_TIMEOUT_SECONDS
    ) -> "FolderLock | None":
        """Take the lock for the JVM of a classic session; return None for Spark Connect, which does not expose its JVM.

        Raises:
            FolderInUseError: The JVM of another driver still holds it after the timeout.
        """
        if getattr(session, "_jvm", None) is None:
            return None
        folder.mkdir(parents=True, exist_ok=True)
        lock = cls(folder / JVM_LOCK, what)
        try:
            lock.wait_for_jvm(session.sparkContext, timeout_seconds)
        except BaseException:
            lock.release()
            raise
        atexit.register(lock.release)
        return lock

    @classmethod
    def of_session(cls, folder: Path, session: "SparkSession", *, what: str) -> "FolderLock":
        """Make the folder if it is missing, and take the lock for the JVM, or for this process with Spark Connect.

        If this process is killed, a Connect server continues its query; Spark stops that query when the next one starts
        on the same checkpoint.

        Raises:
            FolderInUseError: Another process, another part of this process, or another JVM holds the lock.
        """
        lock = cls.of_jvm(folder, session, what=what)
        if lock is None:
            folder.mkdir(parents=True, exist_ok=True)
            lock = cls.of_process(folder, what=what)
        return lock

    def wait_for_jvm(self, context: "SparkContext", timeout_seconds: float) -> None:
        """Let the JVM take the lock as soon as no other JVM holds it."""
        deadline = time.monotonic() + timeout_seconds
        has_logged = False
        while True:
            file = java_class(context, "java.io.RandomAccessFile")(str(self.path), "rw")
            if file.getChannel().tryLock(LOCKED_BYTE, 1, False) is not None:
                self.held = file
                file.setLength(0)
                file.writeBytes(str(os.getpid()))
                return
            file.close()
            if time.monotonic() >= deadline:
                raise FolderInUseError(
                    f"the {self.what} {self.path.parent} is still in use by the Spark of {self.owner} after "
                    f"{timeout_seconds:g} seconds; stop that driver, or take another folder"
                )
            if not has_logged:
                has_logged = True
                logger.warning(
                    "waiting up to %g seconds for the Spark of %s to leave the %s %s",
                    timeout_seconds,
                    self.owner,
                    self.what,
                    self.path.parent,
                )
            time.sleep(RETRY_SECONDS)

    @property
    def owner(self) -> str:
        """Who has taken the lock last, for messages."""
        with self.path.open("rb") as file:
            text = file.read(LONGEST_OWNER_BYTES)
        return f"process {text.decode()}" if text.isdigit() else "another process"

    def release(self) -> None:
        """Give the lock back. Further calls do nothing."""
        atexit.unregister(self.release)
        held, self.held = self.held, None
        if held is not None:
            try:
                held.close()
            except Exception as error:
                # The JVM is gone, and its lock with it.
                logger.debug("the lock %s ended with its JVM: %s", self.path, error)
        with registry_guard:
            if self.registered:
                self.registered = False
                registry.discard(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def locked_file(path: Path) -> Any:
    """Return an open file on which this process has a lock; None where another process has it."""
    if os.name == "nt":
        import msvcrt

        file = open(path, "a+b")  # noqa: SIM115 - stays open as long as the lock is held
        file.seek(LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            file.close()
            return None
        return file
    import fcntl

    file = open(path, "a+b")  # noqa: SIM115 - stays open as long as the lock is held
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file
