"""A home for Spark that consists of links, without Spark's copy of PySpark.

Spark puts `python/lib/pyspark.zip` of its home first on the path of every Python worker. Modules in a zip have no byte
code, so each worker would compile PySpark again. Without that file the workers import the PySpark that this process
imports. The executors of `local-cluster` can also write their `work` folders into this home.
"""

import atexit
import os
import shutil
import tempfile
import threading
from pathlib import Path

__all__ = ["LEFT_OUT", "linked_home", "real_home"]

LEFT_OUT = frozenset({"python", "work", "logs"})
"""Not linked: PySpark's copy, and the folders into which Spark writes."""

one_home: threading.Lock = threading.Lock()
homes: dict[Path, Path] = {}


def linked_home() -> Path | None:
    """Return this process's home of links to `real_home()`; it is removed when the process ends.

    Returns:
        The folder, made by the first call. None if there is no real home, or if this user may not make links, as on
        Windows without developer mode; Spark then runs from its real home.
    """
    real = real_home()
    if real is None:
        return None
    with one_home:
        if real not in homes:
            made = Path(tempfile.mkdtemp(prefix="reactivestreams-spark-home-"))
            try:
                for entry in real.iterdir():
                    if entry.name not in LEFT_OUT:
                        (made / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
            except OSError:
                shutil.rmtree(made, ignore_errors=True)
                return None
            atexit.register(shutil.rmtree, made, ignore_errors=True)
            homes[real] = made
        return homes[real]


def real_home() -> Path | None:
    """Return the home of Spark that SPARK_HOME names, else the home of PySpark; None if it has no jars."""
    import pyspark

    package = Path(pyspark.__file__).resolve().parent
    named = os.environ.get("SPARK_HOME")
    # The package of pip is a home itself; in a distribution of Spark the package is in the home's folder `python`.
    places = [Path(named).resolve()] if named else [package, package.parent.parent]
    return next((place for place in places if (place / "jars").is_dir() and (place / "bin").is_dir()), None)
