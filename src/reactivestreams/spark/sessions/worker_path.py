"""The path from which the Python workers of a local Spark import this package and the user's modules."""

import os
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import reactivestreams
import rs_core

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["local_worker_path", "share_path_with_workers"]


def local_worker_path(master: str) -> str:
    """Return the PYTHONPATH for workers on this machine; empty for a cluster, where this machine's paths do not exist.

    It contains the folders on `sys.path` that do not belong to the interpreter, so that workers can import the user's
    modules: functions of modules are sent as references.
    """
    if not master.startswith("local"):
        return ""
    known = {resolved(path) for path in (*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix)}
    packages = [str(Path(module.__path__[0]).parent) for module in (reactivestreams, rs_core)]
    folders: dict[str, None] = {}
    for entry in (*sys.path, *packages):
        folder = resolved(entry or os.getcwd())
        if folder not in known and not is_standard(folder) and os.path.exists(folder):
            folders[folder] = None
    return os.pathsep.join(folders)


def share_path_with_workers(session: "SparkSession") -> None:
    """Let the workers of a local session import this package and the user's modules, whoever started the session."""
    from pyspark import SparkFiles

    context = session.sparkContext
    # The folder of Spark's shipped files, which every worker already has on its path.
    files = resolved(SparkFiles.getRootDirectory())
    present = context.environment.get("PYTHONPATH", "")
    entries = [*filter(None, present.split(os.pathsep))]
    missing = [
        entry for entry in local_worker_path(context.master).split(os.pathsep) if entry not in (*entries, files, "")
    ]
    if missing:
        # Spark reads this when a function is serialized; running workers with another path remain unchanged.
        context.environment["PYTHONPATH"] = os.pathsep.join([*entries, *missing])


def is_standard(folder: str) -> bool:
    """Return whether a folder belongs to the interpreter's library."""
    library = resolved(sysconfig.get_paths()["stdlib"])
    return (
        Path(folder).is_relative_to(library)
        or os.path.basename(folder) == f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    )


def resolved(path: str) -> str:
    """Return a path without links, for comparisons."""
    return os.path.realpath(path)
