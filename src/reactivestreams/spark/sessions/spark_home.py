"""A home for Spark that is a folder of links, without Spark's own copy of PySpark.

Spark puts `python/lib/pyspark.zip` of its home first into the path of every Python worker. Modules in a zip have no
byte code, so that each worker would compile PySpark anew. Without that file the workers import the PySpark that this
process imports. A home of our own is also where the executors of `local-cluster` may write their `work` folders.
"""

import atexit
import os
import shutil
import tempfile
import threading
from pathlib import Path

__all__ = ["linked_home", "real_home"]

LEFT_OUT = frozenset({"python", "work", "logs"})
"""What the home of links lacks: PySpark's copy, and the folders into which Spark writes."""

one_home: threading.Lock = threading.Lock()
homes: dict[Path, Path] = {}


def linked_home() -> Path | None:
    """Return this process's home of links to `real_home()`; it is removed when the process ends.

    Returns:
        The folder, made by the first call. None where there is nothing to link to, or where this user may not make
        links, as on Windows without developer mode; Spark then runs from its real home.
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
    """Return the home of Spark that SPARK_HOME names, else the one that PySpark lies in; None where it has no jars."""
    import pyspark

    package = Path(pyspark.__file__).resolve().parent
    named = os.environ.get("SPARK_HOME")
    # The package of pip is a home itself; in a distribution of Spark it lies in the home's folder `python`.
    places = [Path(named).resolve()] if named else [package, package.parent.parent]
    return next((place for place in places if (place / "jars").is_dir() and (place / "bin").is_dir()), None)
