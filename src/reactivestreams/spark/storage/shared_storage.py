"""Whether the driver and the executors run on this machine, and see its folders.

With a master `local...` they do, unless a distant server of Spark Connect is the driver. On a cluster each machine has
its own disk: what an executor writes to a path there is missing here, and what this process writes is missing there.
Only the user knows which folders are mounted everywhere.
"""

import socket
from pathlib import Path
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.sessions.running_session import is_connect_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SHARED_FOLDERS", "has_driver_here", "master_of", "require_shared", "runs_on_one_machine"]

SHARED_FOLDERS = "spark.reactivestreams.sharedFolders"
"""Option of a session: folders, with commas between them, that are mounted at the same path on all machines."""


def master_of(session: "SparkSession") -> str | None:
    """Return the master of a session, or None if the session does not show it."""
    master: str | None = session.conf.get("spark.master", None)
    return master


def runs_on_one_machine(session: "SparkSession") -> bool:
    """Return whether the driver and the executors run on this machine."""
    return has_driver_here(session) and (master_of(session) or "").startswith("local")


def has_driver_here(session: "SparkSession") -> bool:
    """Return whether the driver runs on this machine; through Spark Connect it is the server."""
    if not is_connect_session(session):
        return True
    for family, kind, _, _, address in socket.getaddrinfo(session.client.host, 0, type=socket.SOCK_STREAM):
        with socket.socket(family, kind) as own:
            try:
                own.bind(address)  # which is only possible for an address of this machine
            except OSError:
                continue
            return True
    return False


def require_shared(folder: Path, session: "SparkSession", *, name: str) -> None:
    """Check that the executors see a folder of this machine.

    Args:
        folder: The absolute path.
        session: The session of the executors.
        name: What the folder is, for the message.

    Raises:
        ArgumentError: They run on other machines, and the folder is not in one that the session declares as shared.
    """
    if runs_on_one_machine(session):
        return
    declared = (session.conf.get(SHARED_FOLDERS, "") or "").split(",")
    if any(folder.is_relative_to(Path(entry.strip()).resolve()) for entry in declared if entry.strip()):
        return
    raise ArgumentError(
        f"{name} is the folder {str(folder)!r} of this machine, but the executors of the master "
        f"{master_of(session)!r} run on other machines, each with its own disk, so rows and state would be lost; pass "
        "the URI of a file system that all of them reach, such as hdfs://... or s3a://..., except for a log, or "
        f"a folder mounted at the same path on all of them, and declare it with the option {SHARED_FOLDERS}, such "
        f"as session.conf.set({SHARED_FOLDERS!r}, '/mnt/shared')"
    )
