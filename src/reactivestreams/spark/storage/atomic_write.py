"""Files that are written whole: at any time, and after a crash at any step, a reader finds the old content or the new.

Invariants:
    I1  What is being written has a name of its own in the folder of the file, so that two writers never share one, and
        the rename stays inside one file system.
    I2  The name of the file changes its content by one rename, which comes after all else that can fail. Only for a
        durable write the folder is brought to the disk behind it.
    I3  A durable write has brought the content to the disk before the rename, and the rename before it returns.
    I4  A write that raises leaves no temporary file. A process that is killed may leave one: `.<name>.` and 16 digits.
"""

import os
import secrets
from pathlib import Path

__all__ = ["atomic_write", "sync_folder"]


def atomic_write(target: Path, content: bytes, *, mode: int = 0o644, is_durable: bool = False) -> None:
    """Write a file by a rename; threads and processes may do so at the same time, and the last one wins.

    Args:
        target: The file. Its folder is there.
        content: All that it holds afterwards.
        mode: Its permissions, whatever the umask.
        is_durable: Whether it has to outlast a crash of the system after the return.

    Raises:
        OSError: It could not be written; it is as before, unless nothing but its folder could not be brought to the
            disk.
    """
    # I1. The name begins with a dot: who lists the folder for files of his kind passes over it.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    # "x": a name that is taken is somebody else's file, and is left alone.
    file = open(temporary, "xb")  # noqa: SIM115 - closed before the rename, which Windows wants
    try:
        with file:
            file.write(content)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())  # I3
        os.chmod(temporary, mode)
        os.replace(temporary, target)  # I2
    except BaseException:
        temporary.unlink(missing_ok=True)  # I4
        raise
    if is_durable:
        sync_folder(target.parent)  # I3


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can.

    Raises:
        OSError: The disk failed.
    """
    if os.name == "nt":
        return  # Windows opens no folders; a rename is kept there without.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
