"""Atomic writes: at any time, and after a crash at any step, a reader finds the old content or the new.

Invariants:
    I1  The temporary file has a unique name in the folder of the target, so that two writers never share a file, and
        the rename stays inside one file system.
    I2  The target changes by one rename, after all other steps that can fail.
    I3  A write that raises leaves no temporary file. A process that is killed may leave one: `.<name>.` and 16 digits.
"""

import os
import secrets
from pathlib import Path

__all__ = ["atomic_write"]


def atomic_write(target: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write a file by a rename; of several threads or processes that write at the same time the last one wins.

    Args:
        target: The file. Its folder must exist.
        content: The new content.
        mode: Its permissions, independent of the umask.

    Raises:
        OSError: The write failed. The file is unchanged.
    """
    # I1. The name begins with a dot, so listings of the folder ignore it.
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    # "x": an existing file belongs to another writer, and is left alone.
    file = open(temporary, "xb")  # noqa: SIM115 - closed before the rename, which Windows wants
    try:
        with file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, target)  # I2
    except BaseException:
        temporary.unlink(missing_ok=True)  # I3
        raise
