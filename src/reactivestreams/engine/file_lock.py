"""A lock on a file that the operating system gives up when the process dies."""

import os
import sys
from pathlib import Path

__all__ = ["FileLock"]


class FileLock:
    """Lock a file for this process; another process, or another lock of this one, cannot.

    The file stays when the lock is released: whoever deletes it lets a second process lock a new one of the same name.

    Args:
        path: The file; it is made where there is none, and holds the id of the process that locks it.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> one, other = FileLock(Path(folder.name) / "lock"), FileLock(Path(folder.name) / "lock")
        >>> one.acquire(), other.acquire()
        (True, False)
        >>> one.release()
        >>> other.acquire()
        True
        >>> other.release()
        >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self) -> bool:
        """Lock the file; False: it is locked. Never blocks."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0) if hasattr(os, "pwrite") else None
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Unlock it; idempotent."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def holder(self) -> str:
        """Return the id of the process that has locked it last, or a question mark."""
        try:
            return self.path.read_text(encoding="ascii") or "?"
        except (OSError, ValueError):
            return "?"


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
